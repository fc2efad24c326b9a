"""Status of the facility as plain data: for ``proxops ctl status``, the console, scripts."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.core.datagram import Refusal
from proxops.core.messages import PERIOD_NS
from proxops.facility.desk.desk import Desk
from proxops.facility.motions.mover import Mover
from proxops.facility.possible import possible
from proxops.facility.publication import ArmPublication, hall_told
from proxops.facility.published import Publication
from proxops.lab.cell import Cell
from proxops.lab.payload import plate_loads

PORTS: Final = ("commanded_port1", "commanded_port2", "actual_port1", "actual_port2")  # as they lie in the pool


def status(desk: Desk) -> dict[str, Any]:
    """Everything an operator asks first. SI units, angles in rad."""
    f = desk.facility
    stop, names = f.stop, f.cell.axis_names
    return {
        "mode": f.mode.name,
        "source": f.source.name,
        "hardware": f.hardware.name,
        "possible": possible(f),
        "drives_on": f.link.all_on,
        "stop": None
        if stop is None
        else {
            "rule": stop.rule.name,
            "number": int(stop.rule),
            "value": _finite(stop.value),
            "bound": _finite(stop.bound),
            "text": str(stop),
        },
        "open_interlocks": f.interlocks.open_names,
        "alarms": f.events.alarm_names,
        "not_recorded": f.not_recorded,
        "moving_unit": f.motion.unit if isinstance(f.motion, Mover) else "",
        "axes": dict(zip(names, _rounded(f.actual), strict=True)),
        "setpoint": dict(zip(names, _rounded(f.guard.setpoint), strict=True)),
        "poses": _poses(f.told),
        "tick": f.clock.tick,
        "missed_cycles": f.missed,
        "sync": _sync(desk),
        "bridge": _bridge(desk),
        "trajectory": _trajectory(desk),
        "load": desk.intake.told() if desk.intake else None,
        "jog": _jog(desk),
        "cell": f.cell.file.name,
        "user_tool": f.cell.tool.source if isinstance(f.cell, Cell) else None,
        "payload": plate_loads(f.cell) if isinstance(f.cell, Cell) else None,
        "recorded_cycles": f.ring.tail,
        "newest_event": f.events.newest,
    }


def _poses(told: Publication) -> dict[str, list[float | None]]:
    """Of both ports in a hall, of the flanges elsewhere; packed."""
    if isinstance(told, ArmPublication):
        return {
            f"{name}_flange{k}": _rounded(pose)
            for name, poses in told.flanges.items()
            for k, pose in enumerate(poses, 1)
        }
    ports = _rounded(hall_told(told).ports)
    return {name: ports[7 * k : 7 * k + 7] for k, name in enumerate(PORTS)}


def _trajectory(desk: Desk) -> dict[str, Any] | None:
    if desk.checked is None:
        return None
    loaded = desk.checked.trajectory
    return {
        "source": loaded.source,
        "lines": len(loaded),
        "duration_s": round(loaded.duration_s, 9),
        "sha256": desk.checked.sha256,
    }


def _jog(desk: Desk) -> dict[str, Any] | None:
    press = desk.jogging
    if press is None:
        return None
    button = press.button
    return {
        "system": button.system.name,
        "robot": button.robot,
        "component": button.component,
        "direction": press.direction,
        "step": press.step,
        "press": press.number,
    }


def _sync(desk: Desk) -> dict[str, Any] | None:
    port = desk.sync
    if port is None:
        return None
    return {
        "address": f"{port.address[0]}:{port.address[1]}",
        "master": f"{port.master[0]}:{port.master[1]}" if port.master else None,
        "sequence": port.command.sequence if port.command else None,
        "silent_cycles": port.silent_ns // PERIOD_NS,
        "refused": {
            reason.name.lower(): count for reason, count in port.counts.items() if reason is not Refusal.NONE and count
        },
    }


def _bridge(desk: Desk) -> dict[str, Any] | None:
    end = desk.bridge
    if end is None:
        return None
    port, motion = end.port, end.motion
    told: dict[str, Any] = {
        "address": f"{port.address[0]}:{port.address[1]}",
        "client": f"{port.master[0]}:{port.master[1]}" if port.master else None,
        "new_client": port.place.waiting,
        "refused": {reason.name.lower(): count for reason, count in port.counts.items() if count},
        "phase": "IDLE",
        "cause": "NOT_SELECTED",
    }
    if motion is not None:
        filter_, zones, (left_m, left_rad, left_s) = motion.hearing.filter, motion.zones, motion.left
        told |= {
            "phase": motion.phase.name,
            "cause": motion.cause.name,
            "converged": motion.converged,
            "left_m": _finite(left_m),
            "left_rad": _finite(left_rad),
            "left_s": _finite(left_s),
            "commanded_zone": zones.commanded.name,
            "actual_zone": zones.actual.name,
            "clearance_m": _finite(zones.actual_clearance_m),
            "input": filter_.state.name,
            "taken": filter_.taken,
            "lost": filter_.lost,
            "extrapolated": filter_.extrapolated_count,
            "stale": filter_.stale,
            "doubled": filter_.doubled,
        }
    return told


def _finite(value: float) -> float | None:
    """JSON knows no NaN."""
    return value if math.isfinite(value) else None


def _rounded(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    return [_finite(value) for value in np.round(values, 9).tolist()]
