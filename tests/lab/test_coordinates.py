"""The four coordinate systems against poses worked out on paper, and the way round through all of them.

The numbers that the working uses (robots.yaml, paper section 2.2.3 and Figure 24; metres):

* robot 1 (KR 100 HA): a1 0.35, d1 0.75, a2 1.25, a3 -0.055, d4 1.0, d6 0.21; robot 2 (KR 240-2): d4 1.1, d6 0.23.
* base 1 stands at lab (rail, 0, -1.5) and looks along -x (its x is -X, its y is -Y); base 2 at (0, 1.5, -1.5), parallel
  to the lab. Capitals are lab axes.
* At home [0, -90, 90, 0, 0, 0] the upper arm stands upright and the forearm is level, so the wrist centre is a1 + d4
  ahead and d1 + a2 + a3 = 1.945 up; the flange is d6 further ahead. Flange z looks ahead (base x), flange x hangs down
  (base -z), flange y is base y.
* A1 counts about -z: A1 = +90 deg turns the arm from base x to base -y.
* Tool of Figure 24, robot 1: 140 mm along flange y, 50 mm along flange z; R = Ry(90) Rx(-90), whose columns are
  x = Ry(90) e_x = -e_z, y = Ry(90)(-e_z) = -e_x, z = Ry(90) e_y = e_y: port x = -flange z, y = -flange x, z = flange y.
* Robot 2: 480 mm along flange z; R = Ry(-90) Rx(-90): port x = flange z, y = flange x, z = flange y.
"""

import io
import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.core.vocabulary import System
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import (
    NOT_FINITE,
    NOT_UNIT,
    OK,
    POV_AT_LAB,
    UNKNOWN_SYSTEM,
    UNREACHABLE1,
    UNREACHABLE2,
    axes_from_values,
    check_values,
    flange_poses,
    port_poses,
    values_from_axes,
)
from proxops.lab.trajectory import Trajectory, axes_of, convert, parse_trajectory, write_trajectory
from proxops.maths.rotation import angle_between

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)
S = math.sqrt(0.5)
C30 = math.cos(math.radians(30.0))


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@dataclass(frozen=True)
class Case:
    """A posture and what it means: positions in the lab and the three axes of each flange and port."""

    name: str
    rail: float
    robot1_deg: tuple[float, ...]
    robot2_deg: tuple[float, ...]
    flange1: tuple[tuple[float, ...], Array, Array, Array]
    flange2: tuple[tuple[float, ...], Array, Array, Array]
    port1: tuple[tuple[float, ...], Array, Array, Array]
    port2: tuple[tuple[float, ...], Array, Array, Array]
    data_lin: float  # x of flange 1 in base 1
    glc_deg: tuple[tuple[float, ...], tuple[float, ...]]  # A B C of both ports

    @property
    def q(self) -> Array:
        return np.array([self.rail, *np.radians(self.robot1_deg), *np.radians(self.robot2_deg)])

    @property
    def nearby(self) -> Array:
        """A reference to solve from: a little off everywhere but in A4, which is held where A5 = 0."""
        off = np.full(13, 0.01)
        off[[4, 10]] = 0.0
        return self.q + off


