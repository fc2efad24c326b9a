"""Two free bodies in contact: momentum is kept, energy never rises, a central bounce is the closed form's."""

import math

import numpy as np
import pytest

from proxops.maths.rotation import quat_from_rotation_vector
from proxops.space.contact_law import linear_restitution
from proxops.space.contact_pair import (
    BODY,
    PAIR_DTYPE,
    SIZE,
    P,
    Pair,
    Q,
    V,
    W,
    advance,
    books,
    contact_wrench,
    relative,
)
from proxops.space.drogue import Drogue, depth

H = 2e-4  # s: omega h is 0.004 in the central bounce
CONE = Drogue("cone", ball_m=0.02, seat_m=0.7, bowl_m=0.03, half_angle_rad=math.radians(40.0), mouth_m=0.12)
PLATE = Drogue("plate", ball_m=0.02, seat_m=0.7)


def random_pair(rng: np.random.Generator, drogue: Drogue) -> Pair:
    pair = np.zeros(1, PAIR_DTYPE)
    r = pair[0]
    for name in ("chaser", "client"):
        mass = np.exp(rng.uniform(math.log(50.0), math.log(5000.0)))
        turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        halves = rng.uniform(0.2, 1.0, 3)
        inertia = turn @ np.diag(mass / 3.0 * (halves @ halves - halves**2)) @ turn.T
        r[name]["mass"], r[name]["inertia"], r[name]["inverse"] = mass, inertia, np.linalg.inv(inertia)
        r[name]["com"] = rng.uniform(-0.3, 0.3, 3)
    r["tip"] = -0.42, 0.0, 0.0
    r["drogue"] = drogue.record
    r["law"] = (np.exp(rng.uniform(math.log(1e4), math.log(2e5))), 0.0, 1.0, 0.0, 0.0, 1e-3)
    return pair


def reduced(pair: Pair) -> float:
    return 1.0 / (1.0 / pair[0]["chaser"]["mass"] + 1.0 / pair[0]["client"]["mass"])


def aimed(rng: np.random.Generator, pair: Pair, drogue: Drogue, speed: float) -> np.ndarray:
    """A state in which the ball is 1 to 3 mm from the hardware, somewhere in the mouth, and closes in; both bodies turn."""
    y, r = np.zeros(SIZE), pair[0]
    y[BODY + Q] = 1.0
    y[BODY + P : BODY + P + 3] = r["client"]["com"]
    normal, ball = np.zeros(3), np.array([drogue.seat_m + 0.15, *rng.uniform(-0.08, 0.08, 2)])
    heading = np.array([-1.0, *rng.uniform(-0.5, 0.5, 2)])
    heading /= np.linalg.norm(heading)
    while -depth(r["drogue"], ball, normal) > 0.003:
        ball += 0.001 * heading
    y[Q : Q + 4] = quat_from_rotation_vector(rng.uniform(-0.1, 0.1, 3))
    pose, twist = np.zeros(7), np.zeros(6)
    relative(pair, y, pose, twist)
    y[P : P + 3] += ball - pose[:3]
    y[V : V + 3] = speed * heading
    y[W : W + 3], y[BODY + W : BODY + W + 3] = rng.uniform(-0.02, 0.02, 3), rng.uniform(-0.02, 0.02, 3)
    y[V : V + 3] += rng.uniform(-0.05, 0.05, 3) * speed
    return y


@pytest.mark.parametrize("drogue", [CONE, PLATE], ids=["cone", "plate"])
def test_random_collisions_keep_momentum_and_never_gain_energy(drogue: Drogue) -> None:
    """500 of each. RK4 at omega h of 0.01 (along the axis; some more off it) keeps momentum to rounding (what acts is equal
    and opposite in one point) and energy to 1e-6; stored elastic energy is nil before and after, so kinetic energy is the
    whole."""
    rng = np.random.default_rng(6)
    touched = 0
    while touched < 500:
        pair = random_pair(rng, drogue)
        r = pair[0]
        r["law"]["damping"] = 2.0 * rng.uniform(0.0, 0.1) * math.sqrt(r["law"]["stiffness"] * reduced(pair))
        r["law"]["friction"] = rng.choice([0.0, 0.2])
        y = aimed(rng, pair, drogue, np.exp(rng.uniform(math.log(5e-3), math.log(0.1))))
        before, now, pose, twist, wrench = np.zeros(8), np.zeros(8), np.zeros(7), np.zeros(6), np.zeros(6)
        books(pair, y, before)
        deepest, step = -1.0, min(0.01 / math.sqrt(r["law"]["stiffness"] / reduced(pair)), 1e-3)
        for _ in range(400):
            advance(pair, y, step, 25)
            relative(pair, y, pose, twist)
            deep = contact_wrench(pair, pose, twist, wrench)
            deepest = max(deepest, deep)
            if deepest > 0.0 and deep < -1e-3:
                break
        books(pair, y, now)
        touched += deepest > 0.0
        assert np.linalg.norm(now[:3] - before[:3]) <= 1e-6 * np.linalg.norm(before[:3])
        assert np.linalg.norm(now[3:6] - before[3:6]) <= 1e-6 * np.linalg.norm(before[3:6])
        if not wrench[:3].any():
            assert now[6] <= before[6] * (1.0 + 1e-6)


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.1])
def test_a_central_bounce_is_the_closed_form(zeta: float) -> None:
    """Damped oscillator that may not pull. The damper's force begins with a jump somewhere in a step: c v h of impulse in
    doubt."""
    rng = np.random.default_rng(1)
    pair = random_pair(rng, PLATE)
    r = pair[0]
    r["chaser"]["com"], r["client"]["com"] = (-0.42, 0.0, 0.0), (0.0, 0.0, 0.0)
    r["chaser"]["mass"], r["client"]["mass"] = 500.0, 750.0
    m, k = 300.0, 106.59e3
    r["law"]["stiffness"], r["law"]["damping"] = k, 2.0 * zeta * math.sqrt(k * m)
    y = np.zeros(SIZE)
    y[Q], y[BODY + Q], y[P], y[V] = 1.0, 1.0, 0.701, -0.02
    advance(pair, y, H, 2000)
    assert (y[V] - y[BODY + V]) / 0.02 == pytest.approx(linear_restitution(zeta), abs=1e-5 + 2.0 * zeta * 18.85 * H)


def test_the_normal_turns_without_a_jump() -> None:
    """Along a path from outside over the rim, down the wall and into the bowl; depth's gradient is the normal."""
    record, n, m = CONE.record, np.zeros(3), np.zeros(3)
    for s in np.linspace(0.0, 1.0, 400):
        ball = np.array([0.86 - 0.17 * s, 0.15 * (1.0 - s), 0.01])
        deep = depth(record, ball, n)
        gradient = [(depth(record, ball + e, m) - depth(record, ball - e, m)) / 2e-7 for e in 1e-7 * np.eye(3)]
        assert math.isfinite(deep)
        np.testing.assert_allclose(gradient, -n, atol=2e-5)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
