"""Choice of branch and turn along a path, the edge of reach, and the margins to the three singularities."""

import math

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.kinematics import forward, inverse, inverse_near, singularity_margins
from proxops.maths.rotation import angle_between

Array = NDArray[np.float64]
DEG = math.pi / 180.0
TURN = 2.0 * math.pi
KR100 = np.array([0.35, 0.75, 1.25, -0.055, 1.0, 0.21])  # a1 d1 a2 a3 d4 d6, robots.yaml
KR240 = np.array([0.35, 0.75, 1.25, -0.055, 1.1, 0.23])
FREE = np.full(6, np.inf)
HOME = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])
BENT = np.radians([10.0, -80.0, 95.0, 20.0, 40.0, -30.0])  # away from every singularity


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@njit(error_model="numpy")  # not cached on disk: see test_pinocchio
def follow(lengths: Array, path: Array, lower: Array, upper: Array, found: Array) -> float:
    """Solve a path of poses as a trajectory is solved: each next to the one before. Returns the worst reach."""
    reference = path[0].copy()
    worst = -np.inf
    for k in range(path.shape[0]):
        T = forward(lengths, path[k])
        worst = max(worst, inverse_near(lengths, T, reference, lower, upper, False, found[k]))
        reference = found[k]
    return worst


def solve(T: Array, reference: Array, lower: Array = -FREE, upper: Array = FREE, *, start: bool = False) -> Array:
    q = np.full(6, np.nan)
    beyond = inverse_near(KR240, T, reference, lower, upper, start, q)
    assert beyond <= 1e-12
    return q


def ramp(axis: int, to: float, steps: int = 3000) -> Array:
    path = np.tile(BENT, (steps, 1))
    path[:, axis] = np.linspace(BENT[axis], to, steps)
    return path


@pytest.mark.parametrize("axis", [3, 5])
@pytest.mark.parametrize("turns", [10, -10])
def test_endless_axes_keep_counting(axis: int, turns: int) -> None:
    path = ramp(axis, BENT[axis] + turns * TURN)
    found = np.empty_like(path)
    follow(KR240, path, -FREE, FREE, found)
    np.testing.assert_allclose(found, path, atol=1e-9)


