"""The docking loop against a hall that is a pure delay: restitution, energy, momentum, command, in six dimensions."""

import math

import numpy as np
import pytest

from proxops.core.messages import PERIOD_S
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector, turned
from proxops.space.contact_pair import BODY, PAIR_DTYPE, SIZE, P, Pair, Q, V, W, books, contact_wrench, relative
from proxops.space.drogue import Drogue
from proxops.touch.contact_fit import ContactFit, Sensed
from proxops.touch.docking_loop import DockingLoop, Felt
from proxops.touch.docking_reference import uncompensated, undelayed

PLATE = Drogue("plate", ball_m=0.02, seat_m=0.7)
CONE = Drogue("cone", ball_m=0.02, seat_m=0.7, bowl_m=0.03, half_angle_rad=math.radians(40.0), mouth_m=0.12)
NOISE_N = 0.2


class LateHall:
    """Shows commands ``late`` cycles later, straight between them, and touches with the true law."""

    def __init__(self, true: Pair, late: float, rng: np.random.Generator) -> None:
        self.true, self.late, self._rng = true, late, rng
        self._commands: list[np.ndarray] = []

    def _shown(self, at: float) -> np.ndarray:
        i = max(math.floor(at), 0)
        a, b = self._commands[i], self._commands[min(i + 1, len(self._commands) - 1)]
        pose = a + min(max(at - i, 0.0), 1.0) * (b - a)
        pose[3:] /= np.linalg.norm(pose[3:])
        return pose

    def feel(self, command: np.ndarray) -> Felt:
        self._commands.append(command.copy())
        now = len(self._commands) - 1 - self.late
        before, after, here = self._shown(now - 0.25), self._shown(now + 0.25), self._shown(now)
        tip, turn = self.true[0]["tip"], np.zeros(3)
        rotation_vector(quat_product(after[3:], quat_inverse(before[3:])), turn)
        ball = np.concatenate([here[:3] + turned(here[3:], tip), here[3:]])
        speed = (after[:3] + turned(after[3:], tip) - before[:3] - turned(before[3:], tip)) / (0.5 * PERIOD_S)
        twist = np.concatenate([speed, turn / (0.5 * PERIOD_S)])
        wrench = np.zeros(6)
        contact_wrench(self.true, ball, twist, wrench)
        wrench[:3] += NOISE_N * self._rng.standard_normal(3)
        return Felt(ball, twist, wrench, False)


def pair_of(drogue: Drogue, stiffness: float, zeta: float) -> Pair:
    pair = np.zeros(1, PAIR_DTYPE)
    r = pair[0]
    for name, mass, inertia in (("chaser", 500.0, (120.0, 150.0, 140.0)), ("client", 750.0, (200.0, 260.0, 240.0))):
        r[name]["mass"], r[name]["inertia"], r[name]["inverse"] = (
            mass,
            np.diag(inertia),
            np.diag(1.0 / np.array(inertia)),
        )
    r["chaser"]["com"], r["tip"], r["drogue"] = (0.5, 0.0, 0.0), (-0.4, 0.0, 0.0), drogue.record
    r["law"] = (stiffness, 2.0 * zeta * math.sqrt(stiffness * 300.0), 1.0, 0.0, 0.0, 1e-3)
    return pair


def state(ball: tuple[float, float, float], velocity: tuple[float, float, float], rates: np.ndarray) -> np.ndarray:
    y = np.zeros(SIZE)
    y[Q] = y[BODY + Q] = 1.0
    arm = np.array([-0.9, 0.0, 0.0])  # from the chaser's centre of mass to the ball
    y[P : P + 3], y[W : W + 3] = np.array(ball) - arm, rates
    y[V : V + 3] = np.array(velocity) - np.cross(rates, arm)
    return y


def fly(
    true: Pair, y: np.ndarray, late: float, believed: float | None, rng: np.random.Generator, compensate: bool = True
) -> DockingLoop:
    pair = true.copy()
    pair[0]["law"]["stiffness"], pair[0]["law"]["damping"] = believed or 0.0, 0.0
    sensed = Sensed(300.0, NOISE_N, stiffness=believed, contact_point_m=0.0)
    loop = DockingLoop(
        pair, y.copy(), late * PERIOD_S, 6.0 * NOISE_N + 1.0, lambda law: ContactFit(sensed), compensate=compensate
    )
    hall = LateHall(true, late, rng)
    for _ in range(1500):
        loop.step(hall.feel(loop.command))
        if loop.touches and loop.touches[-1].ended >= 0 and loop.clearance_m > 0.005:
            break
    return loop


@pytest.mark.parametrize("late", [1.0, 3.6, 6.0])
@pytest.mark.parametrize("believed", [None, 90e3])
def test_a_bounce_through_a_delay_is_what_it_should_be(late: float, believed: float | None) -> None:
    """omega tau of 0.08, 0.27 and 0.45; the bound is the certificate's floor: B is 0.004 here."""
    true = pair_of(PLATE, 106.59e3, 0.05)
    loop = fly(true, state((0.72, 0.0, 0.0), (-0.02, 0.0, 0.0), np.zeros(3)), late, believed, np.random.default_rng(3))
    touch = loop.touches[0]
    ideal = undelayed(true, touch.state, touch.normal)
    assert touch.restitution == pytest.approx(ideal.leaving / touch.closing, abs=0.005)
    assert touch.energy_after <= touch.energy_before
    assert len(loop.touches) == 1


