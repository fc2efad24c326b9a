"""Your own arm on a free-floating base: any URDF, a control law, a path of its hand, the true motion. Run it as it is:
python examples/07_your_own_arm.py
"""

import tempfile
from pathlib import Path

import numpy as np

from proxops import Dynamics, FreeFloating, PosePath, TaskController, TaskGains, base_pose, load_model

BODY = '<link name="{}"><inertial><origin xyz="0 0 {}"/><mass value="{}"/><inertia {}/></inertial></link>'


def my_urdf() -> str:
    """A cube of 120 kg with seven joints, every other one a roll: write yours as you like."""
    ball = 'ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"'
    text = '<robot name="mine">' + BODY.format("base", 0, 120, ball.format(12))
    for k in range(7):
        parent, axis, up = f"link_{k}" if k else "base", ("0 0 1", "0 1 0")[k % 2], 0.2 if k else 0.4
        text += BODY.format(f"link_{k + 1}", 0.1, 4 - 0.4 * k, ball.format(0.03))
        text += f'<joint name="joint_{k + 1}" type="revolute"><parent link="{parent}"/><child link="link_{k + 1}"/>'
        text += f'<origin xyz="0 0 {up}"/><axis xyz="{axis}"/><limit lower="-2.9" upper="2.9" velocity="1" effort="9"/></joint>'
    return text + "</robot>"


def main() -> None:
    urdf, hand = Path(tempfile.mkdtemp()) / "mine.urdf", "link_7"
    urdf.write_text(my_urdf())
    model = load_model(urdf, tool=hand)  # says what is wrong with a file: a link's inertia, a frame that is not there
    start = np.array([0.1, 0.6, 0.0, -1.2, 0.2, 0.9, 0.0])  # rad, away from singularities
    arm = FreeFloating(model, model.configuration(start))

    here = Dynamics(model)
    here.update(arm.q, arm.v)
    move, turn = np.array([[0, 0, 0], [0.15, -0.1, 0.05]]), np.array([[0, 0, 0], [0, 0.2, 0]])  # m, rad from here
    path = PosePath(here.p, here.R, np.array([0.0, 8.0]), move, turn)
    law = TaskController(model, 2, TaskGains(kp=4.0, kd=4.0, posture_kp=1.0, posture_kd=2.0), posture=start, dt=1e-3)

    for k in range(9000):
        demand = path.at(k * 1e-3)
        arm.step(law.step(arm.q, arm.v, demand), 1e-3)
    here.update(arm.q, arm.v)
    print(f"hand: {1e6 * np.linalg.norm(here.p - path.at(9.0).p):.3f} um from its goal")
    print(f"base: moved by {1e3 * np.linalg.norm(base_pose(arm.q)[:3]):.1f} mm, for nobody holds it")
    print(f"momentum: {np.abs(arm.momentum()).max():.1e} (N s, N m s), for nobody pushed it")


if __name__ == "__main__":
    main()
