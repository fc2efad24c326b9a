"""The link to an arm that takes joint rates: where its rates have led, whatever the arm's clock and encoders say."""

import numpy as np
import pytest

from proxops.lab.links.arm import Measured
from proxops.lab.links.arm_velocity import FORGETTING, ArmVelocityLink
from proxops.lab.links.fault import Trouble

CYCLE = 1e-3


class Puppet:
    """An arm that is where it is told to be."""

    def __init__(self) -> None:
        self.t, self.angles, self.rates = 0.0, np.zeros(2), np.zeros(2)
        self.halted, self.at_rest, self.sent = "", True, list[np.ndarray]()

    def read(self) -> Measured:
        return Measured(self.t, self.angles, np.zeros(0), self.halted)

    def command(self, wish: np.ndarray, answers: float) -> None:
        self.sent.append(wish.copy())

    def halt(self, cause: str) -> None:
        self.halted = self.halted or cause

    def clear(self) -> None:
        self.halted = ""

    def go(self, seconds: float, angles: np.ndarray) -> None:
        self.t, self.angles = self.t + seconds, angles


@pytest.fixture
def arm() -> Puppet:
    return Puppet()


@pytest.fixture
def link(arm: Puppet) -> ArmVelocityLink:
    made = ArmVelocityLink(arm, 10, CYCLE)
    made.drives_on()
    return made


def test_a_set_point_is_sent_as_the_rates_that_lead_to_it(arm: Puppet, link: ArmVelocityLink) -> None:
    for k in range(1, 4):
        arm.go(CYCLE, np.array([1e-3, -2e-3]) * (k - 1))
        link.read()
        assert link.write(link.standing + np.array([1e-3, -2e-3])) is None
        assert arm.sent[-1] == pytest.approx([1.0, -2.0])
    assert link.drift == pytest.approx([0.0, 0.0], abs=1e-5)  # the encoders agree


def test_a_cycle_that_came_late_leads_further(arm: Puppet, link: ArmVelocityLink) -> None:
    arm.go(CYCLE, np.zeros(2))
    link.read()
    link.write(np.array([1e-3, 0.0]))
    arm.go(4 * CYCLE, np.array([4e-3, 0.0]))  # the rate was held for four cycles
    link.read()
    assert link.drift == pytest.approx([3e-3, 0.0])
    assert link.standing == pytest.approx([4e-3, 0.0])
    link.write(np.array([5e-3, 0.0]))
    assert arm.sent[-1] == pytest.approx([1.0, 0.0])  # no jump


def test_readings_that_come_in_pairs_of_cycles_are_not_counted_twice(arm: Puppet, link: ArmVelocityLink) -> None:
    """Every other cycle tells nothing new, and the next one of two cycles: the arm goes where it is sent."""
    place = np.zeros(2)
    for k in range(2000):
        if k and k % 2 == 0:
            arm.go(2 * CYCLE, place)
        link.read()
        assert np.abs(link.drift).max() < 1e-5
        link.write(link.standing + np.array([1e-3, 0.0]))
        place = place + np.array([1e-3, 0.0])
    assert link.standing == pytest.approx([2.0, 0.0], abs=3e-3)


@pytest.mark.parametrize("angle", [1.0, -1e6, 1e17, 1e308])
def test_a_reading_from_nowhere_leads_nowhere(arm: Puppet, link: ArmVelocityLink, angle: float) -> None:
    arm.go(CYCLE, np.zeros(2))
    link.read()
    link.write(np.array([1e-3, 0.0]))
    arm.go(CYCLE, np.array([angle, 0.0]))
    link.read()
    assert abs(link.drift[0]) <= 1e-3  # the way of a cycle
    link.write(link.standing + np.array([1e-3, 0.0]))
    assert arm.sent[-1] == pytest.approx([1.0, 0.0])  # no jump


def test_a_difference_fades_with_the_way(arm: Puppet, link: ArmVelocityLink) -> None:
    """The drives are 2 % fast: in the long run the encoders are ahead by 2 % of the way in which differences fade."""
    place = np.zeros(2)
    for _ in range(8000):
        arm.go(CYCLE, place)
        link.read()
        link.write(link.standing + np.array([1e-3, 0.0]))
        place = place + 1.02 * np.array([1e-3, 0.0])
    ahead = arm.angles[0] - link.standing[0] + 2e-3  # one cycle before the set-point's
    assert ahead == pytest.approx(0.02 * FORGETTING, rel=0.1)


def test_an_arm_that_stands_is_not_forgiven(arm: Puppet, link: ArmVelocityLink) -> None:
    for _ in range(200):
        arm.go(CYCLE, np.zeros(2))
        link.read()
        link.write(link.standing + np.array([1e-3, 0.0]))
    assert link.standing[0] > 0.15  # far beyond what FOLLOWING allows, and nothing at rest


@pytest.mark.parametrize("seconds", [1e9, np.inf, np.nan, -1.0])
def test_whatever_its_clock_says_the_set_point_does_not_leap(
    arm: Puppet, link: ArmVelocityLink, seconds: float
) -> None:
    arm.go(CYCLE, np.zeros(2))
    link.read()
    link.write(np.array([1e-3, 0.0]))
    arm.go(seconds, np.zeros(2))
    link.read()
    assert np.abs(link.drift).max() <= 10 * CYCLE


@pytest.mark.parametrize("angle", [np.nan, np.inf])
def test_what_is_no_number_leads_nowhere(arm: Puppet, link: ArmVelocityLink, angle: float) -> None:
    arm.go(CYCLE, np.zeros(2))
    link.read()
    link.write(np.array([1e-3, 1e-3]))
    arm.go(CYCLE, np.array([angle, 0.0]))
    link.read()
    assert link.drift[0] == 0.0 and np.isfinite(link.standing).all()


def test_silence_and_halts_are_faults(arm: Puppet, link: ArmVelocityLink) -> None:
    for _ in range(10):
        link.read()
        assert link.write(link.standing) is None
    link.read()
    fault = link.write(link.standing)
    assert fault is not None and fault.trouble is Trouble.LOST and "11 cycles, allowed 10" in str(fault)
    arm.halt("as it likes")
    fault = link.write(link.standing)
    assert fault is not None and fault.trouble is Trouble.CONTROLLER and str(fault) == "as it likes"


def test_time_that_has_gone_back_is_silence_until_the_drives_go_on_anew(arm: Puppet, link: ArmVelocityLink) -> None:
    arm.go(-5.0, np.zeros(2))
    for _ in range(11):
        arm.go(CYCLE, np.zeros(2))
        link.read()
        fault = link.write(link.standing)
    assert fault is not None and fault.trouble is Trouble.LOST
    link.drives_off()
    link.drives_on()
    arm.go(CYCLE, np.zeros(2))
    link.read()
    assert link.write(link.standing) is None


def test_drives_do_not_go_on_where_nobody_knows_where_the_arm_is(arm: Puppet) -> None:
    arm.angles = np.array([np.nan, 0.0])
    link = ArmVelocityLink(arm, 10, CYCLE)
    link.drives_on()
    assert not link.all_on
    fault = link.write(np.zeros(2))
    assert fault is not None and "no number" in str(fault) and not arm.sent
    link.drives_off()
    assert link.write(np.zeros(2)) is None
