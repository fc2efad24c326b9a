"""A button is possible exactly when the facility would not refuse it, and says why when it is not."""

from __future__ import annotations

from typing import Any

import pytest

from proxops.console.possibilities import EVENTS, refusals
from proxops.core.clock import LockstepClock
from proxops.core.errors import Refused
from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.desk.status import status
from proxops.facility.trajectories import preflighted
from proxops.facility.warmup import standing
from proxops.lab.any_cell import AnyCell, load_cell, read_any_cell
from proxops.lab.cell import Cell
from proxops.safety.interlocks import Interlocks
from proxops.safety.modes import NEXT

IDLE: dict[str, Any] = {"phase": "idle", "name": ""}
LOADED: dict[str, Any] = {"trajectory": {"source": "file"}}


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def judged(
    cell: AnyCell, mode: Mode, *opened: str, status: dict[str, Any] | None = None, run: dict[str, Any] = IDLE
) -> dict[str, str]:
    interlocks = Interlocks(cell.file.interlock)
    for name in opened:
        interlocks.set(name, False)
    return refusals(mode, interlocks, LOADED if status is None else status, run, hall=isinstance(cell, Cell))


@pytest.mark.parametrize("mode", Mode)
def test_the_mode_table_decides(cell: Cell, mode: Mode) -> None:
    found = judged(cell, mode)
    for request, event in EVENTS.items():
        assert (found[request] == "") == ((mode, event) in NEXT), request
        assert found[request] == "" or mode.name in found[request]


@pytest.mark.parametrize(
    ("name", "rule"), [("door_main", "DOOR"), ("estop_fence", "ESTOP"), ("laser_circuit", "LASER")]
)
def test_an_open_input_forbids_what_would_move(cell: Cell, name: str, rule: str) -> None:
    assert rule in judged(cell, Mode.READY, name)["select bridge"]
    assert rule in judged(cell, Mode.ARMED, name)["move_to_start"]
    assert rule in judged(cell, Mode.AT_START, name)["confirm"]
    assert rule in judged(cell, Mode.MANUAL, name)["jog"]
    assert rule in judged(cell, Mode.STANDBY, name)["drives on"]
    assert rule in judged(cell, Mode.READY, name)["select manual"]  # a mode of motion: it would stop at once
    assert rule in judged(cell, Mode.READY, name)["run_start"]
    assert judged(cell, Mode.READY, name)["select async"] == ""  # nothing moves yet


def test_a_stop_whose_cause_stands_cannot_be_reset(cell: Cell) -> None:
    stopped = {"trajectory": None, "stop": {"rule": "DOOR"}}
    assert "door_main" in judged(cell, Mode.STOPPED, "door_main", status=stopped)["reset"]
    assert judged(cell, Mode.STOPPED, "laser_circuit", status=stopped)["reset"] == ""  # not its cause
    assert judged(cell, Mode.STOPPED, status=stopped)["reset"] == ""


@pytest.mark.parametrize("name", ["door_main", "gate_north", "fence", "laser_circuit", "drive_power_rail", None])
@pytest.mark.parametrize("source", ["manual", "sine", "async"])
def test_the_desk_itself_says_the_same(cell: Cell, name: str | None, source: str) -> None:
    """The very desk, asked: what the button says is what it does."""
    clock = LockstepClock()
    hall = build(cell, clock, seed=1, record=None)
    hall.desk.load(preflighted(cell, standing(cell, System.IJT)))
    hall.desk.drives(True)
    while hall.facility.mode is not Mode.READY:
        hall.facility.tick()
    if name:
        hall.desk.interlock(name, False)
    said = judged(cell, Mode.READY, *([name] if name else []))[f"select {source}"]
    try:
        hall.desk.select(source)
    except Refused as reason:
        assert said == str(reason)
    else:
        assert said == ""
    hall.close()


def test_an_open_fence_still_allows_to_jog(cell: Cell) -> None:
    assert judged(cell, Mode.MANUAL, "fence")["jog"] == ""
    assert "FENCE" in judged(cell, Mode.READY, "fence")["select bridge"]


def test_async_needs_a_trajectory(cell: Cell) -> None:
    assert "no trajectory" in judged(cell, Mode.READY, status={"trajectory": None})["select async"]


@pytest.mark.parametrize(
    ("phase", "possible"),
    [
        ("idle", {"run_start"}), ("starting", {"run_end"}), ("running", {"run_pause", "run_end"}),
        ("paused", {"run_resume", "run_end"}), ("ended", {"run_start"}), ("failed", {"run_start"}),
    ],
)  # fmt: skip
def test_a_run_can_do_what_its_phase_allows(cell: Cell, phase: str, possible: set[str]) -> None:
    found = judged(cell, Mode.READY, run={"phase": phase, "name": "straight"})
    assert {name for name, why in found.items() if name.startswith("run_") and not why} == possible


def test_a_run_that_lost_the_hall_waits_until_it_is_ready(cell: Cell) -> None:
    found = judged(cell, Mode.STOPPED, run={"phase": "paused", "name": "straight"})
    assert "STOPPED" in found["run_resume"] and found["run_end"] == ""


@pytest.mark.parametrize(
    ("mode", "request_"),
    [
        (Mode.READY, "select manual"), (Mode.READY, "select sine"), (Mode.READY, "select bridge"), (Mode.READY, "run_start"),
        (Mode.ARMED, "move_to_start"), (Mode.AT_START, "confirm"), (Mode.MANUAL, "jog"), (Mode.SINE, "sine"),
    ],
)  # fmt: skip
def test_nothing_begins_that_would_not_be_recorded(cell: Cell, mode: Mode, request_: str) -> None:
    assert judged(cell, mode)[request_] == ""
    assert "recorder_hung" in judged(cell, mode, status=LOADED | {"not_recorded": "recorder_hung: 1 s"})[request_]
    assert judged(cell, Mode.STANDBY, status=LOADED | {"not_recorded": "recorder_hung: 1 s"})["drives on"] == ""


@pytest.mark.parametrize("mode", Mode)
def test_a_cell_of_arms_offers_no_commands_of_a_hall(mode: Mode) -> None:
    found = judged(read_any_cell("kube"), mode)
    for request in ("select sync", "select async", "select bridge", "move_to_start", "confirm", "load", "run_start"):
        assert found[request] == "needs a hall of two arms and a rail"
    for request in ("drives on", "drives off", "select manual", "select sine", "select none", "reset"):
        assert (found[request] == "") == ((mode, EVENTS[request]) in NEXT), request


def test_the_desk_of_a_cell_of_arms_offers_what_it_has() -> None:
    cell = read_any_cell("kube")
    hall = build(cell, LockstepClock(period_ns=cell.period_ns), seed=1, record=None)
    hall.desk.drives(True)
    while hall.facility.mode is not Mode.READY:
        hall.facility.tick()
    assert status(hall.desk)["possible"] == ["drives off", "select manual", "select sine"]
    with pytest.raises(Refused, match="possible now: drives off, select manual, select sine, safe stop"):
        hall.desk.confirm()
    hall.close()
