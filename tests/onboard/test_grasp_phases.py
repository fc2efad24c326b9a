"""The table of a catch's phases: every phase with every event."""

import pytest

from proxops.onboard.grasp_phases import FINGERS_CLOSE, FOLLOWS_PATH, NEXT, GraspEvent, GraspPhase, next_phase


@pytest.mark.parametrize("phase", GraspPhase)
@pytest.mark.parametrize("event", GraspEvent)
def test_every_phase_with_every_event(phase: GraspPhase, event: GraspEvent) -> None:
    to = next_phase(phase, event)
    if phase is GraspPhase.HALTED or event is GraspEvent.BAD_MEASUREMENT:
        assert to is GraspPhase.HALTED  # nothing leads out
    elif event is GraspEvent.OVERLOAD:
        assert to is GraspPhase.STOPPED
    else:
        assert to is NEXT.get((phase, event), phase)


def test_what_was_lost_is_not_taken_up_again() -> None:
    for end in (GraspPhase.MISSED, GraspPhase.STOPPED, GraspPhase.HALTED):
        reached, todo = {end}, [end]
        while todo:
            phase = todo.pop()
            for event in GraspEvent:
                to = next_phase(phase, event)
                if to not in reached:
                    reached.add(to)
                    todo.append(to)
        assert reached <= {GraspPhase.MISSED, GraspPhase.STOPPED, GraspPhase.HALTED}
        assert end not in FINGERS_CLOSE
        assert end not in FOLLOWS_PATH
