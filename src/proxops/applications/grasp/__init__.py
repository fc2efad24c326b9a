"""A free-floating arm catches a bar."""
