"""A path through way-points: it meets them, is smooth to the second derivative, reproduces what it can, refuses nonsense."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from proxops.core.earth import MU_M3_S2 as MU
from proxops.core.errors import BadInput
from proxops.core.orbit_table import PathOrbit
from proxops.space.ephemeris import ephemeris_acceleration, ephemeris_at
from proxops.space.kepler import propagate, state_from_elements
from proxops.space.way_points import way_point_table

Array = NDArray[np.float64]


def path(t: Array, p: Array, v: Array | None = None, given: tuple[int, ...] = ()) -> PathOrbit:
    """Metres in; ``given``: points that get their velocity."""
    points = [
        {"t_s": float(t[k]), "position_km": tuple(1e-3 * p[k])}
        | ({"velocity_km_s": tuple(1e-3 * v[k])} if v is not None and k in given else {})
        for k in range(t.size)
    ]
    return PathOrbit.model_validate({"kind": "path", "epoch": "2026-11-16T12:00:00Z", "point": points})


def orbit(t: Array) -> tuple[Array, Array]:
    p0, v0 = np.empty(3), np.empty(3)
    state_from_elements(7.2e6, 0.05, 1.0, 2.0, 3.0, 0.5, MU, p0, v0)
    p, v = np.empty((t.size, 3)), np.empty((t.size, 3))
    for k, moment in enumerate(t.tolist()):
        propagate(p0, v0, moment, MU, p[k], v[k])
    return p, v


def at(table: Array, t: float) -> tuple[Array, Array, Array]:
    p, v, a = np.empty(3), np.empty(3), np.empty(3)
    ephemeris_at(table, t, p, v)
    ephemeris_acceleration(table, t, a)
    return p, v, a


UNEVEN = np.array([0.0, 30.0, 75.0, 80.0, 160.0, 300.0, 320.0, 400.0])


@pytest.mark.parametrize("given", [(), (0, 7), (3,), (0, 1, 2, 3, 4, 5, 6, 7), (2, 5)])
def test_it_meets_the_points_and_is_smooth_to_the_second_derivative(given: tuple[int, ...]) -> None:
    p, v = orbit(UNEVEN)
    table = way_point_table(path(UNEVEN, p, v, given))
    for k, t in enumerate(UNEVEN.tolist()):
        before, after = at(table, math.nextafter(t, -1.0)), at(table, math.nextafter(t, 1e9))
        for left, right, size in zip(before, after, (1e-8, 1e-9, 1e-8), strict=True):
            np.testing.assert_allclose(left, right, rtol=0.0, atol=size)  # rounding of 7,000 km, over seconds
        np.testing.assert_allclose(after[0], p[k], rtol=0.0, atol=1e-8)
        if k in given:
            np.testing.assert_allclose(after[1], v[k], rtol=0.0, atol=1e-9)


def test_without_velocities_it_is_the_natural_quintic_spline() -> None:
    """SciPy's spline of degree 5 with third and fourth derivatives zero at the ends is the same minimum, found another way."""
    p, _ = orbit(UNEVEN)
    table = way_point_table(path(UNEVEN, p))
    zero = [(3, np.zeros(3)), (4, np.zeros(3))]
    theirs = make_interp_spline(UNEVEN, p, k=5, bc_type=(zero, zero))
    for t in np.linspace(0.0, 400.0, 201).tolist():
        # Rounding of both systems of equations.
        np.testing.assert_allclose(at(table, t)[0], theirs(t), rtol=0.0, atol=1e-6)
        np.testing.assert_allclose(at(table, t)[1], theirs(t, 1), rtol=0.0, atol=1e-7)


def test_a_parabola_comes_back() -> None:
    """No jerk at all, so it is the smoothest path through its own points, whichever velocities are given."""
    t = np.array([0.0, 10.0, 50.0, 70.0])
    p0, v0, a0 = np.array([7e6, 0.0, 1e5]), np.array([10.0, 7500.0, -20.0]), np.array([-8.0, 0.5, 1.0])
    p = p0 + np.outer(t, v0) + 0.5 * np.outer(t * t, a0)
    v = v0 + np.outer(t, a0)
    for given in ((), (1,), (0, 3)):
        table = way_point_table(path(t, p, v, given))
        for moment in (5.0, 33.0, 69.0):
            found = at(table, moment)
            np.testing.assert_allclose(found[0], p0 + v0 * moment + 0.5 * a0 * moment**2, rtol=0.0, atol=1e-7)
            np.testing.assert_allclose(found[2], a0, rtol=0.0, atol=1e-8)


def test_an_orbit_given_every_minute_comes_back_and_better_with_half_the_step() -> None:
    errors = []
    for step in (120.0, 60.0):
        t = np.arange(0.0, 6001.0, step)
        table = way_point_table(path(t, *orbit(t), given=tuple(range(t.size))))
        probe = np.linspace(1500.0, 4500.0, 301)  # away from the free ends
        truth, _ = orbit(probe)
        errors.append(
            max(float(np.linalg.norm(at(table, s)[0] - q)) for s, q in zip(probe.tolist(), truth, strict=True))
        )
    assert errors[1] < 0.01  # m
    assert errors[0] / errors[1] > 20.0  # of the fifth order or so


def test_two_points_with_one_velocity_make_a_path() -> None:
    t = np.array([0.0, 60.0])
    p, v = orbit(t)
    table = way_point_table(path(t, p, v, (0,)))
    np.testing.assert_allclose(at(table, 0.0)[1], v[0], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(at(table, 60.0)[0], p[1], rtol=0.0, atol=1e-8)


def test_many_points_are_no_burden() -> None:
    t = np.linspace(0.0, 80_000.0, 10_000)
    p, v = orbit(t)
    table = way_point_table(path(t, p, v, tuple(range(0, 10_000, 2))))
    np.testing.assert_allclose(table[5001, 4:7], v[5001], rtol=0.0, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t, p: t.__setitem__(3, 75.0), "orbit.point 4: times must grow; got 75 s after 75 s"),
        (lambda t, p: t.__setitem__(3, 74.0), "orbit.point 4: times must grow; got 74 s after 75 s"),
        (lambda t, p: p.__setitem__(2, 0.5 * p[2]), "orbit.point 3: inside the Earth; got 3"),
        (lambda t, p: p.__setitem__(5, 0.0), "orbit.point 6: inside the Earth; got 0.000 km"),
    ],
)
def test_nonsense_is_refused(change: object, said: str) -> None:
    t = UNEVEN.copy()
    p, _ = orbit(t)
    change(t, p)  # type: ignore[operator]
    with pytest.raises(BadInput) as caught:
        way_point_table(path(t, p))
    assert said in str(caught.value)


def test_too_few_points_and_a_path_through_the_earth_are_refused() -> None:
    t = np.array([0.0, 60.0])
    with pytest.raises(BadInput, match="too few"):
        way_point_table(path(t, orbit(t)[0]))
    t = np.array([0.0, 1500.0, 3000.0])
    p, _ = orbit(t)
    with pytest.raises(
        BadInput, match=r"path through points \d and \d runs into the Earth at t = .* more than 6378.137 km"
    ):
        way_point_table(path(t, np.stack([p[0], p[0], -p[0]])))
