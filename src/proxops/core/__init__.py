"""What everybody shares: frames, variables, clock, ring, errors."""
