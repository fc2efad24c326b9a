"""The fit of a contact law: exact on exact samples, as good as its own deviations on noisy ones, blind to what it has to be."""

import math

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.space.contact_law import bounce, contact_force, state_after_touch
from proxops.touch.contact_fit import ContactFit, Law, Sensed
from proxops.touch.contact_samples import CAPACITY

MASS, K, SPEED, ZETA = 300.0, 106.59e3, 0.05, 0.04
C = 2.0 * ZETA * math.sqrt(K * MASS)
PEAK = SPEED * math.sqrt(K * MASS)
POINT = 1.7e-3  # m, where contact begins


def law_of(
    fit: ContactFit, k: float = K, n: float = 1.0, noise: float = 0.0, dead: float = 0.0, kind: str = "cut", seed: int = 0,
    every: int = 1, dt: float = PERIOD_S, c: float = C,
) -> Law:  # fmt: skip
    """The law after a whole bounce, solved every so many samples as a loop would."""
    rng = np.random.default_rng(seed)
    duration = bounce(MASS, SPEED, k, c, n)[1]
    for i in range(round(duration / dt) + 8):
        t = (i - 3.3) * dt
        d, rate, _, _ = state_after_touch(t, MASS, SPEED, k, c, n)
        force = contact_force(d, rate, k, c, n) + noise * rng.standard_normal()
        if dead > 0.0:
            cut = 0.0 if abs(force) < dead else force
            force = cut - math.copysign(dead, cut) if kind == "offset" and cut != 0.0 else cut
        fit.add(POINT + d, rate, force, t)
        if i % every == 0:
            fit.solve()
    return fit.solve()


@pytest.mark.parametrize("kind", ["cut", "offset"])
@pytest.mark.parametrize("delta", [0.0, 0.1, 0.25])
@pytest.mark.parametrize(("n", "free"), [(1.0, False), (1.0, True), (1.3, True), (1.5, True)])
def test_exact_samples_give_the_law(kind: str, delta: float, n: float, free: bool) -> None:
    k = K * (SPEED * math.sqrt(MASS / K)) ** (1.0 - n)
    dead = delta * PEAK
    law = law_of(ContactFit(Sensed(MASS, 0.0, dead, kind, free)), k, n, dead=dead, kind=kind)
    assert law.valid
    # What is believed beforehand weighs as much as a few samples of 0.2 % of the force.
    assert law.k * 1e-3**law.n == pytest.approx(k * 1e-3**n, rel=0.01)
    assert law.c == pytest.approx(C, rel=0.01)
    assert law.d0 == pytest.approx(POINT, abs=0.01 * SPEED / math.sqrt(K / MASS))
    assert law.n == pytest.approx(n, abs=0.02)


def test_the_deviations_are_those_that_are_found() -> None:
    noise, found = 0.01 * PEAK, []
    for seed in range(150):
        law = law_of(ContactFit(Sensed(MASS, noise)), noise=noise, seed=seed, every=100)
        found.append(((law.c - C) / law.sigmas[1], (law.k / K - 1.0) / law.sigmas[0], (law.d0 - POINT) / law.sigmas[2]))
    spread = np.std(found, axis=0)
    assert (spread > 0.8).all() and (spread < 1.2).all()  # 150 draws: 6 % one deviation
    assert (np.abs(np.mean(found, axis=0)) < 0.35).all()  # four deviations of the mean
    # And the damping's is that of least squares over half a wave, on which the bound B stands.
    ideal = noise / SPEED * math.sqrt(2.0 * math.sqrt(K / MASS) * PERIOD_S / math.pi)
    assert 1.0 < law.sigmas[1] / ideal < 1.15  # a damped wave is slower on its way out


