"""The loop with an arm in it, through the facility: arms that misbehave, laws that ask for too much, ends at any moment."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.kube.application import KubeApplication
from proxops.applications.kube.bench import KubeBench, prepare
from proxops.applications.kube.parts import KubeParts
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.arms.model import load_model
from proxops.core.clock import Clock
from proxops.core.errors import ProxopsError
from proxops.lab.links.arm import Arm, Measured
from proxops.lab.links.arm_velocity import ArmVelocityLink
from proxops.lab.virtual_iiwa import IiwaTraits, VirtualIiwa
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw
from proxops.runs.arm_parts import ArmRan
from proxops.runs.arm_run import lockstep

PATH = experiment_paths()["kube"]
ACCELERATION = 15.72  # rad/s2, the greatest of the joints'


@pytest.fixture(scope="module")
def bench() -> KubeBench:
    file = parse_experiment(PATH.read_text(), PATH).file
    assert isinstance(file, HardwareLoopFile)
    return prepare(file, load_model("iiwa_satellite", "flange"))


class ScriptedArm:
    """At 1 kHz: measures as told by ``at(cycle)`` (None: it stands at the start) and keeps every command."""

    def __init__(self, bench: KubeBench, at: Callable[[int], Measured | BaseException | None]) -> None:
        self._at, self._start, self.reads, self.commands = at, bench.joints, 0, list[np.ndarray]()
        self.halted, self.rates, self.at_rest = "", np.zeros(7), True

    def read(self) -> Measured:
        self.reads += 1
        assert self.reads < 6000, "the loop does not end"
        told = self._at(self.reads)
        if isinstance(told, BaseException):
            raise told
        measured = told or Measured(self.reads * 1e-3, self._start.copy(), np.zeros(7), "")
        self.halted = self.halted or measured.halted
        return measured

    def command(self, wish: np.ndarray, answers: float) -> None:
        self.commands.append(wish.copy())

    def halt(self, cause: str) -> None:
        self.halted = self.halted or cause

    def clear(self) -> None:
        self.halted = ""


class OtherArm(KubeParts):
    """With any arm behind the link."""

    def __init__(self, bench: KubeBench, arm: Arm, duration_s: float = 1.0) -> None:
        super().__init__(bench, 1, duration_s=duration_s)
        self._arm = arm

    def link(self, clock: Clock) -> ArmVelocityLink:
        return ArmVelocityLink(self._arm, 50, 1e-3)


def kept(ran: ArmRan[KubeApplication]) -> np.ndarray:
    rows: np.ndarray = ran.application.rows[: ran.application.count]
    return rows


def softly(commands: list[np.ndarray]) -> None:
    """From the beginning to rest at the end, within the acceleration from cycle to cycle."""
    steps = np.diff(np.array([np.zeros(7), *commands]), axis=0)
    assert np.abs(steps).max() <= ACCELERATION * 1e-3 * (1.0 + 1e-6)
    assert np.abs(commands[-1]).max() < 1e-4  # the next cycle stands, or the drives are off


def test_a_measurement_that_comes_twice_counts_once(bench: KubeBench) -> None:
    arm = ScriptedArm(bench, lambda k: Measured((k // 2) * 1e-3, bench.joints.copy(), np.zeros(7), ""))
    ran = lockstep(OtherArm(bench, arm, 0.02))
    assert kept(ran)["t"] == pytest.approx(np.arange(21) * 1e-3)
    assert not ran.application.failure


@pytest.mark.parametrize("halted", ["", "as it likes"])
def test_an_arm_whose_time_stands_still_ends_the_loop(bench: KubeBench, halted: str) -> None:
    arm = ScriptedArm(bench, lambda k: Measured(0.02, bench.joints.copy(), np.zeros(7), halted) if k >= 20 else None)
    ran = lockstep(OtherArm(bench, arm))
    stands = (
        "LINK_LOST: no word from the robots' controllers (no new measurement for 51 cycles, allowed 50: the arm's time "
    )
    words = ran.application.failure
    assert words.startswith("CONTROLLER_FAULT" if halted else stands) and halted in words
    assert kept(ran)["t"][-1] < 0.02
    softly(arm.commands)


def test_an_arm_whose_time_goes_back_ends_the_loop_at_once(bench: KubeBench) -> None:
    """Until it were where it has been, no reading would be looked at, and the last rates would be held."""

    def back(k: int) -> Measured | None:
        return Measured(k * 1e-3 - 10.0, bench.joints.copy(), np.zeros(7), "") if k >= 20 else None

    arm = ScriptedArm(bench, back)
    ran = lockstep(OtherArm(bench, arm))
    assert "reading of -9.9800 s is older than the one before, of 0.0190 s" in ran.application.failure
    assert kept(ran)["t"][-1] < 0.02
    softly(arm.commands)


def bad_angles(bench: KubeBench, value: float) -> np.ndarray:
    return np.where(np.arange(7) == 2, value, bench.joints)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.nan, "A3: measured angle is no number: nan (at 0.020 s)"),
        (np.inf, "A3: measured angle is no number: inf (at 0.020 s)"),
        # 100 deg/s for 1 ms, half as much again, and the encoder's error: 0.15 deg
        (0.2, "A3: measured angle jumps by 0.2 deg within 1 ms, allowed 0.15"),
        (1e9, "A3: measured angle jumps by 1e+09 deg within 1 ms, allowed 0.15"),
    ],
)
def test_what_joints_cannot_do_never_reaches_the_law(bench: KubeBench, value: float, words: str) -> None:
    angle = bench.joints[2] + np.radians(value)
    arm = ScriptedArm(bench, lambda k: Measured(0.02, bad_angles(bench, angle), np.zeros(7), "") if k == 20 else None)
    ran = lockstep(OtherArm(bench, arm))
    assert ran.application.failure.startswith("FOLLOWING") and words in ran.application.failure
    rows = kept(ran)
    assert np.isfinite(rows["commanded"]).all() and np.isfinite(rows["angles"]).all()
    assert np.isfinite(arm.commands).all()
    if np.isfinite(value):
        softly(arm.commands)
    else:  # nobody knows where the arm is: it is told at once to come to rest by itself
        assert arm.halted == "drives off" and len(arm.commands) < 22


def test_a_first_measurement_that_cannot_be_used_moves_nothing(bench: KubeBench) -> None:
    arm = ScriptedArm(bench, lambda k: Measured(k * 1e-3, bad_angles(bench, np.nan), np.zeros(7), ""))
    with pytest.raises(ProxopsError, match=r"CONTROLLER_FAULT: robot controller fault .a measured angle is no number"):
        lockstep(OtherArm(bench, arm))
    assert not arm.commands


def test_rest_is_commanded_when_the_cable_fails(bench: KubeBench) -> None:
    """Whatever fails is an error of the link's: the last resort brakes on."""
    arm = ScriptedArm(bench, lambda k: OSError("cable") if k == 40 else None)
    with pytest.raises(OSError, match="cable"):
        lockstep(OtherArm(bench, arm))
    assert np.abs(np.array(arm.commands)).max() > 0.0
    softly(arm.commands)


