"""The table of phases, walked through; corridor shares; the watch over thrusters."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import proxops
from proxops.core.flight import onboard_data
from proxops.core.mission import Corridor, parse_mission
from proxops.core.vocabulary import AbortCause, MissionPhase
from proxops.onboard.allocation import Allocation
from proxops.onboard.approach_logic import NEXT, ApproachEvent, ApproachLogic
from proxops.onboard.corridor import axis_share, line_share
from proxops.onboard.thruster_watch import WINDOW, ThrusterWatch

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"
STEPS = (MissionPhase.HOLD, MissionPhase.APPROACH, MissionPhase.FLY_AROUND, MissionPhase.FINAL)


@pytest.mark.parametrize("event", ApproachEvent)
@pytest.mark.parametrize("phase", MissionPhase)
def test_every_phase_with_every_event(phase: MissionPhase, event: ApproachEvent) -> None:
    logic = ApproachLogic()
    logic.phase = phase
    logic.happen(event, AbortCause.CORRIDOR)
    after = NEXT.get((phase, event))
    assert logic.phase == (phase if after is None else after)
    assert logic.unexpected == (after is None)
    gave_up = after is not None and event is ApproachEvent.ABORT
    assert logic.cause == (AbortCause.CORRIDOR if gave_up else AbortCause.NONE)


def test_what_the_table_promises() -> None:
    assert all(NEXT[phase, ApproachEvent.ABORT] == MissionPhase.RETREAT for phase in STEPS)  # from any step
    assert NEXT[MissionPhase.REACQUISITION, ApproachEvent.ABORT] == MissionPhase.RETREAT
    ends = (MissionPhase.MATED, MissionPhase.DRIFT, MissionPhase.NONE)
    assert not [pair for pair in NEXT if pair[0] in ends]
    assert [pair for pair, after in NEXT.items() if after == MissionPhase.MATED] == [
        (MissionPhase.FINAL, ApproachEvent.CONTACT),
        (MissionPhase.REACQUISITION, ApproachEvent.CONTACT),  # while it comes to rest
    ]
    assert {pair[0] for pair, after in NEXT.items() if after == MissionPhase.FINAL} == {
        MissionPhase.HOLD,
        MissionPhase.FLY_AROUND,
        MissionPhase.REACQUISITION,
    }


def test_corridor_shares() -> None:
    cone = Corridor(half_angle_deg=45.0, radius_m=0.25)
    behind = np.array([-1.0, 0.0, 0.0])
    assert line_share(np.array([-6.0, 0.0, 0.625]), behind, 5.0, cone) == pytest.approx(0.5)
    assert line_share(np.array([-4.0, 0.25, 0.0]), behind, 5.0, cone) == pytest.approx(1.0)  # no narrower past its end
    assert axis_share(np.array([1.0, 0.75, 1.0]), cone) == pytest.approx(1.0)
    assert axis_share(np.array([0.0, 0.3, 0.4]), cone) == pytest.approx(2.0)


def watch(late_cycles: int = 0) -> ThrusterWatch:
    data = replace(onboard_data(parse_mission(SOURCE.read_text(), SOURCE).file), late_cycles=late_cycles)
    return ThrusterWatch(Allocation(data).wrench, data)


def test_stuck_open_is_isolated_at_once() -> None:
    w = watch()
    w.look(np.full(24, 0.1))  # nothing was commanded yet: nothing to compare with
    assert w.healthy.all()
    w.remember(np.zeros(24))
    pressure = np.zeros(24)
    pressure[7] = 0.1
    w.look(pressure)
    assert w.isolated.tolist() == [i == 7 for i in range(24)]
    assert not w.healthy[7]
    assert w.enough


def test_stuck_closed_needs_two_refusals_in_a_row_of_firings() -> None:
    w = watch()
    asked, silent = np.zeros(24), np.zeros(24)
    asked[3] = 0.04
    for pressure, healthy in ((silent, True), (asked, True), (silent, True), (silent, False)):
        w.remember(asked)
        w.look(pressure)
        assert bool(w.healthy[3]) is healthy
        w.remember(silent)
        w.look(silent)  # cycles without a command say nothing
        assert bool(w.healthy[3]) is healthy
    assert not w.isolated.any()


def seen(w: ThrusterWatch, commanded: list[float], fired: list[float]) -> list[bool]:
    """Whether thruster 4 counts as healthy after each cycle; ``fired``: pressure in the cycle that each command begins."""
    told, healthy = np.zeros(24), []
    for asked_s, fired_s in zip(commanded, fired, strict=True):
        told[3] = asked_s
        w.remember(told)
        told[3] = fired_s
        w.look(told)
        healthy.append(bool(w.healthy[3]))
    return healthy


def test_a_pulse_that_comes_late_is_neither_unasked_nor_refused_where_lateness_is_allowed() -> None:
    asked, late = [0.08, 0.04, 0.0, 0.0, 0.0, 0.0], [0.0, 0.05, 0.03, 0.04, 0.0, 0.0]
    assert not all(seen(watch(), asked, late))
    assert all(seen(watch(late_cycles=2), asked, late))


def test_an_allowance_for_lateness_hides_no_failure_for_longer_than_it_lasts() -> None:
    stuck_open = seen(watch(late_cycles=2), [0.05, 0.0, 0.0, 0.0], [0.05, 0.05, 0.05, 0.05])
    assert stuck_open == [True, False, False, False]  # more than was ever commanded
    stuck_closed = seen(watch(late_cycles=2), [0.05, 0.05, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
    assert stuck_closed == [True, True, True, False]


@pytest.mark.parametrize("used_s", [0.02, 0.05, 0.08])
def test_a_thruster_that_sticks_open_while_it_is_used_is_found_within_the_window(used_s: float) -> None:
    """Its pressure is never more than what three commands together ask for."""
    healthy = seen(watch(late_cycles=2), [used_s] * 60, [used_s] * 30 + [0.1] * 30)
    assert all(healthy[:30]) and not healthy[30 + 2 * WINDOW]


@pytest.mark.parametrize("seed", range(5))
def test_commands_that_are_carried_out_up_to_two_cycles_late_are_no_failure(seed: int) -> None:
    """Each some time after the one before, so that the computer answers in turn; a newer one ends what is left of an older."""
    rng = np.random.default_rng(seed)
    commanded = np.where(rng.random(400) < 0.7, rng.uniform(0.02, 0.1, 400), 0.0).round(3)
    begins = np.maximum.accumulate(np.arange(400) + rng.uniform(0.0, 1.9, 400)) * 100.0  # ms
    valve = np.zeros(40_400, dtype=bool)
    for k in range(400):
        end = begins[k + 1] if k < 399 else 40_400.0
        valve[round(begins[k]) : round(min(end, begins[k] + 1000.0 * commanded[k]))] = True
    fired = valve[:40_000].reshape(400, 100).sum(axis=1) * 1e-3
    w = watch(late_cycles=2)
    w._min_on_s = 1.0  # whether pulses that a newer command has cut short are refused is not asked here
    assert all(seen(w, commanded.tolist(), fired.tolist()))


def test_too_few_left() -> None:
    w = watch()
    asked = np.full(24, 0.02)
    pressure = np.where(np.arange(24) % 3 == 2, 0.0, 0.02)  # all along x refuse
    for _ in range(2):
        w.remember(asked)
        w.look(pressure)
    assert w.healthy.sum() == 16
    assert not w.enough
