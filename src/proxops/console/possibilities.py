"""What an operator may ask for now, and why not: from the mode table, the interlocks and what lies on the desk."""

from __future__ import annotations

from typing import Any, Final

from proxops.core.vocabulary import Mode
from proxops.safety.interlocks import KINDS, Interlocks
from proxops.safety.modes import NEXT, Event

EVENTS: Final = {
    "drives on": Event.DRIVES_ON,
    "drives off": Event.DRIVES_OFF,
    "select bridge": Event.SELECT_BRIDGE,
    "select sync": Event.SELECT_SYNC,
    "select async": Event.SELECT_ASYNC,
    "select manual": Event.SELECT_MANUAL,
    "select sine": Event.SELECT_SINE,
    "select none": Event.DESELECT,
    "move_to_start": Event.MOVE_TO_START,
    "confirm": Event.CONFIRM,
    "reset": Event.RESET,
}
# Request → mode of the motion that it begins, which interlocks may forbid. Drives and jog: what the fence still allows.
BEGINS: Final = {
    "drives on": Mode.MANUAL,
    "select bridge": Mode.BRIDGED,
    "select manual": Mode.MANUAL,
    "select sine": Mode.SINE,
    "move_to_start": Mode.MOVING_TO_START,
    "confirm": Mode.RUNNING,
    "jog": Mode.MANUAL,
    "sine": Mode.SINE,
}
NEEDS: Final = {"jog": Mode.MANUAL, "sine": Mode.SINE}
NEEDS_HALL: Final = "needs a hall of two arms and a rail"
OF_A_HALL: Final = (
    "select bridge", "select sync", "select async", "move_to_start", "confirm", "accept", "load", "run_start",
)  # fmt: skip
LOADING: Final = (Mode.STANDBY, Mode.READY, Mode.STOPPED)


def refusals(
    mode: Mode, interlocks: Interlocks, status: dict[str, Any] | None, run: dict[str, Any], *, hall: bool
) -> dict[str, str]:
    """Request → why it is not possible now, empty when it is. ``hall``: the cell is two arms and a rail."""
    found = {request: _by_mode(mode, event) for request, event in EVENTS.items()}
    found |= {
        request: "" if mode is needed else f"needs {needed.name}, this is {mode.name}"
        for request, needed in NEEDS.items()
    }
    unrecorded = (status or {}).get("not_recorded", "")
    for request, begun in BEGINS.items():
        stop = interlocks.forbids_start(begun)
        if stop and not found[request]:
            found[request] = str(stop)
        elif unrecorded and not found[request] and request != "drives on":
            found[request] = f"{request.replace('_', ' ')}: {unrecorded}"
    found["reset"] = found["reset"] or _cause_stands(interlocks, status)
    found["load"] = "" if mode in LOADING else f"not in {mode.name}: select none first"
    if not found["select async"] and not (status or {}).get("trajectory"):
        found["select async"] = "no trajectory is loaded"
    waits = ((status or {}).get("bridge") or {}).get("new_client")
    found["accept"] = "" if waits else "no new client waits at the bridge"
    found["hardware simulation"] = ""
    found["hardware real"] = "this cell has no link to real controllers"
    found |= _of_runs(mode, found["select bridge"] if mode is Mode.READY else "", run)
    return found if hall else found | dict.fromkeys(OF_A_HALL, NEEDS_HALL)


def _by_mode(mode: Mode, event: Event) -> str:
    if (mode, event) in NEXT:
        return ""
    where = sorted({m.name for (m, e) in NEXT if e is event})
    return f"only in {', '.join(where)}; this is {mode.name}"


def _cause_stands(interlocks: Interlocks, status: dict[str, Any] | None) -> str:
    """Why a stop cannot be acknowledged yet."""
    stop = (status or {}).get("stop") or {}
    still = [name for name, kind in interlocks.open.items() if KINDS[kind][0].name == stop.get("rule")]
    return f"its cause stands: {', '.join(still)}" if still else ""


def _of_runs(mode: Mode, forbidden: str, run: dict[str, Any]) -> dict[str, str]:
    """``forbidden``: why the bridge may not have the hall now."""
    phase = run.get("phase", "idle")
    going = phase in ("starting", "running", "paused")
    away = forbidden if mode in (Mode.READY, Mode.BRIDGED) else f"needs READY, this is {mode.name}"
    return {
        "run_start": f"{run.get('name')} is under way: end it first" if going else away,
        "run_pause": "" if phase == "running" else "nothing is running",
        "run_resume": away if phase == "paused" else "nothing is paused",
        "run_end": "" if going else "nothing is running",
    }  # fmt: skip