def test_both_endless_axes_together() -> None:
    """A tumbling client: A4 and A6 against each other, A5 breathing on one side of zero."""
    t = np.linspace(0.0, 1.0, 5000)
    path = np.tile(BENT, (5000, 1))
    path[:, 3] += 10 * TURN * t
    path[:, 5] -= 17 * TURN * t
    path[:, 4] += 0.5 * np.sin(30.0 * t)
    found = np.empty_like(path)
    follow(KR240, path, -FREE, FREE, found)
    np.testing.assert_allclose(found, path, atol=1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("side", [-1, 1])
def test_an_axis_runs_over_its_limit_instead_of_jumping(cell: Cell, axis: int, side: int) -> None:
    """In motion the limits do not choose: the answer runs 5 deg past them (for the guard to name) and stays smooth."""
    lower, upper = cell.axes.lower[1:7], cell.axes.upper[1:7]  # robot 1 has no endless axes
    limit = upper[axis] if side > 0 else lower[axis]
    path = ramp(axis, limit + side * 5 * DEG)
    found = np.empty_like(path)
    follow(KR100, path, lower, upper, found)
    np.testing.assert_allclose(found, path, atol=1e-9)
    assert (found[-1, axis] - limit) * side == pytest.approx(5 * DEG, abs=1e-9)


def test_random_smooth_paths_are_followed(cell: Cell) -> None:
    """Sums of slow sines around several postures, on both wrists and both elbows."""
    rng = np.random.default_rng(21)
    t = np.linspace(0.0, 1.0, 2000)
    for a5 in (60.0, -60.0):
        for a3 in (90.0, -60.0):
            path = np.tile(np.radians([0.0, -80.0, a3, 0.0, a5, 0.0]), (2000, 1))
            for axis, swing in enumerate((1.5, 0.4, 0.4, 3.0, 0.7, 3.0)):
                path[:, axis] += swing * np.sin(TURN * (rng.uniform(1, 3) * t + rng.uniform()))
            found = np.empty_like(path)
            follow(KR240, path, cell.axes.lower[7:], cell.axes.upper[7:], found)
            np.testing.assert_allclose(found, path, atol=1e-9)


@pytest.mark.parametrize(
    ("reference_deg", "target_deg", "expected_deg"),
    [(0.0, 179.0, 179.0), (300.0, 10.0, 370.0), (-300.0, 10.0, -350.0), (3600.0, 45.0, 3645.0)],
)
def test_turn_nearest_to_the_reference(reference_deg: float, target_deg: float, expected_deg: float) -> None:
    reference, target = BENT.copy(), BENT.copy()
    reference[5], target[5] = reference_deg * DEG, target_deg * DEG
    assert solve(forward(KR240, target), reference)[5] == pytest.approx(expected_deg * DEG, abs=1e-9)


def test_a_start_prefers_the_turn_inside_the_limits(cell: Cell) -> None:
    """From A6 = 300 deg the pose A6 = 10 deg is nearest at 370 deg: beyond 350, so a start takes 10 and motion 370.
    (A5 is kept positive here, or the other wrist branch would be nearer than a turn back.)"""
    lower, upper = cell.axes.lower[1:7].copy(), cell.axes.upper[1:7]
    lower[4] = 0.0
    reference, target = BENT.copy(), BENT.copy()
    for side in (1.0, -1.0):
        reference[5], target[5] = side * 300 * DEG, side * 10 * DEG
        q = np.empty(6)
        inverse_near(KR100, forward(KR100, target), reference, lower, upper, True, q)
        assert q[5] == pytest.approx(side * 10 * DEG, abs=1e-9)
        inverse_near(KR100, forward(KR100, target), reference, lower, upper, False, q)
        assert q[5] == pytest.approx(side * 370 * DEG, abs=1e-9)


def test_a_start_prefers_a_branch_inside_the_limits(cell: Cell) -> None:
    """Every start pose that some posture inside the limits reaches is answered with a posture inside the limits."""
    lower, upper = cell.axes.lower[1:7], cell.axes.upper[1:7]
    rng = np.random.default_rng(22)
    q = np.empty(6)
    elsewhere = 0
    for target in rng.uniform(lower, upper, (3000, 6)):
        T = forward(KR100, target)
        inverse_near(KR100, T, HOME, lower, upper, True, q)
        assert (q >= lower - 1e-9).all()
        assert (q <= upper + 1e-9).all()
        np.testing.assert_allclose(forward(KR100, q), T, atol=1e-10)
        elsewhere += not np.allclose(q, target)
    assert elsewhere > 100  # the choice was a real one


def test_a_start_takes_the_posture_nearest_to_the_reference(cell: Cell) -> None:
    """Against a search over all branches and all turns."""
    lower, upper = cell.axes.lower[7:], cell.axes.upper[7:]
    rng = np.random.default_rng(23)
    branches, q = np.empty((8, 6)), np.empty(6)
    turns = np.arange(-2, 3) * TURN
    for target in rng.uniform(np.maximum(lower, -3.0), np.minimum(upper, 3.0), (500, 6)):
        T = forward(KR240, target)
        inverse(KR240, T, HOME[3], branches)
        inverse_near(KR240, T, HOME, lower, upper, True, q)
        best = math.inf
        for row in branches[~np.isnan(branches[:, 0])]:
            options = row[:, None] + turns  # (6, 5)
            ok = (options >= lower[:, None]) & (options <= upper[:, None])
            cost = np.where(ok, (options - HOME[:, None]) ** 2, math.inf).min(axis=1).sum()
            best = min(best, float(cost))
        assert float(((q - HOME) ** 2).sum()) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("a4_deg", [0.0, 37.0, -200.0, 3600.0 + 11.0])
def test_exactly_in_the_wrist_singularity_a4_is_held(a4_deg: float) -> None:
    """A5 = 0: only A4 + A6 counts. A4 stays, A6 takes the turn, and it does so continuously."""
    reference = HOME.copy()
    reference[3], reference[5] = a4_deg * DEG, 20 * DEG
    for extra in np.linspace(0.0, 5 * TURN, 400):
        target = reference.copy()
        target[5] = 20 * DEG + extra
        q = solve(forward(KR240, target), reference)
        assert q[3] == pytest.approx(a4_deg * DEG, abs=1e-12)
        np.testing.assert_allclose(q, target, atol=1e-8)
        reference = q


@pytest.mark.parametrize("a5", [10.0**-k for k in range(3, 17)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_near_the_wrist_singularity_the_attitude_stays_exact(a5: float, sign: int) -> None:
    rng = np.random.default_rng(24)
    for _ in range(200):
        target = BENT + rng.uniform(-0.3, 0.3, 6)
        target[3], target[4], target[5] = rng.uniform(-3, 3), sign * a5, rng.uniform(-3, 3)
        T = forward(KR240, target)
        back = forward(KR240, solve(T, BENT))
        assert angle_between(T, back) < 1e-9
        assert np.abs(back[:3, 3] - T[:3, 3]).max() < 1e-9


def test_straight_through_the_wrist_singularity() -> None:
    """A5 from +40 to -40 deg at fixed A4: passing zero changes neither A4 nor the sense of A6."""
    path = ramp(4, -BENT[4], 2001)
    assert (np.abs(path[:, 4]) < 1e-12).any()
    found = np.empty_like(path)
    follow(KR240, path, -FREE, FREE, found)
    np.testing.assert_allclose(found, path, atol=1e-8)


@pytest.mark.parametrize("lengths", [KR100, KR240])
@pytest.mark.parametrize("excess", [1e-9, 1e-3, 0.1, 2.0])
def test_distance_beyond_the_stretched_arm(lengths: Array, excess: float) -> None:
    """Arm stretched forward and level: axis 2 stands at (a1, d1), the wrist centre a2 + |(d4, a3)| ahead of it, the
    flange another d6. The pose is asked for ``excess`` further out."""
    a1, d1, a2, a3, d4, d6 = lengths
    T = np.array([[0, 0, 1, a1 + a2 + math.hypot(d4, a3) + d6 + excess], [0, 1, 0, 0], [-1, 0, 0, d1], [0, 0, 0, 1.0]])
    q = np.full(6, 77.0)
    assert inverse_near(lengths, T, HOME, -FREE, FREE, False, q) == pytest.approx(excess, abs=1e-15)
    assert (q == 77.0).all()  # nothing is made up
    T[0, 3] -= 2 * excess
    assert inverse_near(lengths, T, HOME, -FREE, FREE, False, q) < 0.0


def test_distance_beyond_in_numbers() -> None:
    """KR 240-2: 0.35 + 1.25 + sqrt(1.1² + 0.055²) = 2.7013741… m to the wrist centre (robots.yaml reach_check 2.7014)."""
    T = np.array([[0, 0, 1, 2.7013741 + 0.23 + 0.1], [0, 1, 0, 0], [-1, 0, 0, 0.75], [0, 0, 0, 1.0]])
    branches = np.empty((8, 6))
    assert inverse(KR240, T, 0.0, branches) == pytest.approx(0.1, abs=1e-7)
    assert np.isnan(branches).all()


def test_too_near_to_the_shoulder_is_out_of_reach_too() -> None:
    """Folded, the wrist centre cannot come nearer to axis 2 than a2 - |(d4, a3)| = 1.25 - 1.101374 = 148.6 mm."""
    a1, d1, a2, a3, d4, d6 = KR240
    hole = a2 - math.hypot(d4, a3)
    T = np.array([[0, 0, 1, a1 + d6 + hole - 0.05], [0, 1, 0, 0], [-1, 0, 0, d1], [0, 0, 0, 1.0]])
    q = np.full(6, 77.0)
    # Reaching backwards the wrist centre is further from axis 2 (2 * 0.35 away from it), so that shoulder can do it.
    assert inverse_near(KR240, T, HOME, -FREE, FREE, False, q) < 0.0
    branches = np.empty((8, 6))
    inverse(KR240, T, 0.0, branches)
    assert np.isnan(branches[:4]).all()
    assert not np.isnan(branches[4:]).any()


@pytest.mark.parametrize("share", [0.1, 0.4, 0.55, 0.7, 0.9, 0.99, 1.0, 1.01])
def test_at_the_very_edge_of_reach_an_answer_is_filled_in_or_refused(share: float) -> None:
    """Within REACH_ROUNDING of the edge: never a "found" that leaves the axes as they were."""
    a1, d1, a2, a3, d4, d6 = KR240
    edge = a1 + a2 + math.hypot(d4, a3) + d6
    q = np.empty(6)
    for step in np.linspace(-0.05, 0.05, 21):
        T = np.array([[0, 0, 1, edge + (share + step) * 1e-12], [0, 1, 0, 0], [-1, 0, 0, d1], [0, 0, 0, 1.0]])
        q[:] = 77.0
        beyond = inverse_near(KR240, T, HOME, -FREE, FREE, False, q)
        assert not (beyond <= 1e-12 and (q == 77.0).any()), (
            f"{beyond:.3e} m beyond reach: taken as found, no axes given"
        )


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize(
    ("column", "bad"), [(0, math.nan), (1, math.nan), (2, math.nan), (3, math.nan), (3, math.inf), (3, -math.inf)]
)
def test_what_is_not_a_number_is_never_found(row: int, column: int, bad: float) -> None:
    """Refused by the distance, or the axes themselves are not numbers; never "found" with the axes left as they were."""
    T = forward(KR240, BENT)
    T[row, column] = bad
    q = np.full(6, 77.0)
    beyond = inverse_near(KR240, T, BENT, -FREE, FREE, False, q)
    assert not beyond <= 1e-12 or not np.isfinite(q).all()


def test_margins_by_hand() -> None:
    # Home: A5 = 0. Elbow: A3 = 90 deg and the forearm's axis is tilted by atan2(0.055, 1.1) = 2.8624 deg against the
    # line elbow - wrist: 92.8624 deg from stretched, i.e. 87.1376 deg from folded. Wrist centre: 0.35 + 1.1 from axis 1.
    wrist, elbow, shoulder = singularity_margins(KR240, HOME)
    assert wrist == pytest.approx(0.0, abs=1e-15)
    assert elbow == pytest.approx(87.1376 * DEG, abs=1e-6)
    assert shoulder == pytest.approx(1.45, abs=1e-12)

    # All zero: stretched but for the tilt; wrist centre at 0.35 + 1.25 + 1.1.
    wrist, elbow, shoulder = singularity_margins(KR240, np.radians([33.0, 0.0, 0.0, 5.0, -50.0, 7.0]))
    assert wrist == pytest.approx(50.0 * DEG, abs=1e-12)
    assert elbow == pytest.approx(2.8624 * DEG, abs=1e-6)
    assert shoulder == pytest.approx(2.70, abs=1e-12)

    # Upper arm up, forearm up as well (A2 = -90, A3 = 0): the wrist centre is 0.35 + 0.055 in front of axis 1, as the
    # forearm's offset of -55 mm, along base z at zero pose, now points along +x.
    _, _, shoulder = singularity_margins(KR240, np.radians([0.0, -90.0, 0.0, 0.0, 30.0, 0.0]))
    assert shoulder == pytest.approx(0.405, abs=1e-12)

    # Exactly stretched, and A5 beyond a right angle (125 deg is 55 deg from the next singularity at 180).
    wrist, elbow, _ = singularity_margins(KR240, np.array([0.0, 0.0, math.atan2(-0.055, 1.1), 0.0, 125 * DEG, 0.0]))
    assert elbow == pytest.approx(0.0, abs=1e-15)
    assert wrist == pytest.approx(55 * DEG, abs=1e-12)


def test_the_wrist_is_above_axis_1_where_the_margin_says_so() -> None:
    """The margin is the radius of the wrist centre, taken from the forward kinematics."""
    rng = np.random.default_rng(25)
    for q in rng.uniform(-3, 3, (500, 6)):
        T = forward(KR240, q)
        wrist_centre = T[:3, 3] - KR240[5] * T[:3, 2]
        assert singularity_margins(KR240, q)[2] == pytest.approx(
            math.hypot(wrist_centre[0], wrist_centre[1]), abs=1e-12
        )