@pytest.mark.parametrize("fails", [1, 3])
def test_what_was_decided_and_not_sent_is_not_made_up_for(
    bench: KubeBench, monkeypatch: pytest.MonkeyPatch, fails: int
) -> None:
    """The cable fails between guard and arm: the rates that follow are no faster than those before."""
    sent, write, cycles = list[np.ndarray](), ArmVelocityLink.write, [0]

    class Heard(VirtualIiwa):
        def command(self, wish: np.ndarray, answers: float) -> None:
            sent.append(wish.copy())
            super().command(wish, answers)

    class HeardParts(KubeParts):
        def link(self, clock: Clock) -> ArmVelocityLink:
            link = super().link(clock)
            link.arm.__class__ = Heard
            return link

    def failing(link: ArmVelocityLink, setpoint: np.ndarray) -> object:
        cycles[0] += 1
        if 300 <= cycles[0] < 300 + fails:
            raise OSError("cable")
        return write(link, setpoint)

    monkeypatch.setattr(ArmVelocityLink, "write", failing)
    with pytest.raises(OSError, match="cable"):
        lockstep(HeardParts(bench, 1, duration_s=1.0))
    assert np.abs(sent[298]).max() > 0.5
    steps = np.diff(np.array(sent), axis=0)
    assert np.abs(steps).max() <= (1 + fails) * ACCELERATION * 1e-3  # the brake goes on meanwhile
    assert np.abs(sent[-1]).max() < 1e-4
    assert len(sent) < 1000  # nobody waits for an arm that stands


def test_a_moving_arm_is_braked_by_the_guard_and_not_by_its_own_halt(bench: KubeBench) -> None:
    """It answers real measurements until it stands; an exception that ends the loop changes nothing of that."""
    parts, arms = KubeParts(bench, 1, duration_s=5.0), list[VirtualIiwa]()

    def at_speed(application: KubeApplication) -> None:
        arm = application._arm
        assert isinstance(arm, VirtualIiwa)
        arms[:] = [arm]
        if application.t > 0.3:
            assert np.abs(arm.rates).max() > 0.3
            raise RuntimeError("at the worst moment")

    with pytest.raises(RuntimeError, match="at the worst moment"):
        lockstep(parts, each_cycle=at_speed)
    assert np.abs(arms[0].rates).max() < 1e-4 and arms[0].halted.startswith("drives off")  # once it stood


def test_a_loop_that_is_quicker_than_the_robot_is_no_trouble(bench: KubeBench) -> None:
    """At 2 kHz every other cycle has nothing new to go by."""
    loop = bench.file.loop.model_copy(update={"rate_hz": 2000})
    quick = replace(bench, file=bench.file.model_copy(update={"loop": loop}))
    ran = lockstep(KubeParts(quick, 1, duration_s=0.7))
    assert not ran.application.failure
    rows = kept(ran)
    assert rows["t"] == pytest.approx(np.arange(701) * 1e-3)
    assert np.abs(rows["rates"]).max() > 0.3


