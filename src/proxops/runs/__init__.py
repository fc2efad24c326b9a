"""What every kind of run shares: its options, folder and progress, who oversees it, and a client's end of the bridge."""
