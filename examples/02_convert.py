"""One pose in all four coordinate systems, there and back. Runs as it is: python examples/02_convert.py"""

import numpy as np

import proxops
from proxops import System

cell = proxops.load_cell()
home = np.zeros((1, 22))
home[:, :6] = home[:, 7:13] = [0, -90, 90, 0, 30, 0]
home[:, 21] = 6000
motion = proxops.Trajectory(np.full(1, System.IJT, np.int16), home, "home")

for system in (System.IDC, System.GLC, System.CLW, System.IJT):
    motion = proxops.convert(cell, motion, system)
    one, two = motion.values[0, :7], motion.values[0, 7:14]
    print(f"{system.name}  robot 1 {np.round(one, 4)}  robot 2 {np.round(two, 4)}  data lin {motion.values[0, 21]:.4f}")

error = float(np.abs(motion.values - home).max())
print(f"after the round trip: {error:.1e} deg or mm")
assert error < 1e-7