HOME = (0.0, -90.0, 90.0, 0.0, 0.0, 0.0)
CASES = [
    # Robot 1: 0.35 + 1.0 + 0.21 = 1.56 ahead of its base, i.e. towards -X: 6 - 1.56 = 4.44; -1.5 + 1.945 = 0.445 up.
    # Flange z = base x = -X, flange x = -Z, flange y = base y = -Y. Port: 0.14 (-Y) + 0.05 (-X) further.
    # Port axes: x = -flange z = X, y = -flange x = Z, z = flange y = -Y: a quarter turn about X, so C = +90.
    # Robot 2: 0.35 + 1.1 + 0.23 = 1.68 ahead. Port 0.48 further along X; axes X, -Z, Y: C = -90.
    Case(
        "home", 6.0, HOME, HOME,
        ((4.44, 0.0, 0.445), -Z, -Y, -X), ((1.68, 1.5, 0.445), -Z, Y, X),
        ((4.39, -0.14, 0.445), X, Z, -Y), ((2.16, 1.5, 0.445), X, -Z, Y),
        1.56, ((0.0, 0.0, 90.0), (0.0, 0.0, -90.0)),
    ),
    # Robot 1 with A1 = +90: the arm points to base -y = +Y. Flange z = Y, flange x = -Z, flange y = base x = -X (the
    # turn by -90 about z takes y to x). It stands 0 ahead of its base: data lin 0. Port: 0.14 (-X) + 0.05 Y.
    # Port axes: x = -Y, y = Z, z = -X: Rz(-90) Rx(90).
    # Robot 2 with A1 = -90: the arm points to +y = Y: 1.5 + 1.68 = 3.18. Port axes Y, -Z, -X: Rz(90) Rx(-90).
    Case(
        "A1 = ±90", 10.0, (90.0, *HOME[1:]), (-90.0, *HOME[1:]),
        ((10.0, 1.56, 0.445), -Z, -X, Y), ((0.0, 3.18, 0.445), -Z, -X, Y),
        ((9.86, 1.61, 0.445), -Y, Z, -X), ((0.0, 3.66, 0.445), Y, -Z, -X),
        0.0, ((-90.0, 0.0, 90.0), (90.0, 0.0, -90.0)),
    ),
    # Robot 1 with A5 = -30: the hand looks up by 30 deg. Flange z = (cos 30 base x + sin 30 z); flange x = z turned on by
    # the same: (sin 30 base x - cos 30 z); wrist centre 1.35 ahead. Base x = -X.
    # Robot 2 with A4 = +90, A5 = +90. Forearm along X. A5 alone would point the hand down (-Z); A4 turns about -x, which
    # takes -Z to -Y (right hand about -X: Z to Y). So flange z = -Y, wrist centre (1.45, 1.5, 0.445), flange at y 1.27.
    # Flange x at A4 = 0, A5 = 90 is backwards (-X): on the axis of A4, so it stays. Flange y = z x x = (-Y) x (-X) = -Z.
    # Port 2: x = -Y, y = -X, z = -Z, 0.48 further along -Y: a half turn about (Y - X): A = -90, then x'' by 180 deg
    # (Rz(-90): x = -Y, y = X, z = Z; half a turn about x: y = -X, z = -Z).
    Case(
        "wrists bent", 2.0, (0.0, -90.0, 90.0, 0.0, -30.0, 0.0), (0.0, -90.0, 90.0, 90.0, 90.0, 0.0),
        ((2.0 - 1.35 - 0.21 * C30, 0.0, 0.445 + 0.105), -0.5 * X - C30 * Z, -Y, -C30 * X + 0.5 * Z),
        ((1.45, 1.27, 0.445), -X, -Z, -Y),
        ((2.0 - 1.35 - 0.26 * C30, -0.14, 0.445 + 0.13), C30 * X - 0.5 * Z, 0.5 * X + C30 * Z, -Y),
        ((1.45, 0.79, 0.445), -Y, -X, -Z),
        1.35 + 0.21 * C30, ((0.0, 30.0, 90.0), (-90.0, 0.0, 180.0)),
    ),
    # Both arms lowered: A2 = 0 lays the upper arm level, A3 = 90 hangs the forearm, A5 = -90 brings the hand level again.
    # Elbow 0.35 + 1.25 ahead at height 0.75. Forearm axis points down, its offset a3 = -0.055 along the link's z, which
    # after 90 deg about y points ahead (+x): -0.055. Wrist centre 1.545 ahead, 0.75 - 1.0 = -0.25 (robot 2: -0.35).
    # Hand level: R = Ry(0 + 90 - 90), as at home. A6 = +90 turns about base -x: flange x goes from -z to (-x) x (-z) = -y,
    # flange y from y to (-x) x y = -z (base axes).
    # Robot 1: base -y = +Y, so flange x = Y, flange y = -Z, flange z = -X. Port 1: 0.14 (-Z) + 0.05 (-X) further;
    # x = X, y = -flange x = -Y, z = flange y = -Z: C = 180. Robot 2: flange x = -Y, y = -Z, z = X; port x = X, y = -Y,
    # z = -Z: C = 180 as well.
    Case(
        "low, A6 = 90", 20.0, (0.0, 0.0, 90.0, 0.0, -90.0, 90.0), (0.0, 0.0, 90.0, 0.0, -90.0, 90.0),
        ((20.0 - 1.545 - 0.21, 0.0, -1.75), Y, -Z, -X), ((1.545 + 0.23, 1.5, -1.85), -Y, -Z, X),
        ((20.0 - 1.545 - 0.26, 0.0, -1.89), X, -Y, -Z), ((1.545 + 0.71, 1.5, -1.85), X, -Y, -Z),
        1.755, ((0.0, 0.0, 180.0), (0.0, 0.0, 180.0)),
    ),
]  # fmt: skip
cases = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def matrix(described: tuple[tuple[float, ...], Array, Array, Array]) -> Array:
    position, x, y, z = described
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3] = x, y, z, position
    return T


