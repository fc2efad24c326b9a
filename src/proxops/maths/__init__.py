"""Pure kernels: rotations, poses, small linear algebra. Arrays in, arrays out; nothing here knows of the hall."""