def unchecked(traits: IiwaTraits) -> IiwaTraits:
    """The virtual robot's own checks are switched off: it would follow anything."""
    free = np.full(7, np.inf)
    return replace(traits, lower=-free, upper=free, speed=free)


def test_the_guard_holds_the_arm_within_its_limits_when_the_robot_would_not(bench: KubeBench) -> None:
    far = replace(bench, goal_p=np.array([0.3, 0.0, -0.2]))  # beyond what a joint allows
    ran = lockstep(KubeParts(far, 1, duration_s=6.0, true=unchecked(bench.traits)))
    assert ran.application.failure.startswith("AXIS_RANGE: axis would leave its range before it can stand (robot1_a")
    rows = kept(ran)
    assert (rows["angles"] > bench.traits.lower).all() and (rows["angles"] < bench.traits.upper).all()
    assert np.abs(rows["rates"][-1]).max() < 0.01


@pytest.mark.parametrize(
    ("spoilt", "rule"), [(np.nan, "NOT_FINITE"), (9.0, "JUMP"), (1.5, "AXIS_SPEED"), (-1.0, "AXIS_ACCELERATION")]
)
def test_rates_beyond_a_limit_are_refused_by_the_guard(
    bench: KubeBench, monkeypatch: pytest.MonkeyPatch, spoilt: float, rule: str
) -> None:
    """Whatever the law says, with the robot's own checks switched off."""
    sound, cycles = DynamicJacobianLaw.step, [0]

    def step(law: DynamicJacobianLaw, *given: object) -> np.ndarray:
        cycles[0] += 1
        rates = sound(law, *given)  # type: ignore[arg-type]
        return np.where(np.arange(7) == 3, spoilt, rates) if cycles[0] > 300 else rates

    monkeypatch.setattr(DynamicJacobianLaw, "step", step)
    ran = lockstep(KubeParts(bench, 1, duration_s=1.0, true=unchecked(bench.traits)))
    assert ran.application.failure.startswith(rule) and "robot1_a4" in ran.application.failure
    sent = kept(ran)["commanded"]
    assert np.isfinite(sent).all() and np.abs(np.diff(sent, axis=0)).max() <= ACCELERATION * 1e-3 * (1.0 + 1e-6)
    assert np.abs(kept(ran)["rates"][-1]).max() < 0.01


def test_cycles_that_are_lost_at_the_worst_moment_leave_the_arm_within_its_range(bench: KubeBench) -> None:
    """An arm that takes rates goes on through them, at the begin of a brake too: that way is kept free."""
    far = replace(bench, goal_p=np.array([0.3, 0.0, -0.2]))
    lost = [38]

    def hold_up(application: KubeApplication) -> None:
        if application.failure and lost:
            application._f.clock.tick += lost.pop()  # under the 40 ms after which the facility stops by itself

    ran = lockstep(KubeParts(far, 1, duration_s=6.0, true=unchecked(bench.traits)), each_cycle=hold_up)
    assert ran.application.failure.startswith("AXIS_RANGE") and not lost
    rows = kept(ran)
    assert (rows["angles"] > bench.traits.lower).all() and (rows["angles"] < bench.traits.upper).all()


def test_an_arm_whose_clock_leaps_is_stopped(bench: KubeBench) -> None:
    arm = ScriptedArm(bench, lambda k: Measured(k * 1e-3 + 1000.0 * (k >= 20), bench.joints.copy(), np.zeros(7), ""))
    ran = lockstep(OtherArm(bench, arm))
    assert "comes 1000 s after the one before, allowed 0.052 s" in ran.application.failure
    softly(arm.commands)


def test_an_arm_that_does_not_follow_is_stopped(bench: KubeBench) -> None:
    """Its encoders stand still while it is sent away."""
    arm = ScriptedArm(bench, lambda k: None)
    ran = lockstep(OtherArm(bench, arm, 1.9))
    assert ran.application.failure.startswith("FOLLOWING: axis is not where its set-points have led (robot1_a")
    softly(arm.commands)


def test_an_arm_that_runs_ahead_stops_within_its_range(bench: KubeBench) -> None:
    """Drives that are 2 % too fast: the encoders are ahead of what was sent, by a degree in the long run."""

    class Fast(VirtualIiwa):
        def command(self, wish: np.ndarray, answers: float) -> None:
            super().command(1.02 * wish, answers)

    class FastParts(KubeParts):
        def link(self, clock: Clock) -> ArmVelocityLink:
            link = super().link(clock)
            link.arm.__class__ = Fast
            return link

    far = replace(bench, goal_p=np.array([0.3, 0.0, -0.2]))
    ran = lockstep(FastParts(far, 1, duration_s=6.0, true=unchecked(bench.traits)))
    assert ran.application.failure.startswith("AXIS_RANGE")
    angles = kept(ran)["angles"]
    assert (angles > bench.traits.lower).all() and (angles < bench.traits.upper).all()
