"""The admission test and the certificate: every rule trips by its name, and what is predicted is what happens."""

import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.studies.contact_case import Case
from benchmarks.studies.contact_study import docked, fed_back
from benchmarks.studies.delayed_bounce import NONE

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.touch.contact_fit import Law
from proxops.touch.contact_samples import contact_threshold_n
from proxops.touch.fidelity import (
    ExpectedContact,
    FidelityVerdict,
    admission,
    first_touch,
    restitution_bound,
    stiffest_admitted,
)
from proxops.touch.overload import predicted_overload

GOOD = ExpectedContact(1200.0, 0.03, 16e-3, 0.05e-3, noise_n=1.0, dead_zone_n=4.0, stiffness=1e5)


def test_a_good_contact_is_admitted_and_says_why() -> None:
    certificate = admission(GOOD)
    assert certificate.verdict is FidelityVerdict.ADMITTED and certificate.may_touch and not certificate.broken
    omega = math.sqrt(1e5 / 1200.0)
    assert certificate.omega == pytest.approx(omega)
    assert [rule.value for rule in certificate.rules[:3]] == pytest.approx(
        [
            omega * 16e-3,
            4.0 / (0.03 * math.sqrt(1e5 * 1200.0)),
            0.5 * math.pi * omega * 0.05e-3
            + 3.0 / (0.03 * math.sqrt(1e5 * 1200.0)) * math.sqrt(math.pi * omega * 2e-3),
        ]
    )
    text = "\n".join(certificate.observed(0.93, 1.01).lines())
    for words in ("admitted", "16.00 ms", "0.05 ms", "100 N/mm", "omega tau", "overload", "0.9300", "predicted"):
        assert words in text


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"tau_s": 80e-3, "stiffness_share": 0.1}, "omega tau"),
        ({"dead_zone_n": 100.0, "stiffness_share": 0.1}, "dead zone D / F"),
        ({"noise_n": 15.0, "stiffness_share": 0.1}, "B"),
        ({"mass_kg": 100.0, "tau_s": 20e-3}, "overload"),
    ],
)
def test_every_rule_refuses_by_its_name_and_labels_on_request(change: dict[str, float], name: str) -> None:
    contact = replace(GOOD, **change)
    certificate = admission(contact)
    assert certificate.verdict is FidelityVerdict.REFUSED and not certificate.may_touch
    assert [rule.name for rule in certificate.broken] == [name]
    assert f"{name} = " in "\n".join(certificate.lines()) and "beyond" in str(certificate.broken[0])
    assert admission(contact, label=True).verdict is FidelityVerdict.LABELLED


def test_a_stiffness_that_nobody_knows_is_judged_on_first_touch() -> None:
    unknown = replace(GOOD, stiffness=None)
    certificate = admission(unknown)
    assert certificate.verdict is FidelityVerdict.OPEN and certificate.may_touch
    top = certificate.stiffest
    assert admission(replace(GOOD, stiffness=0.999 * top)).verdict is FidelityVerdict.ADMITTED
    assert admission(replace(GOOD, stiffness=1.001 * top)).verdict is FidelityVerdict.REFUSED
    assert f"{top * 1e-3:.4g} N/mm" in "\n".join(certificate.lines())

    def law(k: float, share: float) -> Law:
        return Law(k, 0.0, 0.0, 1.0, (share, 1.0, 1.0, 1.0), True, 5)

    assert first_touch(unknown, law(1e5, 0.5)) is None  # not known well enough yet
    assert first_touch(unknown, replace(law(1e5, 0.1), valid=False)) is None
    soft, hard = first_touch(unknown, law(1e5, 0.1)), first_touch(unknown, law(1e7, 0.1))
    assert soft is not None and soft.verdict is FidelityVerdict.ADMITTED
    assert hard is not None and hard.verdict is FidelityVerdict.REFUSED
    assert "omega tau" in [rule.name for rule in hard.broken]


def test_a_sensor_that_is_blind_at_any_stiffness_is_refused_outright() -> None:
    blind = replace(GOOD, stiffness=None, speed=1e-4, dead_zone_n=50.0)
    assert stiffest_admitted(blind) == 0.0
    assert admission(blind).verdict is FidelityVerdict.REFUSED


def test_the_bound_is_what_it_says() -> None:
    assert restitution_bound(20.0, 0.01, 0.05e-3, 4e-3) == pytest.approx(
        0.5 * math.pi * 20.0 * 0.05e-3 + 0.03 * math.sqrt(0.5 * math.pi * 20.0 * 4e-3)
    )


@pytest.mark.parametrize("omega_dt", [0.07, 0.2])
@pytest.mark.parametrize("omega_tau", [0.2, 0.5, 0.69])
@pytest.mark.parametrize("delta", [0.0, 0.24])
def test_the_overload_is_what_is_predicted_at_worst(omega_dt: float, omega_tau: float, delta: float) -> None:
    mass, speed, omega = 300.0, 0.02, omega_dt / PERIOD_S
    stiffness, tau, worst = mass * omega**2, omega_tau / omega, 0.0
    peak = speed * math.sqrt(stiffness * mass)
    for zeta in (0.0, 0.1):
        for phase in np.linspace(0.0, 0.9, 4):  # of the tick in which the touch falls
            gap = speed * (tau + PERIOD_S * (5.0 + phase))
            case = Case(mass, stiffness, speed, tau, zeta, dead=delta * peak, gap=gap)
            worst = max(worst, docked(case).overload)
    predicted = predicted_overload(omega, tau, PERIOD_S, contact_threshold_n(0.0, delta * peak) / peak, 0.0, 1.0)
    assert worst <= predicted + 0.03  # first laws are not yet good laws
    assert predicted <= worst + 0.05  # and it is no empty warning


def test_the_error_without_compensation_is_what_is_predicted() -> None:
    certificate = admission(replace(GOOD, noise_n=0.0, dead_zone_n=0.0))
    case = Case(1200.0, 1e5, 0.03, 16e-3)
    assert fed_back(case, NONE) - 1.0 == pytest.approx(certificate.uncompensated, rel=0.05)


@pytest.mark.parametrize(
    "change", [{"mass_kg": 0.0}, {"speed": math.nan}, {"tau_s": -1.0}, {"noise_n": math.inf}, {"stiffness": 0.0}]
)
def test_bad_input_is_named(change: dict[str, float]) -> None:
    with pytest.raises(BadInput, match=next(iter(change))):
        admission(replace(GOOD, **change))
