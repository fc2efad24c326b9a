"""From radiance to a picture: the lens's blur and fall-off, electrons, noise, levels; and what sets the exposure."""