def test_an_error_of_the_delay_is_a_damping() -> None:
    dtau = 0.5e-3
    fit = ContactFit(Sensed(MASS))
    for i in range(60):
        d, rate, _, _ = state_after_touch((i - 3.3) * PERIOD_S, MASS, SPEED, K, C, 1.0)
        fit.add(d + dtau * rate, rate, contact_force(d, rate, K, C, 1.0), i * PERIOD_S)
    assert fit.solve().c == pytest.approx(C - K * dtau, rel=0.005)
    assert K * dtau > 0.1 * C  # and that is plain to see


def test_damping_of_another_kind_loses_the_same_energy() -> None:
    """Hunt and Crossley's k d (1 + a d'): the fitted damper takes what theirs takes, as the work of the residuals is nothing."""
    a, h = 1.2, 1e-5
    d, v, taken, fit = 0.0, SPEED, 0.0, ContactFit(Sensed(MASS, 0.001 * PEAK, exponent_free=True))
    samples = []
    for i in range(40_000):
        force = max(0.0, K * d * (1.0 + a * v))
        if i % 400 == 0:
            samples.append((d, v))
            fit.add(d, v, force, i * h)
        taken += force * v * h
        v -= force / MASS * h
        d += v * h
        if d < 0.0:
            break
    law = fit.solve()
    work = sum(law.c * rate * rate * PERIOD_S for _, rate in samples)
    assert work == pytest.approx(taken, rel=0.05)  # 43 samples stand for the integral
    assert bounce(MASS, SPEED, law.k, law.c, law.n)[0] == pytest.approx(-v / SPEED, abs=0.01)


def test_one_wild_sample_does_not_carry_the_law_away() -> None:
    noise = 0.005 * PEAK
    fit, wild = ContactFit(Sensed(MASS, noise)), ContactFit(Sensed(MASS, noise))
    for i in range(45):
        d, rate, _, _ = state_after_touch((i - 1.3) * PERIOD_S, MASS, SPEED, K, C, 1.0)
        force = contact_force(d, rate, K, C, 1.0)
        fit.add(d, rate, force, i * PERIOD_S)
        wild.add(d, rate, 4.0 * PEAK if i == 12 else force, i * PERIOD_S)
    good, bad = fit.solve(), wild.solve()
    for _ in range(3):
        bad = wild.solve()
    square = 3.5 * PEAK * abs(SPEED) / (45 * 0.5 * SPEED**2)  # what plain least squares would add to the damping
    assert abs(bad.c - good.c) < 0.1 * square


def test_a_long_contact_is_thinned_and_loses_nothing() -> None:
    law = law_of(ContactFit(Sensed(MASS)), dt=PERIOD_S / 30.0, every=40)
    assert law.samples <= CAPACITY
    assert law.c == pytest.approx(C, rel=0.01)
    assert law.k == pytest.approx(K, rel=0.002)


def test_noise_alone_gives_no_law() -> None:
    rng, fit = np.random.default_rng(4), ContactFit(Sensed(MASS, 1.0))
    for i in range(300):
        fit.add(-0.1 + i * 1e-4, 0.025, rng.standard_normal(), i * PERIOD_S)
        assert not fit.solve().valid


def test_a_declared_stiffness_gives_a_law_at_the_first_sample() -> None:
    fit = ContactFit(Sensed(MASS, 1.0, stiffness=1.2 * K))
    d = 0.1e-3
    fit.add(POINT + d, SPEED, K * d + C * SPEED, 0.0)
    law = fit.solve()
    assert law.valid and law.k == pytest.approx(1.2 * K, rel=0.35)


def test_bad_input_is_named() -> None:
    fit = ContactFit(Sensed(MASS))
    with pytest.raises(BadInput, match="no number"):
        fit.add(0.0, SPEED, math.nan, 0.0)
    assert fit.solve().samples == 0
    for sensed in (Sensed(0.0), Sensed(MASS, -1.0), Sensed(MASS, dead_zone_kind="soft"), Sensed(math.nan)):
        with pytest.raises(BadInput):
            ContactFit(sensed)
