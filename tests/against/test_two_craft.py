"""``two_craft.step`` against independent authorities: SciPy's DOP853 on plainly written equations, Jacobi's elliptic functions,
decimal arithmetic in forty digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import pytest
from free_flight import DT, bare_world, craft_of, first_state, fly, full_world, surroundings
from numpy.typing import NDArray
from plain_equations import craft_rates
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipkinc

from proxops.core.earth import J2, MU_M3_S2, RADIUS_M
from proxops.space.two_craft import DV, MASS, Q_C, Q_T, W_C, W_T, D, P, V, World

Array = NDArray[np.float64]


def integrated(y: Array, world: World, seconds: float) -> tuple[Array, Array]:
    """Target's and chaser's own states at the end, by DOP853. Steps of at most 2 s: its truncation is then far below rounding,
    which is some nm per step at 7,000 km."""
    around, ends = surroundings(world), []
    light = around.sunlight or (0.0, 0.0)
    target = np.concatenate((y[P], y[V], y[Q_T], y[W_T], [float(world[0]["target_mass"])]))
    chaser = np.concatenate((y[P] + y[D], y[V] + y[DV], y[Q_C], y[W_C], [y[MASS]], y[26:30]))
    for first, craft, share in zip((target, chaser), craft_of(world), light, strict=True):
        solution = solve_ivp(
            lambda _, x, craft=craft, share=share: craft_rates(x, craft, around, share),
            (0.0, seconds), first, method="DOP853", rtol=1e-12, atol=1e-12, max_step=2.0,
        )  # fmt: skip
        ends.append(solution.y[:, -1])
    return ends[0], ends[1]


@cache
def whole_flight() -> Array:
    """After ten minutes with everything on; nobody changes it."""
    y = first_state()
    fly(y, full_world(), DT, 150_000)
    y.setflags(write=False)
    return y


def angle(q1: Array, q2: Array) -> float:
    a, b = (Rotation.from_quat(q / np.linalg.norm(q), scalar_first=True) for q in (q1, q2))
    return float((a.inv() * b).magnitude())


def test_everything_on_for_ten_minutes() -> None:
    """J2 to J6, Sun, Moon, air, light, gravity gradient, jet with mass flow, push, four driven wheels.

    Places: bounded by rounding of places at 7,000 km, 1 nm each time, in both; relative place by DOP853's difference of two such
    places, ours carries the difference itself. Attitudes: DOP853's own tolerance.
    """
    y, world = whole_flight(), full_world()
    target, chaser = integrated(first_state(), world, 600.0)
    relative, speed = chaser[0:3] - target[0:3], chaser[3:6] - target[3:6]
    assert np.linalg.norm(relative) > 100.0  # the jet has made a difference
    assert np.linalg.norm(y[D] - relative) < 3e-8
    assert np.linalg.norm(y[DV] - speed) < 1e-10
    assert np.linalg.norm(y[P] - target[0:3]) < 2e-6
    assert np.linalg.norm(y[V] - target[3:6]) < 2e-9
    assert angle(y[Q_T], target[6:10]) < 1e-10
    assert angle(y[Q_C], chaser[6:10]) < 1e-10
    np.testing.assert_allclose(y[W_T], target[10:13], rtol=0, atol=1e-12)
    np.testing.assert_allclose(y[W_C], chaser[10:13], rtol=0, atol=1e-12)
    # The same small increment rounds the same way in each step: half a unit of 620 kg times 150,000 is 1.4e-11 of it.
    np.testing.assert_allclose(y[MASS], chaser[13], rtol=2e-11)
    np.testing.assert_allclose(y[26:30], chaser[14:], rtol=2e-11)


ONE_LESS = [
    ("degree", 5), ("gradient", 0), ("pressure", 0), ("third", (0, 1)), ("third", (1, 0)), ("density", 0.0),
    ("thrust", 0.0), ("motor", (0.0, -0.002, 0.003, 0.001)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), ONE_LESS)
def test_every_term_is_seen_by_the_comparison(name: str, value: float) -> None:
    """With one term left out on our side only, ten minutes end elsewhere by far more than the tolerances above."""
    y, world, whole = first_state(), full_world(), whole_flight()
    world[0][name] = value
    fly(y, world, DT, 150_000)
    places = (float(np.linalg.norm(y[P] - whole[P])) / 2e-6, float(np.linalg.norm(y[D] - whole[D])) / 3e-8)
    attitudes = (angle(y[Q_T], whole[Q_T]) / 1e-10, angle(y[Q_C], whole[Q_C]) / 1e-10)
    assert max(*places, *attitudes) > 1000.0


# ---------------------------------------------------------------------- a prescribed orbit
def test_beside_a_prescribed_orbit() -> None:
    """The target is carried along an ellipse of ours, the chaser moves by the differences of accelerations at both places: all
    of its own, less those of the target. Tolerance as above; the difference of two accelerations of 8 m/s^2 rounds at 1e-15."""
    y, world = first_state(), full_world()
    w, around, (target, chaser) = world[0], surroundings(world), craft_of(world)
    w["prescribed"] = 1
    light, rate = around.sunlight, 1.07e-3
    assert light is not None

    def path(t: float) -> Array:
        c, s = math.cos(rate * t), math.sin(rate * t)
        return np.array([7.0e6 * c, 6.9e6 * s, 1e6 * s, -7.0e6 * rate * s, 6.9e6 * rate * c, 1e6 * rate * c])

    def rates(t: float, x: Array) -> Array:
        carried = path(t)
        q_t, w_t = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
        own = craft_rates(np.concatenate((carried, q_t, w_t, [target.mass])), target, around, light[0])
        there = np.concatenate((carried + x[0:6], x[6:]))
        both = craft_rates(there, chaser, around, light[1])
        return np.concatenate((x[3:6], both[3:6] - own[3:6], both[6:]))

    first = np.concatenate((y[D], y[DV], y[Q_C], y[W_C], [y[MASS]], y[26:30]))
    end = solve_ivp(rates, (0.0, 60.0), first, method="DOP853", rtol=1e-12, atol=1e-12, max_step=2.0).y[:, -1]
    for k in range(15_000):
        for stage in range(3):
            w["reference"][stage] = path((k + 0.5 * stage) * DT)
        fly(y, world, DT, 1)
    assert np.linalg.norm(y[D] - end[0:3]) < 1e-9
    assert np.linalg.norm(y[DV] - end[3:6]) < 1e-11
    assert angle(y[Q_C], end[6:10]) < 1e-10


# ---------------------------------------------------------------------- a free rigid body
A, B, C = 100.0, 210.0, 290.0  # principal moments, all different
TOP_RATE = np.array([0.011, 0.021, 0.034])


def exact_rates(t: Array) -> tuple[Array, Array]:
    """Rates of a free body with moments A < B < C, energy E and momentum L with L^2 > 2 E B, by Jacobi's functions (Landau &
    Lifshitz, Mechanics, section 37), shifted so that they begin at ``TOP_RATE``; and the angle turned about L."""
    twice, square = float(TOP_RATE**2 @ (A, B, C)), float(TOP_RATE**2 @ (A**2, B**2, C**2))
    a1 = math.sqrt((twice * C - square) / (A * (C - A)))
    a2 = math.sqrt((twice * C - square) / (B * (C - B)))
    a3 = math.sqrt((square - twice * A) / (C * (C - A)))
    pace = math.sqrt((C - B) * (square - twice * A) / (A * B * C))
    m = (B - A) * (twice * C - square) / ((C - B) * (square - twice * A))
    begin = float(ellipkinc(math.atan2(TOP_RATE[1] / a2, TOP_RATE[0] / a1), m))
    sn, cn, dn, _ = ellipj(pace * t + begin, m)
    w = np.stack((a1 * cn, a2 * sn, a3 * dn), axis=-1)
    slow = math.sqrt(square) * (A * w[:, 0] ** 2 + B * w[:, 1] ** 2) / ((A * w[:, 0]) ** 2 + (B * w[:, 1]) ** 2)
    return w, slow


def attitude_about_momentum(w: Array, turned: float) -> Rotation:
    """R_fixed_body with the momentum along the fixed z: third, first, third axis by precession, nutation, own spin."""
    momentum = np.array([A, B, C]) * w
    size = float(np.linalg.norm(momentum))
    return Rotation.from_euler("ZXZ", [turned, math.acos(momentum[2] / size), math.atan2(momentum[0], momentum[1])])


def test_free_tumbling_for_an_hour_is_jacobis() -> None:
    """Rates by elliptic functions, attitude by them and the integral of the precession's rate (Simpson's rule, 0.1 s: its error
    is below 1e-13). 900,000 steps round at 1e-16 each and add up as a random walk: 1e-13; the phase, being integrated twice, at
    1e-10. Energy and momentum to 1e-12."""
    y, world = first_state(), bare_world()
    w = world[0]
    w["target"]["inertia"], w["target"]["inverse"] = np.diag([A, B, C]), np.diag([1 / A, 1 / B, 1 / C])
    y[W_T] = TOP_RATE
    t = np.linspace(0.0, 3600.0, 36_001)
    rates, pace = exact_rates(t)
    np.testing.assert_allclose(rates[0], TOP_RATE, rtol=1e-13)
    turned = 0.1 / 3.0 * float(pace[0] + pace[-1] + 4.0 * pace[1:-1:2].sum() + 2.0 * pace[2:-1:2].sum())
    begin, end = attitude_about_momentum(rates[0], 0.0), attitude_about_momentum(rates[-1], turned)
    first = Rotation.from_quat(y[Q_T], scalar_first=True)
    fly(y, world, DT, 900_000)
    expected = (first * begin.inv() * end).as_quat(scalar_first=True)
    np.testing.assert_allclose(y[W_T], rates[-1], rtol=0, atol=1e-11)
    assert angle(y[Q_T], expected) < 1e-9
    moments = np.array([A, B, C])
    np.testing.assert_allclose(y[W_T] ** 2 @ moments, TOP_RATE**2 @ moments, rtol=1e-11)
    before, after = (
        first.apply(moments * TOP_RATE),
        Rotation.from_quat(y[Q_T], scalar_first=True).apply(moments * y[W_T]),
    )
    assert np.linalg.norm(after - before) < 1e-11 * np.linalg.norm(before)


# ---------------------------------------------------------------------- one metre apart
Digits = list[Decimal]


def pull(p: Digits) -> Digits:
    """Point mass and J2 in Cartesian form (Vallado, Fundamentals of Astrodynamics, section 8.6)."""
    mu, j2, radius = Decimal(MU_M3_S2), Decimal(J2), Decimal(RADIUS_M)
    r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    r = r2.sqrt()
    central, squash = -mu / (r2 * r), Decimal("1.5") * j2 * radius * radius / r2
    across = 5 * p[2] * p[2] / r2
    return [central * p[i] * (1 + squash * ((1 if i < 2 else 3) - across)) for i in range(3)]


def digits_later(p: Digits, v: Digits, steps: int) -> Digits:
    """RK4 with our own step: what is compared is rounding, not truncation."""
    dt = Decimal(DT)

    def add(a: Digits, b: Digits, k: Decimal) -> Digits:
        return [x + k * d for x, d in zip(a, b, strict=True)]

    for _ in range(steps):
        a1 = pull(p)
        v2, a2 = add(v, a1, dt / 2), pull(add(p, v, dt / 2))
        v3, a3 = add(v, a2, dt / 2), pull(add(p, v2, dt / 2))
        v4, a4 = add(v, a3, dt), pull(add(p, v3, dt))
        p = [x + dt / 6 * (a + 2 * (b + c) + d) for x, a, b, c, d in zip(p, v, v2, v3, v4, strict=True)]
        v = [x + dt / 6 * (a + 2 * (b + c) + d) for x, a, b, c, d in zip(v, a1, a2, a3, a4, strict=True)]
    return p


def test_one_metre_apart_no_digit_is_lost() -> None:
    """Two seconds of flight with J2, at 7,000 km, against forty digits. Our difference rounds at 1e-16 m in each of 500 steps;
    what two places in double precision could tell is their spacing, 1e-9 m."""
    y, world, steps = first_state(), bare_world(), 500
    world[0]["degree"] = 2
    y[D], y[DV] = (0.6, -0.64, 0.48), (1e-3, 2e-3, -1e-3)
    with localcontext() as context:
        context.prec = 40
        p, v, d, dv = ([Decimal(float(x)) for x in y[part]] for part in (P, V, D, DV))
        other_p, other_v = ([a + b for a, b in zip(x, z, strict=True)] for x, z in ((p, d), (v, dv)))
        target, chaser = digits_later(p, v, steps), digits_later(other_p, other_v, steps)
        exact = np.array([float(a - b) for a, b in zip(chaser, target, strict=True)])
        rounded = np.array([float(a) - float(b) for a, b in zip(chaser, target, strict=True)])
    fly(y, world, DT, steps)
    assert np.linalg.norm(y[D] - exact) < 2e-14
    assert np.linalg.norm(rounded - exact) > 1e-11  # the very same places, each rounded once, are worse already
