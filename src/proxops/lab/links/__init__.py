"""How set-points reach a robot: one file for each kind of controller."""
