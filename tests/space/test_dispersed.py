"""What differs from run to run: reproducible from the seed, one deviation independent of the others, always a possible body."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.core.dispersion_table import Dispersion
from proxops.core.mission import MissionFile, load_mission
from proxops.space.dispersed import TrueState, true_state

Array = NDArray[np.float64]
FILE = load_mission("approach").file
ALL: dict[str, Any] = {
    "position_share": 1.0, "velocity_m_s": 0.005, "target_attitude_deg": 3.0, "target_rate_deg_s": 0.02,
    "chaser_attitude_deg": 0.5, "mass": 2.0, "inertia": 3.0, "mass_centre_m": 0.005, "thrust": 3.0, "sensor_noise": 10.0,
}  # fmt: skip


def dispersed(seed: int, **sizes: float) -> TrueState:
    file: MissionFile = FILE.model_copy(update={"dispersion": Dispersion(**sizes)})
    return true_state(file, np.random.default_rng(seed))


def figures(state: TrueState) -> dict[str, Array]:
    """Everything that was drawn, by the name of its deviation."""
    t, c = state.target, state.chaser
    return {
        "position_share": state.position,
        "velocity_m_s": state.velocity,
        "target_attitude_deg": t.q_lvlh_body,
        "target_rate_deg_s": t.rate,
        "chaser_attitude_deg": c.q_lvlh_body,
        "mass": np.array([t.mass_kg, c.mass_kg]),
        "inertia": np.concatenate((t.inertia.ravel(), c.inertia.ravel())),
        "mass_centre_m": np.concatenate((t.mass_centre, c.mass_centre)),
        "thrust": state.thrust,
        "sensor_noise": np.array([state.noise]),
    }


def test_without_deviations_it_is_the_scenario() -> None:
    state = dispersed(5)
    assert state.target.mass_kg == FILE.target.mass_kg and state.chaser.mass_kg == FILE.chaser.mass_kg
    np.testing.assert_allclose(state.target.inertia, FILE.target.inertia, rtol=0, atol=1e-11)
    assert state.position.tolist() == list(FILE.start.position_m) and state.thrust.tolist() == [1.0] * 24
    np.testing.assert_allclose(state.target.rate, np.radians(FILE.target.attitude.rate_deg_s), rtol=1e-15)
    axis = Rotation.from_quat(state.target.q_lvlh_body, scalar_first=True).apply([1.0, 0.0, 0.0])
    asked = np.array(FILE.target.attitude.axis)
    np.testing.assert_allclose(axis, asked / np.linalg.norm(asked), atol=1e-9)


def test_the_same_seed_gives_the_same_craft_and_another_others() -> None:
    first, same, other = (figures(dispersed(seed, **ALL)) for seed in (3, 3, 4))
    for name in ALL:
        assert np.array_equal(first[name], same[name]), name
        assert not np.array_equal(first[name], other[name]), name


@pytest.mark.parametrize("name", ALL)
def test_a_deviation_that_is_zero_leaves_the_others_as_they_are(name: str) -> None:
    whole, without = figures(dispersed(3, **ALL)), figures(dispersed(3, **{**ALL, name: 0.0}))
    assert not np.array_equal(whole[name], without[name])
    for other in set(ALL) - {name}:
        assert np.array_equal(whole[other], without[other]), other


def test_no_two_deviations_share_a_draw() -> None:
    """400 seeds: correlations between all components are below 4.5 / sqrt(400) (about 1,300 pairs, normal)."""
    rows, nominal = [], figures(dispersed(0))
    for seed in range(400):
        drawn = figures(dispersed(seed, **ALL))
        row = [drawn[name] - nominal[name] for name in ALL if name not in ("inertia", "thrust")]
        moments = [np.linalg.eigvalsh(drawn["inertia"][k : k + 9].reshape(3, 3)) for k in (0, 9)]
        row[2], row[4] = row[2][1:], row[4][1:]  # of the quaternions: vector parts
        rows.append(np.concatenate((*row, *moments, drawn["thrust"])))
    seen = np.corrcoef(np.array(rows).T)
    # The attitude's nominal turn mixes the three drawn angles of one craft: those are dependent, and only those.
    names = [name for name in ALL if name not in ("inertia", "thrust")]
    sizes = [3 if name.endswith("attitude_deg") else nominal[name].size for name in names] + [3, 3, 24]
    block = np.repeat(np.arange(len(sizes)), sizes)
    apart = block[:, None] != block[None, :]
    assert np.abs(seen[apart]).max() < 4.5 / math.sqrt(400)


@pytest.mark.parametrize(
    "name", ["position_share", "velocity_m_s", "target_rate_deg_s", "mass", "mass_centre_m", "thrust"]
)
def test_deviations_have_the_asked_for_size(name: str) -> None:
    """400 seeds: a standard deviation of n values is known to 1 / sqrt(2 n), bound at 4 of those."""
    nominal = figures(dispersed(0))[name]
    drawn = np.array([figures(dispersed(seed, **{name: ALL[name]}))[name] - nominal for seed in range(400)])
    if name == "mass":
        drawn = drawn / nominal
    distance = float(np.linalg.norm(FILE.start.position_m))
    unit = {"position_share": 0.01 * distance, "target_rate_deg_s": math.radians(1.0), "mass": 0.01, "thrust": 0.01}
    size = ALL[name] * unit.get(name, 1.0)
    assert np.std(drawn) == pytest.approx(size, rel=4.0 / math.sqrt(2.0 * drawn.size))


def test_attitudes_deviate_by_the_asked_for_angle() -> None:
    nominal = Rotation.from_quat(dispersed(0).target.q_lvlh_body, scalar_first=True)
    turns = []
    for seed in range(400):
        q = dispersed(seed, target_attitude_deg=3.0).target.q_lvlh_body
        turns.append((nominal.inv() * Rotation.from_quat(q, scalar_first=True)).as_rotvec())
    assert np.std(turns) == pytest.approx(math.radians(3.0), rel=4.0 / math.sqrt(2400.0))


@pytest.mark.parametrize("percent", [3.0, 50.0])
def test_inertia_stays_that_of_a_body(percent: float) -> None:
    """Symmetric, positive, triangle inequality, same principal axes; whatever was drawn, even at the greatest allowed share."""
    axes = np.linalg.eigh(FILE.target.inertia)[1]
    for seed in range(300):
        inertia = dispersed(seed, inertia=percent).target.inertia
        assert np.array_equal(inertia, inertia.T)
        a, b, c = np.linalg.eigvalsh(inertia)
        assert a > 0.0 and c < a + b
        turned = axes.T @ inertia @ axes
        np.testing.assert_allclose(turned, np.diag(np.diag(turned)), atol=1e-10)


def test_masses_and_thrusts_stay_positive_at_the_greatest_deviation() -> None:
    for seed in range(300):
        state = dispersed(seed, mass=50.0, thrust=50.0, sensor_noise=50.0)
        assert state.target.mass_kg >= 400.0 and state.chaser.mass_kg >= 310.0
        assert (state.thrust >= 0.1).all() and state.noise >= 0.1