def abc(values: Array) -> Array:
    """Rotation of A, B, C in degrees by scipy."""
    R: Array = Rotation.from_euler("ZYX", values, degrees=True).as_matrix()
    return R


def values(cell: Cell, system: System, q: Array, pov: Array = POV_AT_LAB) -> Array:
    v = np.full(22, np.nan)
    values_from_axes(cell.hall, int(system), q, pov, v)
    return v


def solved(cell: Cell, system: System, v: Array, reference: Array) -> Array:
    q = np.full(13, np.nan)
    code, beyond = axes_from_values(cell.hall, int(system), v, reference, False, q)
    assert code == OK, beyond
    return q


@cases
def test_flanges_and_ports_in_the_lab(cell: Cell, case: Case) -> None:
    for found, worked in zip(
        (*flange_poses(cell.hall, case.q), *port_poses(cell.hall, case.q)),
        (case.flange1, case.flange2, case.port1, case.port2),
        strict=True,
    ):
        np.testing.assert_allclose(found, matrix(worked), atol=1e-14)


@cases
def test_ijt(cell: Cell, case: Case) -> None:
    worked = np.zeros(22)
    worked[0:6], worked[7:13], worked[21] = case.robot1_deg, case.robot2_deg, case.rail * 1000.0
    np.testing.assert_allclose(values(cell, System.IJT, case.q), worked, atol=1e-11)
    np.testing.assert_allclose(solved(cell, System.IJT, worked, np.zeros(13)), case.q, atol=1e-15)


@cases
def test_idc(cell: Cell, case: Case) -> None:
    """Flange in its own base, mm and deg: the working above read in base axes; data lin is the rail in mm."""
    v = values(cell, System.IDC, case.q)
    T_lab_base1, T_lab_base2 = matrix(((case.rail, 0, -1.5), -X, -Y, Z)), matrix(((0, 1.5, -1.5), X, Y, Z))
    for part, T_lab_base, flange in ((v[0:7], T_lab_base1, case.flange1), (v[7:14], T_lab_base2, case.flange2)):
        worked = np.linalg.inv(T_lab_base) @ matrix(flange)
        np.testing.assert_allclose(part[:3], 1000.0 * worked[:3, 3], atol=1e-11)
        np.testing.assert_allclose(abc(part[3:6]), worked[:3, :3], atol=1e-14)
        assert part[6] == 0.0
    np.testing.assert_array_equal(v[14:21], 0.0)
    assert v[21] == pytest.approx(case.rail * 1000.0)
    np.testing.assert_allclose(solved(cell, System.IDC, v, case.nearby), case.q, atol=1e-8)


