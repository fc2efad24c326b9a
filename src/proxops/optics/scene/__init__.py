"""What can be seen, and the light that falls on it: meshes with materials, bodies, lamps. Truth; no sensor looks from here."""
