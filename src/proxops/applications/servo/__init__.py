"""A free-floating arm is led by a camera."""