def test_idc_in_plain_numbers(cell: Cell) -> None:
    """Away from the gimbal lock the angles themselves are known: robot 1, A1 = 90, A5 = -30.
    R = Rz(-90) Ry(-30) Ry(90) = Rz(-90) Ry(60): A -90, B 60, C 0; 1350 + 210 cos 30 mm to base -y, 1945 + 105 mm up."""
    case = CASES[2]
    q = case.q
    q[1] = math.pi / 2
    np.testing.assert_allclose(
        values(cell, System.IDC, q)[:7], (0.0, -(1350.0 + 210.0 * C30), 2050.0, -90.0, 60.0, 0.0, 0.0), atol=1e-10
    )


@cases
def test_glc(cell: Cell, case: Case) -> None:
    worked = np.zeros(22)
    worked[0:3], worked[3:6] = case.port1[0], case.glc_deg[0]
    worked[7:10], worked[10:13] = case.port2[0], case.glc_deg[1]
    worked[21] = case.data_lin
    np.testing.assert_allclose(abc(worked[3:6]), matrix(case.port1)[:3, :3], atol=1e-15)  # the paper agrees with itself
    np.testing.assert_allclose(abc(worked[10:13]), matrix(case.port2)[:3, :3], atol=1e-15)
    v = values(cell, System.GLC, case.q)
    off = v - worked
    for start in (3, 10):  # ±180 is the same angle
        off[start : start + 3] = (off[start : start + 3] + 180.0) % 360.0 - 180.0
    np.testing.assert_allclose(off, 0.0, atol=1e-12)
    np.testing.assert_allclose(solved(cell, System.GLC, worked, case.nearby), case.q, atol=1e-7)


@cases
def test_data_lin_shares_the_way_between_rail_and_arm(cell: Cell, case: Case) -> None:
    """rail = x of flange 1 in the lab + data lin. Less data lin: the rail takes it, the port stays."""
    v = values(cell, System.GLC, case.q)
    assert case.rail == pytest.approx(case.flange1[0][0] + v[21], abs=1e-12)
    if case.data_lin > 0.5:
        v[21] -= 0.125
        q = solved(cell, System.GLC, v, case.nearby)
        assert q[0] == pytest.approx(case.rail - 0.125, abs=1e-12)
        T_lab_port1, _ = port_poses(cell.hall, q)
        np.testing.assert_allclose(T_lab_port1, matrix(case.port1), atol=1e-10)


def test_clw_from_the_lab_origin(cell: Cell) -> None:
    """Home: port 1 turned by +90 about X, port 2 by -90: quaternions (±sqrt(1/2), 0, 0) with the scalar LAST."""
    worked = [4.39, -0.14, 0.445, S, 0, 0, S, 2.16, 1.5, 0.445, -S, 0, 0, S, 0, 0, 0, 0, 0, 0, 1, 1.56]
    case = CASES[0]
    np.testing.assert_allclose(values(cell, System.CLW, case.q), worked, atol=1e-14)
    np.testing.assert_allclose(solved(cell, System.CLW, np.array(worked), case.q), case.q, atol=1e-7)


def test_clw_from_a_point_of_view_that_is_moved_and_turned(cell: Cell) -> None:
    """Point of view at (1, 2, 0.5), yawed by +90: its x is Y, its y is -X.

    Port 1 - pov = (3.39, -2.14, -0.055); seen along (Y, -X, Z): (-2.14, -3.39, -0.055). Attitude Rz(-90) Rx(90):
    (0, 0, -S; S) * (S, 0, 0; S) = vector S(S,0,0) + S(0,0,-S) + (0,0,-S) x (S,0,0) = (1/2, -1/2, -1/2), scalar 1/2.
    Port 2 - pov = (1.16, -0.5, -0.055): (-0.5, -1.16, -0.055). Rz(-90) Rx(-90): (-1/2, 1/2, -1/2), scalar 1/2."""
    pov = np.array([1.0, 2.0, 0.5, 0.0, 0.0, S, S])
    worked = [-2.14, -3.39, -0.055, 0.5, -0.5, -0.5, 0.5, -0.5, -1.16, -0.055, -0.5, 0.5, -0.5, 0.5, *pov, 1.56]
    case = CASES[0]
    np.testing.assert_allclose(values(cell, System.CLW, case.q, pov), worked, atol=1e-14)
    np.testing.assert_allclose(solved(cell, System.CLW, np.array(worked), case.q), case.q, atol=1e-7)