def test_without_compensation_the_same_delay_puts_energy_in() -> None:
    """And the guard takes what is beyond the energy before: the speed after is that of before, not more."""
    true = pair_of(PLATE, 106.59e3, 0.0)
    y = state((0.72, 0.0, 0.0), (-0.02, 0.0, 0.0), np.zeros(3))
    raw = uncompensated(true, y, np.array([1.0, 0.0, 0.0]), 0.004)
    # Half a cycle of hold.
    assert raw.leaving / 0.02 == pytest.approx(math.exp(0.5 * math.pi * 18.85 * 0.006), rel=0.01)
    assert undelayed(true, y, np.array([1.0, 0.0, 0.0])).leaving / 0.02 == pytest.approx(1.0, abs=1e-6)


def test_random_contacts_in_six_dimensions() -> None:
    """Anywhere in the cone or on the plate, turning, with friction: momentum to 1e-6, energy never up, and nearly all
    restitutions within the bound (slanted contacts slide, which the law along the normal does not know)."""
    rng = np.random.default_rng(8)
    errors = []
    for number in range(30):
        drogue = CONE if number % 2 else PLATE
        true = pair_of(drogue, math.exp(rng.uniform(math.log(2e4), math.log(1.2e5))), rng.uniform(0.0, 0.1))
        true[0]["law"]["friction"] = rng.choice([0.0, 0.1])
        beside = rng.uniform(-0.03, 0.03, 2)
        y = state(
            (0.78 if drogue is CONE else 0.73, *beside),
            (-rng.uniform(0.015, 0.05), 0.0, 0.0),
            rng.uniform(-0.003, 0.003, 3),
        )
        before, after = np.zeros(8), np.zeros(8)
        books(true, y, before)
        loop = fly(true, y, rng.uniform(1.0, 5.0), None, rng)
        assert loop.touches and loop.touches[0].ended >= 0
        books(true, loop.y, after)
        assert np.abs(after[:6] - before[:6]).max() <= 1e-6 * np.linalg.norm(before[:3])
        for touch in loop.touches:
            if touch.ended >= 0:
                assert touch.energy_after <= touch.energy_before * (1.0 + 1e-12)
        touch = loop.touches[0]
        errors.append(abs(touch.leaving - undelayed(true, touch.state, touch.normal).leaving) / touch.closing)
    assert np.median(errors) < 0.002
    assert np.mean(np.array(errors) < 0.01) >= 0.95


def test_the_command_never_jumps() -> None:
    """Second differences: the contact's own acceleration is 0.02 m/s * 19 rad/s, 6 um in a cycle; a correction adds some more."""
    true = pair_of(PLATE, 106.59e3, 0.05)
    pair = true.copy()
    pair[0]["law"]["stiffness"] = 0.0
    sensed = Sensed(300.0, NOISE_N)
    y = state((0.72, 0.0, 0.0), (-0.02, 0.0, 0.0), np.zeros(3))
    loop = DockingLoop(pair, y, 0.024, 2.2, lambda law: ContactFit(sensed))
    hall, shown = LateHall(true, 6.0, np.random.default_rng(1)), []
    for _ in range(600):
        loop.step(hall.feel(loop.command))
        shown.append(loop.command[0])
    assert np.abs(np.diff(shown, 2)).max() < 5e-5


def test_the_guard_takes_out_what_was_put_in() -> None:
    true = pair_of(PLATE, 106.59e3, 0.0)
    y = state((0.72, 0.0, 0.0), (-0.02, 0.0, 0.0), np.zeros(3))
    loop = fly(true, y, 6.0, None, np.random.default_rng(2))
    touch = loop.touches[0]
    before, after = np.zeros(8), np.zeros(8)
    books(true, loop.y, before)
    loop.y[V] += 0.01  # as if a contact had left too fast
    books(true, loop.y, before)
    share = loop._hold_energy(touch)
    books(true, loop.y, after)
    assert share < 1.0
    assert after[7] == pytest.approx(touch.energy_before, rel=1e-9)
    np.testing.assert_allclose(after[:6], before[:6], atol=1e-9)
    pose, twist = np.zeros(7), np.zeros(6)
    relative(true, loop.y, pose, twist)
    assert twist[0] > 0.0


@pytest.mark.parametrize("leaving", [0.0, -0.01, 0.005])
def test_the_guard_takes_out_energy_that_no_impulse_along_the_normal_could(leaving: float) -> None:
    """Spin gained, or the ball not leaving: all motion against each other is shrunk, momentum kept."""
    true = pair_of(PLATE, 106.59e3, 0.0)
    loop = fly(true, state((0.72, 0.0, 0.0), (-0.02, 0.0, 0.0), np.zeros(3)), 6.0, None, np.random.default_rng(2))
    touch, before, after = loop.touches[0], np.zeros(8), np.zeros(8)
    loop.y[V : V + 3], loop.y[BODY + V : BODY + V + 3] = (leaving, 0.0, 0.0), 0.0
    loop.y[W : W + 3] = (0.02, -0.01, 0.03)
    loop.y[BODY + W : BODY + W + 3] = (-0.01, 0.02, -0.03)
    books(true, loop.y, before)
    assert before[7] > touch.energy_before
    share = loop._hold_energy(touch)
    books(true, loop.y, after)
    assert 0.0 <= share < 1.0
    assert after[7] == pytest.approx(touch.energy_before, rel=1e-9)
    np.testing.assert_allclose(after[:6], before[:6], atol=1e-10)
