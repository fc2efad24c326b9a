"""The hall: its cell, kinematics, coordinate systems, tools, payload, trajectories."""
