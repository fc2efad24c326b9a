"""What a flight software answers, judged: commands that actuators can carry out, or the cause why they cannot.

Nothing is put right in silence but rounding; lists and whole numbers are taken for what they say. The usual case, arrays of
float64, has to be quick: it passes here in every cycle of every run.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import ProxopsError
from proxops.core.flight import N_ERRORS, Commands, Estimate, Floats, Telemetry
from proxops.core.vocabulary import AbortCause, MissionPhase

ROUNDING_S: Final = 1e-9  # by which an on-time may leave its range
TORQUE_MAX_N_M: Final = 1000.0  # ten times the strongest wheel that a mission may have
UNIT_TOLERANCE: Final = 1e-3  # of the estimate's quaternion: it is only recorded
WHOLE: Final = (int, np.integer)
NUMBER: Final = (float, int, np.floating)
THREE, FOUR, ERRORS_SQUARED = (3,), (4,), (N_ERRORS, N_ERRORS)
FLOAT: Final = np.dtype(np.float64)


class FlightSoftwareFailed(ProxopsError):
    """The flight software gave no usable commands; ``cause`` says why."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"flight software: {cause}")
        self.cause = cause


def judged(answer: object, thrusters: int, wheels: int, period_s: float) -> Commands:
    """The commands themselves unless something has to be converted, or ``FlightSoftwareFailed``."""
    if not isinstance(answer, Commands):
        _refuse_type(answer)
    on_time, torque, isolated = answer.on_time_s, answer.wheel_torque, answer.isolated
    on_time_s, rounded = _floats(on_time, (thrusters,), "on_time_s"), False
    for k, value in enumerate(on_time_s.tolist()):
        if not 0.0 <= value <= period_s:  # NaN, too
            _refuse_on_time(k, value, period_s)
            rounded = True
    if rounded:
        on_time_s = np.clip(on_time_s, 0.0, period_s)
    wheel_torque = _floats(torque, (wheels,), "wheel_torque")
    for k, value in enumerate(wheel_torque.tolist()):
        if not -TORQUE_MAX_N_M <= value <= TORQUE_MAX_N_M:
            _refuse_torque(k, value)
    valves = None if isolated is None else _truths(isolated, (thrusters,))
    _check_telemetry(answer.telemetry)
    if on_time_s is on_time and wheel_torque is torque and valves is isolated:
        return answer
    return dataclasses.replace(answer, on_time_s=on_time_s, wheel_torque=wheel_torque, isolated=valves)


def _refuse_on_time(k: int, value: float, period_s: float) -> None:
    """Unless it is rounding."""
    what = f"on_time_s of thruster {k + 1}"
    if not math.isfinite(value):
        raise FlightSoftwareFailed(f"not finite: {what} is {value}")
    if value < -ROUNDING_S:
        raise FlightSoftwareFailed(f"{what} is negative: {value:g} s")
    if value > period_s + ROUNDING_S:
        raise FlightSoftwareFailed(f"{what} is longer than a cycle: {value:g} s, allowed: up to {period_s:g} s")


def _refuse_type(answer: object) -> NoReturn:
    if answer is None:
        raise FlightSoftwareFailed("returned None: step must end in return Commands(...)")
    raise FlightSoftwareFailed(f"returned a {type(answer).__name__}, not Commands")


def _refuse_torque(k: int, value: float) -> NoReturn:
    what = f"wheel_torque of wheel {k + 1}"
    if not math.isfinite(value):
        raise FlightSoftwareFailed(f"not finite: {what} is {value}")
    raise FlightSoftwareFailed(f"{what} is absurd: {value:g} N m, allowed: up to {TORQUE_MAX_N_M:g} N m")


def _floats(values: Any, shape: tuple[int, ...], what: str) -> Floats:
    """An array of that shape: itself if it is one, converted from whole numbers or a list if that loses nothing."""
    found = values if type(values) is np.ndarray else _array(values, what)
    if found.dtype is not FLOAT and found.dtype != FLOAT:
        if found.dtype.kind not in "fiu":
            raise FlightSoftwareFailed(f"wrong type: {what} holds {found.dtype}, not numbers")
        found = found.astype(np.float64)
    if found.shape != shape:
        raise FlightSoftwareFailed(f"wrong shape: {what} has {found.shape}, expected {shape}")
    return found


def _truths(values: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    found = values if type(values) is np.ndarray else _array(values, "isolated")
    if found.dtype != np.bool_:
        raise FlightSoftwareFailed(f"wrong type: isolated holds {found.dtype}, not truth values")
    if found.shape != shape:
        raise FlightSoftwareFailed(f"wrong shape: isolated has {found.shape}, expected {shape}")
    return found


def _array(values: Any, what: str) -> NDArray[Any]:
    try:
        return np.array(values)
    except (ValueError, TypeError):
        raise FlightSoftwareFailed(f"wrong type: {what} is a {type(values).__name__} that makes no array") from None


def _check_telemetry(told: Any) -> None:
    """It is only recorded, but what is recorded must be what it says."""
    if type(told) is not Telemetry:
        raise FlightSoftwareFailed(f"wrong type: telemetry is a {type(told).__name__}, not Telemetry")
    if type(told.phase) is not MissionPhase or type(told.abort) is not AbortCause:
        raise FlightSoftwareFailed(f"wrong type: telemetry has phase {told.phase!r}, abort {told.abort!r}")
    for name, value in (("step", told.step), ("accepted", told.accepted), ("rejected", told.rejected)):
        if not isinstance(value, WHOLE) or value < 0:
            raise FlightSoftwareFailed(f"wrong type: {name} of the telemetry is {value!r}, allowed: 0, 1, 2 …")
    if not isinstance(told.corridor, NUMBER) or not math.isfinite(told.corridor):
        raise FlightSoftwareFailed(f"not finite: corridor of the telemetry is {told.corridor!r}")
    if told.goal is not None:
        _check_finite(told.goal, THREE, "goal")
    if told.estimate is not None:
        _check_estimate(told.estimate)


def _check_estimate(estimate: Any) -> None:
    if type(estimate) is not Estimate:
        raise FlightSoftwareFailed(f"wrong type: estimate is a {type(estimate).__name__}, not Estimate")
    _check_finite(estimate.position, THREE, "position of the estimate")
    _check_finite(estimate.velocity, THREE, "velocity of the estimate")
    _check_finite(estimate.w_eci_target, THREE, "w_eci_target of the estimate")
    w, x, y, z = _check_finite(estimate.q_eci_target, FOUR, "q_eci_target of the estimate").tolist()
    _check_finite(estimate.covariance, ERRORS_SQUARED, "covariance of the estimate")
    length = math.hypot(w, x, y, z)
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise FlightSoftwareFailed(f"q_eci_target of the estimate has length {length:.6g}, allowed: 1")


def _check_finite(values: Any, shape: tuple[int, ...], what: str) -> Floats:
    found = _floats(values, shape, what)
    flat = found.ravel()
    # A sum, or one of squares, that is finite is one of finite numbers, and quicker to have; of great numbers it may overflow.
    total = sum(flat.tolist()) if len(shape) == 1 else flat.dot(flat)
    if not (math.isfinite(total) or np.isfinite(found).all()):
        raise FlightSoftwareFailed(f"not finite: {what} holds NaN or infinity")
    return found
