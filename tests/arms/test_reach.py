"""The sphere that a free-floating arm cannot leave."""

import numpy as np
import pytest

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import load_model
from proxops.arms.reach import reach_m


def away(model: object, joints: np.ndarray) -> float:
    dynamics = Dynamics(model)  # type: ignore[arg-type]
    q = model.configuration(joints)  # type: ignore[attr-defined]
    dynamics.momentum(q, np.zeros(model.pin.nv))  # type: ignore[attr-defined]
    return float(np.linalg.norm(dynamics.tool_pose(q)[:3] - np.array(dynamics.data.com[0])))


@pytest.mark.parametrize(("name", "tool"), [("iiwa_satellite", "flange"), ("planar_two", "tip"), ("ets7_a", "tool")])
def test_no_posture_reaches_further(name: str, tool: str) -> None:
    model, rng = load_model(name, tool), np.random.default_rng(7)
    furthest = max(away(model, rng.uniform(-3.0, 3.0, model.n)) for _ in range(300))
    assert 0.3 * reach_m(model) < furthest <= reach_m(model) + 1e-12


def test_a_straight_arm_in_line_with_the_centre_reaches_it() -> None:
    model = load_model("planar_one", "tip")
    assert away(model, np.zeros(1)) == pytest.approx(reach_m(model), abs=1e-12)


def test_arms_beside_the_chain_count_with_their_mass() -> None:
    """Of two arms the other one's bodies are part of the centre of mass."""
    model, rng = load_model("humanoid", "hand_left"), np.random.default_rng(8)
    furthest = max(away(model, rng.uniform(-2.0, 2.0, model.n)) for _ in range(200))
    assert furthest <= reach_m(model)