def test_clw_takes_either_sign_of_a_quaternion(cell: Cell) -> None:
    case = CASES[2]
    v = values(cell, System.CLW, case.q, np.array([0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5]))
    q = solved(cell, System.CLW, v, case.nearby)
    for start in (3, 10, 17):
        flipped = v.copy()
        flipped[start : start + 4] *= -1.0
        np.testing.assert_allclose(solved(cell, System.CLW, flipped, case.nearby), q, atol=1e-12)


@pytest.mark.parametrize("system", [System.IJT, System.IDC, System.GLC])
def test_unused_columns_are_unused(cell: Cell, system: System) -> None:
    """The 7th of each robot and the whole point of view are "not used" outside CLW, whatever stands there."""
    case = CASES[2]
    v = values(cell, system, case.q)
    assert (v[[6, 13, *range(14, 21)]] == 0.0).all()
    noisy = v.copy()
    noisy[[6, 13, *range(14, 21)]] = 7.7
    assert check_values(int(system), noisy)[0] == OK
    np.testing.assert_array_equal(solved(cell, system, noisy, case.q), solved(cell, system, v, case.q))


# --- out of reach and not understood ---


def test_out_of_reach_names_robot_and_distance(cell: Cell) -> None:
    """At home lift port 2 until the stretched arm is 100 mm short. Wrist centre of robot 2 at (x, z) from axis 2: at home
    (1.1, 1.195); reach 1.25 + sqrt(1.1² + 0.055²) = 2.351374."""
    v = values(cell, System.GLC, CASES[0].q)
    reach = 1.25 + math.hypot(1.1, 0.055)
    v[9] += math.sqrt((reach + 0.1) ** 2 - 1.1**2) - 1.195
    q = np.empty(13)
    code, beyond = axes_from_values(cell.hall, int(System.GLC), v, CASES[0].q, False, q)
    assert code == UNREACHABLE2
    assert beyond == pytest.approx(0.1, abs=1e-12)
    v = values(cell, System.GLC, CASES[0].q)
    v[2] += math.sqrt((1.25 + math.hypot(1.0, 0.055) + 0.02) ** 2 - 1.0) - 1.195
    code, beyond = axes_from_values(cell.hall, int(System.GLC), v, CASES[0].q, False, q)
    assert code == UNREACHABLE1
    assert beyond == pytest.approx(0.02, abs=1e-12)


@pytest.mark.parametrize("system", list(System))
@pytest.mark.parametrize("column", range(22))
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_every_column_must_be_finite(cell: Cell, system: System, column: int, bad: float) -> None:
    v = values(cell, system, CASES[0].q)
    v[column] = bad
    code, index, value = check_values(int(system), v)
    assert (code, index) == (NOT_FINITE, column)
    assert value == bad or math.isnan(bad)


@pytest.mark.parametrize("start", [3, 10, 17])
def test_quaternions_must_be_of_unit_length_beyond_rounding(cell: Cell, start: int) -> None:
    good = values(cell, System.CLW, CASES[0].q)
    for scale, code in ((1 + 9e-7, OK), (1 - 9e-7, OK), (1 + 2e-6, NOT_UNIT), (1 - 2e-6, NOT_UNIT), (0.0, NOT_UNIT)):
        v = good.copy()
        v[start : start + 4] *= scale
        found, index, norm = check_values(int(System.CLW), v)
        assert found == code
        if code == NOT_UNIT:
            assert index == start
            assert norm == pytest.approx(scale, abs=1e-12)


