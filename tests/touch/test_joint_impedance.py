"""An arm that gives way: against an integrator, and the counter-impulse in closed form."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from proxops.arms.model import ArmModel, load_model
from proxops.core.errors import BadInput
from proxops.core.tool_load_file import ToolLoadFile
from proxops.touch.joint_impedance import JointImpedance, counter_share, loaded, oscillate
from proxops.touch.tool_load import load_of

JOINTS = np.radians([0.0, -35.0, 10.0, 95.0, 20.0, 40.0, -15.0])
TOOL = ToolLoadFile(
    name="cube", mass_kg=3.0, com_m=(0.01, -0.02, 0.18), inertia_kgm2=(0.03, 0.04, 0.035, 0.002, 0.0, -0.001)
)
STIFF = np.array([900.0, 1100.0, 700.0, 1000.0, 400.0, 500.0, 300.0])
DT = 0.004


@pytest.fixture(scope="module")
def model() -> ArmModel:
    return load_model("lwr_4plus", "flange")


def made(model: ArmModel, ratio: float = 0.7) -> JointImpedance:
    return JointImpedance(model, load_of(TOOL).parameters, STIFF, ratio)


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.7, 0.9])
def test_a_short_push_on_one_mode_comes_back_with_the_share_of_the_closed_form(ratio: float) -> None:
    """Unit mass and unit impulse: what spring and damper have taken up by now is what the mass has lost, 1 - v."""
    x, v, a = np.zeros(1), np.ones(1), np.zeros(1)
    taken = []
    for _ in range(2000):
        oscillate(np.array([30.0]), ratio, np.zeros(1), 1e-3, x, v, a)
        taken.append(1.0 - float(v[0]))
    assert max(taken) - 1.0 == pytest.approx(counter_share(ratio), abs=3e-4)  # seen once a millisecond
    assert taken[-1] == pytest.approx(1.0, abs=3e-3)  # in all, the push
    assert counter_share(0.7) == pytest.approx(0.210, abs=1e-3)


def test_the_deflection_is_that_of_an_integrator(model: ArmModel) -> None:
    """M δ̈ + D δ̇ + K δ = Jᵀ w with the design's D, integrated plainly; force on for 0.1 s, then off."""
    import pinocchio

    give = made(model)
    wrench = np.array([10.0, -25.0, 5.0, 1.0, 0.5, -2.0])
    pin = loaded(model, load_of(TOOL).parameters)
    q = model.configuration(JOINTS)
    data = pin.createData()
    M = np.triu(pinocchio.crba(pin, data, q))[6:, 6:]
    M = M + np.triu(M, 1).T
    J = pinocchio.computeFrameJacobian(pin, data, q, model.tool_id, pinocchio.ReferenceFrame.LOCAL)[:, 6:]
    root = np.linalg.cholesky(M)
    squares, turned = np.linalg.eigh(np.linalg.inv(root) @ np.diag(STIFF) @ np.linalg.inv(root).T)
    D = root @ turned @ np.diag(1.4 * np.sqrt(squares)) @ turned.T @ root.T

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        force = J.T @ wrench if t < 0.1 else np.zeros(7)
        return np.concatenate([y[7:], np.linalg.solve(M, force - D @ y[7:] - STIFF * y[:7])])

    first = solve_ivp(rate, (0.0, 0.1 - 1e-12), np.zeros(14), rtol=1e-10, atol=1e-13, method="LSODA").y[:, -1]
    wanted = solve_ivp(rate, (0.1, 0.2), first, rtol=1e-10, atol=1e-13, method="LSODA").y[:, -1]
    for k in range(50):
        give.wrench[:] = wrench if k < 25 else 0.0
        give.step(JOINTS, DT)
    np.testing.assert_allclose(np.concatenate([give.angles, give.rates]), wanted, rtol=1e-6, atol=1e-9)
    held = np.linalg.solve(M, -D @ give.rates - STIFF * give.angles)
    np.testing.assert_allclose(give.accelerations, held, rtol=1e-6, atol=1e-7)


def test_a_steady_force_deflects_by_the_stiffness_and_the_load_is_part_of_the_inertia(model: ArmModel) -> None:
    import pinocchio

    give, tool = made(model), load_of(TOOL)
    give.wrench[:] = (0.0, 20.0, 0.0, 0.0, 0.0, 1.0)
    for _ in range(500):
        give.step(JOINTS, DT)
    data = model.pin.createData()
    q, local = model.configuration(JOINTS), pinocchio.ReferenceFrame.LOCAL
    J = pinocchio.computeFrameJacobian(model.pin, data, q, model.tool_id, local)[:, 6:]
    np.testing.assert_allclose(give.angles, J.T @ give.wrench / STIFF, rtol=1e-6)
    pin, rates = loaded(model, tool.parameters), np.concatenate([np.zeros(6), np.linspace(-1.0, 1.0, 7)])
    twist = J @ rates[6:]  # of the flange, its axes
    speed = twist[:3] + np.cross(twist[3:], tool.com)
    own = 0.5 * tool.mass * speed @ speed + 0.5 * twist[3:] @ tool.inertia @ twist[3:]
    whole = pinocchio.computeKineticEnergy(pin, pin.createData(), q, rates)
    bare = pinocchio.computeKineticEnergy(model.pin, data, q, rates)
    assert whole - bare == pytest.approx(own, rel=1e-10)


def test_what_no_controller_has_is_refused(model: ArmModel) -> None:
    for stiff, ratio in ((STIFF[:3], 0.7), (-STIFF, 0.7), (STIFF, 1.0), (STIFF, math.nan)):
        with pytest.raises(BadInput, match="impedance"):
            JointImpedance(model, load_of(TOOL).parameters, stiff, ratio)
