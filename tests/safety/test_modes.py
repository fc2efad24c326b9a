"""The mode table, walked completely: every mode with every event, against the same table written out by hand."""

import pytest

from proxops.core.vocabulary import Mode
from proxops.safety.modes import NEXT, OWN, STILL, Event, allowed, next_mode

M, E = Mode, Event
MOVING = set(Mode) - STILL

# What may happen, mode by mode; everything that is not here changes nothing. TRIP is in every row.
BY_HAND: dict[Mode, dict[Event, Mode]] = {
    M.STANDBY: {E.DRIVES_ON: M.RELEASING, E.TRIP: M.STOPPED},
    M.RELEASING: {E.RELEASED: M.READY, E.DRIVES_OFF: M.STANDBY, E.TRIP: M.STOPPED},
    M.READY: {
        E.DRIVES_OFF: M.STANDBY, E.SELECT_SYNC: M.ARMED, E.SELECT_ASYNC: M.ARMED, E.SELECT_MANUAL: M.MANUAL,
        E.SELECT_SINE: M.SINE, E.SELECT_BRIDGE: M.BRIDGED, E.BEGIN: M.RUNNING, E.TRIP: M.STOPPING,
    },
    M.MANUAL: {E.DESELECT: M.ENDING, E.TRIP: M.STOPPING},
    M.SINE: {E.DESELECT: M.ENDING, E.FINISHED: M.ENDING, E.TRIP: M.STOPPING},
    M.ARMED: {E.DESELECT: M.READY, E.MOVE_TO_START: M.MOVING_TO_START, E.TRIP: M.STOPPING},
    M.MOVING_TO_START: {E.ARRIVED: M.AT_START, E.TRIP: M.STOPPING},
    M.AT_START: {
        E.CONFIRM: M.RUNNING, E.MOVE_TO_START: M.MOVING_TO_START, E.DESELECT: M.READY, E.TRIP: M.STOPPING,
    },
    M.RUNNING: {E.FINISHED: M.ENDING, E.TRIP: M.STOPPING},
    M.ENDING: {E.STANDSTILL: M.READY, E.TRIP: M.STOPPING},
    M.BRIDGED: {E.HALT: M.HALTING, E.DESELECT: M.ENDING, E.TRIP: M.STOPPING},
    M.HALTING: {E.STANDSTILL: M.BRIDGED, E.DESELECT: M.ENDING, E.TRIP: M.STOPPING},
    M.STOPPING: {E.STANDSTILL: M.STOPPED, E.TRIP: M.STOPPING},
    M.STOPPED: {E.RESET: M.READY, E.RESET_OFF: M.STANDBY, E.TRIP: M.STOPPED},
}  # fmt: skip


def reachable(start: Mode, without: frozenset[Event] = frozenset()) -> set[Mode]:
    """All modes that some sequence of events leads to."""
    found, fresh = {start}, [start]
    while fresh:
        mode = fresh.pop()
        for event in Event:
            after = next_mode(mode, event)
            if after is not None and event not in without and after not in found:
                found.add(after)
                fresh.append(after)
    return found


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_with_every_event(mode: Mode) -> None:
    for event in Event:
        assert next_mode(mode, event) is BY_HAND[mode].get(event), event


def test_the_table_holds_nothing_else() -> None:
    assert {(m, e): after for m, row in BY_HAND.items() for e, after in row.items()} == NEXT


@pytest.mark.parametrize("mode", list(Mode))
def test_a_trip_wins_from_anywhere(mode: Mode) -> None:
    """Whatever moves is braked; what stands is latched."""
    assert next_mode(mode, Event.TRIP) in ({Mode.STOPPING} if mode in MOVING else {Mode.STOPPING, Mode.STOPPED})


@pytest.mark.parametrize("mode", list(Mode))
def test_after_a_trip_only_reset_leads_out(mode: Mode) -> None:
    """Latched: without a reset, no sequence of events ever leaves STOPPING and STOPPED."""
    stopped = next_mode(mode, Event.TRIP)
    assert stopped is not None
    resets = frozenset({Event.RESET, Event.RESET_OFF})
    assert reachable(stopped, without=resets) <= {Mode.STOPPING, Mode.STOPPED}
    assert Mode.STOPPED in reachable(stopped, without=resets)


def test_every_mode_can_be_reached_from_standby() -> None:
    assert reachable(Mode.STANDBY) == set(Mode)
    assert reachable(Mode.STANDBY, without=frozenset({Event.TRIP})) == set(Mode) - {Mode.STOPPING, Mode.STOPPED}


@pytest.mark.parametrize("mode", sorted(MOVING))
def test_every_moving_mode_comes_back_to_ready(mode: Mode) -> None:
    assert Mode.READY in reachable(mode)


@pytest.mark.parametrize("mode", sorted(MOVING - {Mode.STOPPING}))
def test_every_moving_mode_also_ends_without_a_trip(mode: Mode) -> None:
    assert Mode.READY in reachable(mode, without=frozenset({Event.TRIP}))


def test_running_needs_arming_moving_to_start_and_confirming() -> None:
    """No way round the operator's confirmation, and none round the move to start; but for an application of ours, which begins
    where the robots stand and which nobody can ask for over a channel."""
    assert Event.BEGIN in OWN
    for step in (Event.CONFIRM, Event.MOVE_TO_START, Event.ARRIVED):
        assert Mode.RUNNING not in reachable(Mode.STANDBY, without=frozenset({step, Event.BEGIN}))
    neither = frozenset({Event.SELECT_SYNC, Event.SELECT_ASYNC, Event.BEGIN})
    assert Mode.RUNNING not in reachable(Mode.STANDBY, without=neither)


def test_motion_never_begins_from_standby() -> None:
    assert not {next_mode(Mode.STANDBY, event) for event in Event} & MOVING


def test_drives_go_off_only_where_nothing_moves() -> None:
    """STANDBY (brakes closed) follows only from modes that stand."""
    before = {m for (m, _), after in NEXT.items() if after is Mode.STANDBY}
    assert not before & MOVING


def test_moving_modes() -> None:
    assert set(MOVING) == {
        Mode.MANUAL, Mode.SINE, Mode.MOVING_TO_START, Mode.RUNNING, Mode.STOPPING, Mode.ENDING,
        Mode.BRIDGED, Mode.HALTING,
    }  # fmt: skip


@pytest.mark.parametrize("mode", list(Mode))
def test_a_refusal_names_what_an_operator_can_ask_for(mode: Mode) -> None:
    expected = sorted(e.value for e in BY_HAND[mode] if e not in OWN)
    assert allowed(mode, hall=True) == expected
    assert "trip" not in allowed(mode, hall=True)
    of_a_hall = {"select sync", "select async", "select bridge"}
    assert allowed(mode, hall=False) == [request for request in expected if request not in of_a_hall]


def test_modes_keep_their_numbers() -> None:
    """They stand in logs and answers."""
    assert {m.name: int(m) for m in Mode} == {
        "STANDBY": 0, "READY": 1, "MANUAL": 2, "SINE": 3, "ARMED": 4, "MOVING_TO_START": 5, "AT_START": 6, "RUNNING": 7,
        "STOPPING": 8, "STOPPED": 9, "RELEASING": 10, "ENDING": 11, "BRIDGED": 12, "HALTING": 13,
    }  # fmt: skip
