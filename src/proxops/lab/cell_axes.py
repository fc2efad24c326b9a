"""The axes of a loaded cell of any kind: their limits, what the guard allows of them, and the controllers that drive them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.arm_cell_file import ArmLimits
from proxops.lab.cell_file import Rail, Servo
from proxops.lab.hall_file import Limits


class AxisTable(NamedTuple):
    """Limits of all axes as the robot models give them (m, rad), endless axes unbounded."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    speed: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class GuardedAxes(NamedTuple):
    """What the guard allows each axis (m, rad): range, speed, acceleration, and how far a wish may run ahead of the set-point."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    speed: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    jump: NDArray[np.float64]


class Controller(NamedTuple):
    """One robot controller of the cell and the axes that it drives. ``sigma``: by how much each scatters (m, rad)."""

    name: str
    axes: slice
    servo: Servo
    sigma: NDArray[np.float64]
    slides: bool = False  # a rail: metres, not angles


def rail_controller(rail: Rail) -> Controller:
    """Of the first axis. The catalogue's repeatability is three sigma (ISO 9283)."""
    return Controller("rail", slice(0, 1), rail.servo, np.array([rail.repeatability_mm * 1e-3 / 3.0]), slides=True)


def trailing_s(controllers: tuple[Controller, ...], period_ns: int) -> NDArray[np.float64]:
    """By how much time each axis trails what is decided about it: dead time and lag of its servo, and the cycle that passes
    before a set-point is sent."""
    lags = np.empty(controllers[-1].axes.stop)
    for controller in controllers:
        servo = controller.servo
        lags[controller.axes] = (servo.dead_time_ms + servo.time_constant_ms) * 1e-3
    return lags + period_ns * 1e-9


def guarded_axes(axes: AxisTable, limits: Limits | ArmLimits, slides: NDArray[np.bool_]) -> GuardedAxes:
    """The models' limits, less what the cell's file holds back. ``slides``: which axes are metres, not angles."""
    jump = np.where(slides, limits.jump_rail_mm * 1e-3, np.radians(limits.jump_axis_deg))
    speed, acceleration = axes.speed * limits.speed_share, axes.acceleration * limits.acceleration_share
    return GuardedAxes(axes.lower, axes.upper, speed, acceleration, jump)


def demand_home_in_range(
    home: NDArray[np.float64], axes: AxisTable, names: tuple[str, ...], slides: NDArray[np.bool_], source: Path
) -> None:
    """BadInput, by the first axis whose home lies outside its range."""
    outside = (home < axes.lower) | (home > axes.upper)
    if not outside.any():
        return
    i = int(outside.argmax())
    unit, scale = ("m", 1.0) if slides[i] else ("deg", 180 / np.pi)
    raise BadInput(
        f"home of {names[i]} lies outside its range", where=str(source), value=f"{home[i] * scale:g} {unit}",
        bound=f"{axes.lower[i] * scale:g} … {axes.upper[i] * scale:g} {unit}",
    )  # fmt: skip
