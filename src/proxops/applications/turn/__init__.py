"""A planar free-floating arm turns its base."""
