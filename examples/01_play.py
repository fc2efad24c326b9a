"""Play a motion on the virtual hall and ask how well the robots followed. Runs as it is: python examples/01_play.py"""

import tempfile

import numpy as np

import proxops

# Two seconds: the rail swings out by 5 cm and robot 2 rolls its plate, in joint coordinates (deg; rail in mm in the last column).
wave = (1 - np.cos(np.linspace(0, 2 * np.pi, 500))) / 2
values = np.zeros((500, 22))
values[:, :6] = values[:, 7:13] = [0, -90, 90, 0, 30, 0]
values[:, 12] += 10 * wave
values[:, 21] = 6000 + 50 * wave
trajectory = proxops.Trajectory(np.full(500, proxops.System.IJT, np.int16), values, "example")

with tempfile.TemporaryDirectory() as folder:
    run = proxops.play(trajectory, out=folder, report=False)

print("passed:", run.passed)
for name in ("rail_error_max_m", "robot2_attitude_error_max_rad", "robot2_delay_s"):
    print(f"{name}: {run.summary[name]:.6f}")
assert run.passed