@pytest.mark.parametrize("system", [-1, 0, 5, 15, 16385])
def test_other_systems_are_unknown(cell: Cell, system: int) -> None:
    assert check_values(system, np.zeros(22))[0] == UNKNOWN_SYSTEM


# --- the way round ---

POSTURES = {
    "home, hands bent": [6, 0, -90, 90, 0, 40, 0, 0, -90, 90, 0, -40, 0],
    "far end, low": [21, 30, -60, 70, -50, -60, 100, -40, -100, 110, 120, 50, -200],
    "turned round": [12, -170, -100, 60, 300, 80, -320, 160, -70, 120, 90, 90, 45],
    "elbow the other way": [15, 10, -20, -60, 20, 70, 10, 60, -30, -70, 10, -60, 20],
}


def smooth(posture: list[float], seed: int, lines: int = 400) -> Array:
    """A smooth motion of all thirteen axes around a posture, away from singularities; endless axes go round."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 1.0, lines)
    centre = np.array([posture[0], *np.radians(posture[1:])])
    swing = np.array([2.0, *[0.3, 0.2, 0.2, 0.4, 0.3, 0.4] * 2])
    q = np.tile(centre, (lines, 1))
    for axis in range(13):
        q[:, axis] += swing[axis] * np.sin(2 * math.pi * (rng.uniform(0.5, 2.0) * t)) * rng.uniform(0.5, 1.0)
    q[:, 10] += 3 * 2 * math.pi * t  # robot 2 A4 and A6: endless
    q[:, 12] -= 4 * 2 * math.pi * t
    return q


def ijt(q: Array) -> Trajectory:
    v = np.zeros((len(q), 22))
    v[:, 0:6], v[:, 7:13], v[:, 21] = np.degrees(q[:, 1:7]), np.degrees(q[:, 7:13]), q[:, 0] * 1000.0
    return Trajectory(np.full(len(q), System.IJT, np.int16), v, "made up")


def through_text(trajectory: Trajectory) -> Trajectory:
    file = io.StringIO()
    write_trajectory(trajectory, file)
    return parse_trajectory(file.getvalue(), "text")


def same_poses(cell: Cell, q1: Array, q2: Array, metres: float = 1e-9, radians: float = 1e-9) -> None:
    np.testing.assert_allclose(q1[:, 0], q2[:, 0], atol=metres)
    for row1, row2 in zip(q1, q2, strict=True):
        for T1, T2 in zip(port_poses(cell.hall, row1), port_poses(cell.hall, row2), strict=True):
            assert np.abs(T1[:3, 3] - T2[:3, 3]).max() < metres
            assert angle_between(T1, T2) < radians


@pytest.mark.parametrize("posture", POSTURES.values(), ids=POSTURES)
@pytest.mark.parametrize("order", [(4, 2, 1, 3), (1, 2, 4, 3), (2, 1, 4, 2, 3), (1, 4, 1, 2, 3)])
def test_round_trip_through_all_systems_and_text(cell: Cell, posture: list[float], order: tuple[int, ...]) -> None:
    q = smooth(posture, seed=sum(order))
    pov = np.array([5.0, -1.0, 0.7, *Rotation.from_euler("ZYX", [1.0, -0.5, 2.0]).as_quat()])
    trajectory = through_text(ijt(q))
    for number in order:
        to = System(number)
        trajectory = through_text(convert(cell, trajectory, to, pov if to is System.CLW else None, q[0]))
        assert (trajectory.systems == number).all()
    back = axes_of(cell, trajectory, q[0])
    np.testing.assert_allclose(back, q, atol=1e-9, rtol=0.0)
    same_poses(cell, back, q)


def test_round_trip_through_wrist_singularity_and_gimbal_lock(cell: Cell) -> None:
    """Home is both (A5 = 0, IDC's B = 90). A5 swings through zero: axes 4 and 6 may share their sum as they like, the
    ports come back all the same."""
    q = np.tile(CASES[0].q, (401, 1))
    swing = np.sin(np.linspace(-math.pi, math.pi, 401))
    q[:, 5], q[:, 11], q[:, 0] = 0.3 * swing, -0.3 * swing, 6.0 + swing
    trajectory = ijt(q)
    for to in (System.IDC, System.GLC, System.CLW, System.IDC, System.CLW, System.IJT):
        trajectory = through_text(convert(cell, trajectory, to))
        same_poses(cell, axes_of(cell, trajectory), q)


def test_posture_nearest_to_home_unless_given(cell: Cell) -> None:
    """Poses do not tell the posture: from home the near one is found, from the given one the far one comes back."""
    q = smooth(POSTURES["turned round"], seed=3, lines=50)
    glc = convert(cell, ijt(q), System.GLC, posture=q[0])
    np.testing.assert_allclose(axes_of(cell, glc, q[0]), q, atol=1e-9)
    from_home = axes_of(cell, glc)
    same_poses(cell, from_home, q)
    assert np.abs(from_home[0] - q[0]).max() > 1.0
    assert ((from_home[0] - cell.home) ** 2).sum() < ((q[0] - cell.home) ** 2).sum()


def test_mixed_systems_in_one_file(cell: Cell) -> None:
    """Every line may use another system; the motion stays the same and continuous."""
    q = smooth(POSTURES["home, hands bent"], seed=5)
    pov = np.array([1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5])
    each = {s: convert(cell, ijt(q), s, pov, q[0]) for s in System}
    rng = np.random.default_rng(6)
    systems = rng.integers(1, 5, len(q)).astype(np.int16)
    assert set(systems.tolist()) == {1, 2, 3, 4}
    lines = np.array([each[System(int(s))].values[k] for k, s in enumerate(systems)])
    mixed = through_text(Trajectory(systems, lines, "mixed"))
    np.testing.assert_array_equal(mixed.systems, systems)
    np.testing.assert_allclose(axes_of(cell, mixed, q[0]), q, atol=1e-9)
    for to in System:
        same_poses(cell, axes_of(cell, convert(cell, mixed, to, posture=q[0]), q[0]), q)


def test_the_point_of_view_comes_from_the_option_or_the_input_or_the_lab(cell: Cell) -> None:
    q = smooth(POSTURES["home, hands bent"], seed=7, lines=20)
    one, other = np.array([1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5]), np.array([0.0, 1.0, 0.0, 0.0, 0.0, S, S])
    no_view = convert(cell, ijt(q), System.CLW, posture=q[0])
    np.testing.assert_array_equal(no_view.values[:, 14:21], np.tile([0, 0, 0, 0, 0, 0, 1], (20, 1)))
    first = convert(cell, no_view, System.CLW, one, q[0])
    np.testing.assert_array_equal(first.values[:, 14:21], np.tile(one, (20, 1)))
    kept = convert(cell, first, System.CLW, posture=q[0])
    np.testing.assert_array_equal(kept.values[:, 14:21], first.values[:, 14:21])
    replaced = convert(cell, first, System.CLW, other, q[0])
    np.testing.assert_array_equal(replaced.values[:, 14:21], np.tile(other, (20, 1)))
    for trajectory in (first, kept, replaced):
        np.testing.assert_allclose(axes_of(cell, trajectory, q[0]), q, atol=1e-9)


def test_a_moving_point_of_view_is_kept_line_by_line(cell: Cell) -> None:
    q = smooth(POSTURES["home, hands bent"], seed=8, lines=20)
    clw = convert(cell, ijt(q), System.CLW, posture=q[0])
    views = np.tile(POV_AT_LAB, (20, 1))
    views[:, 0] = np.linspace(0, 5, 20)
    for k in range(20):
        values_from_axes(cell.hall, 1, q[k], views[k], clw.values[k])
    same = convert(cell, clw, System.CLW, posture=q[0])
    np.testing.assert_array_equal(same.values[:, 14:21], views)
    np.testing.assert_allclose(same.values, clw.values, atol=1e-9)
