"""A tool's mass, centre and inertia, and the sensor's bias, from a calibration motion: weighted linear least squares.

The ten parameters of the load and six biases enter a reading linearly (tool_load.py); six drift rates join them where times are
given, and an error of these times where the readings' slope is (stamp_shift.py). Rows are divided by the sensor's noise, so the
inverse of the normal matrix is the parameters' covariance. A parameter is called observable when what its own
uncertainty does to a compensated reading, at a lively motion of the arm, stays below a share of the noise of one reading:
otherwise the motion has told too little and the result is refused, by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.force_source import AXES, Floats
from proxops.maths.kernel import kernel
from proxops.touch.feasible_load import Physical, physical_load
from proxops.touch.tool_load import N_PARAMETERS, PARAMETERS, ToolLoad, regressor

BIASES: Final = tuple(f"bias {axis}" for axis in AXES)
DRIFTS: Final = tuple(f"drift {axis}" for axis in AXES)
SHIFT: Final = "time shift"
LIVELY_ALPHA: Final = 10.0  # rad/s²: what a wrist does when it hurries
LIVELY_G: Final = 9.81  # m/s²: turned upside down, gravity alone does twice this
SHARE: Final = 0.2  # of one reading's noise
CONDITION: Final = 1e4  # of columns made equally long; beyond, small errors of the motion count
MISFIT: Final = 1.5  # root mean square of the residuals in shares of the noise: someone touched the tool
LEAST_ROWS: Final = 50


@dataclass(frozen=True, eq=False)
class CalibrationRows:
    """(n, ·) of the sensor's frame: ``attitude`` q_world_sensor (scalar first), the rest inertial, in the sensor's axes; readings
    about its origin. ``t`` (s) where drift is to be found, too; ``slope``: of the readings, per
    second, where an error of their times is."""

    attitude: Floats
    w: Floats
    alpha: Floats
    a: Floats
    reading: Floats
    t: Floats | None = None
    slope: Floats | None = None

    def check(self) -> None:
        """BadInput unless there are enough rows, of one length, all numbers."""
        n = len(self.attitude)
        if n < LEAST_ROWS:
            raise BadInput("load calibration: too few rows", value=n, bound=f"at least {LEAST_ROWS}")
        widths = {"attitude": 4, "w": 3, "alpha": 3, "a": 3, "reading": 6}
        if self.slope is not None:
            widths["slope"] = 6
        for name, width in widths.items():
            rows = getattr(self, name)
            if rows.shape != (n, width):
                raise BadInput(f"load calibration: {name}", value=rows.shape, bound=f"({n}, {width})")
            if not np.all(np.isfinite(rows)):
                row = int(np.argmin(np.isfinite(rows).all(axis=1)))
                raise BadInput(
                    f"load calibration: {name} is no number", where=f"row {row + 1}", value=rows[row].tolist()
                )
        if self.t is not None and not (self.t.shape == (n,) and np.all(np.diff(self.t) > 0.0)):
            raise BadInput("load calibration: times", bound=f"{n} numbers, each greater than the one before")


@dataclass(frozen=True, eq=False)
class LoadIdentification:
    """``parameters`` (10) as measured, with ``sigma``; ``load`` is the body that has them, its centre and inertia with theirs."""

    load: ToolLoad
    com_sigma: Floats
    inertia_sigma: Floats  # (6) xx yy zz xy xz yz about the centre of mass
    parameters: Floats
    sigma: Floats
    bias: Floats
    bias_sigma: Floats
    drift: Floats  # per second, zero where no times were given; ``bias`` is then that of the mean time
    condition: float
    residual: float  # root mean square, in shares of the noise
    shift: float  # s: the readings were made this much after the times they are stamped with; zero where no slope was given
    shift_sigma: float
    moved: bool  # the measured inertia lay outside what bodies have, within its uncertainty, and was moved to the edge

    @property
    def mass_sigma(self) -> float:
        return float(self.sigma[0])


@dataclass(frozen=True, eq=False)
class Solved:
    """``theta``: parameters, biases, drifts and shift, as far as there are columns of them."""

    theta: Floats
    covariance: Floats
    condition: float
    residual: float


def identify_load(rows: CalibrationRows, noise: Floats, gravity: Floats) -> LoadIdentification:
    """``noise``: (6) standard deviations of a reading; ``gravity`` (3) in the world's axes. BadInput names what is wrong."""
    found = solved(rows, noise, gravity)
    if not found.residual < MISFIT:
        raise BadInput(
            "load calibration: the readings do not fit a rigid tool", value=f"residuals {found.residual:.3g} times the noise",
            bound=f"below {MISFIT:g}", way_out="nobody may touch the tool meanwhile; check the sensor's frame and noise",
        )  # fmt: skip
    covariance = found.covariance * max(1.0, found.residual) ** 2
    return _result(rows, found, covariance, physical_load(found.theta[:N_PARAMETERS], covariance[:10, :10]))


def solved(rows: CalibrationRows, noise: Floats, gravity: Floats) -> Solved:
    """The least squares alone: whether it is a load is not judged."""
    rows.check()
    if np.shape(noise) != (6,) or not np.all(np.isfinite(noise) & (np.asarray(noise) > 0.0)):
        raise BadInput("load calibration: noise", value=np.asarray(noise).tolist(), bound="six, above 0")
    A, names = _columns(rows, gravity)
    weighted = A / np.tile(noise, len(rows.attitude))[:, None]
    covariance, condition = _observed(weighted, names, noise)
    theta = covariance @ (weighted.T @ (rows.reading / noise).ravel())
    residual = float(np.sqrt(np.mean(((rows.reading - (A @ theta).reshape(-1, 6)) / noise) ** 2)))
    return Solved(theta, covariance, condition, residual)


def loads(rows: CalibrationRows, theta: Floats, gravity: Floats) -> Floats:
    """(n, 6) what the load alone puts on the sensor, by the first ten of ``theta``."""
    Y = stacked(rows.attitude, rows.w, rows.alpha, rows.a, np.asarray(gravity, float))
    return np.ascontiguousarray((Y @ theta[:N_PARAMETERS]).reshape(-1, 6))


def _result(rows: CalibrationRows, found: Solved, covariance: Floats, body: Physical) -> LoadIdentification:
    theta, sigma = found.theta, np.sqrt(np.diag(covariance))
    drift = theta[16:22] if rows.t is not None else np.zeros(6)
    shift = (float(theta[-1]), float(sigma[-1])) if rows.slope is not None else (0.0, 0.0)
    return LoadIdentification(
        body.load, body.com_sigma, body.inertia_sigma, theta[:10], sigma[:10], theta[10:16], sigma[10:16], drift,
        found.condition, found.residual, *shift, body.moved,
    )  # fmt: skip


def _columns(rows: CalibrationRows, gravity: Floats) -> tuple[Floats, tuple[str, ...]]:
    """(6 n, 16 to 23) with the names of the columns."""
    Y = stacked(rows.attitude, rows.w, rows.alpha, rows.a, np.asarray(gravity, float))
    bias = np.tile(np.eye(6), (len(rows.attitude), 1))
    columns, names = [Y, bias], PARAMETERS + BIASES
    if rows.t is not None:
        since = np.repeat(rows.t - rows.t.mean(), 6)[:, None]  # from the middle: bias and drift then hardly mix
        columns, names = [*columns, bias * since], names + DRIFTS
    if rows.slope is not None:
        columns, names = [*columns, rows.slope.reshape(-1, 1)], (*names, SHIFT)
    return np.hstack(columns), names


def _observed(weighted: Floats, names: tuple[str, ...], noise: Floats) -> tuple[Floats, float]:
    """Covariance of the parameters and condition number; BadInput with the names of those that the motion does not show."""
    length = np.linalg.norm(weighted, axis=0)
    length[length == 0.0] = 1.0
    _, s, Vt = np.linalg.svd(np.linalg.qr(weighted / length, mode="r"))  # the triangle has all of it, and is small
    scaled = Vt.T / np.maximum(s, 1e-14 * s[0])
    covariance = (scaled @ scaled.T) / np.outer(length, length)
    spoils = np.sqrt(np.diag(covariance))[:16] * _lively(noise)
    hidden = [f"{name} ({share:.2g})" for name, share in zip(names, spoils, strict=False) if not share <= SHARE]
    condition = float(s[0] / max(s[-1], 1e-14 * s[0]))
    if hidden:
        raise BadInput(
            f"load calibration: the motion excites too little; not observable: {', '.join(hidden)}",
            value=f"uncertainty in shares of one reading's noise, condition number {condition:.3g}", bound=f"up to {SHARE:g}",
            way_out="turn the tool further about all axes, and faster; or measure longer",
        )  # fmt: skip
    if not condition <= CONDITION:
        mixed = sorted(zip(np.abs(Vt[-1]), names, strict=True), reverse=True)
        raise BadInput(
            f"load calibration: the motion cannot tell apart {', '.join(name for share, name in mixed if share > 0.1)}",
            value=f"condition number {condition:.3g}", bound=f"up to {CONDITION:g}",
        )  # fmt: skip
    return covariance, condition


def _lively(noise: Floats) -> Floats:
    """(16) what one unit of a parameter does to a reading at a lively motion, in shares of the noise."""
    force, torque = float(np.min(noise[:3])), float(np.min(noise[3:]))
    return np.array([LIVELY_G / force, *(LIVELY_G / torque,) * 3, *(LIVELY_ALPHA / torque,) * 6, *(1.0 / noise)])


@kernel
def stacked(attitude: Floats, w: Floats, alpha: Floats, a: Floats, gravity: Floats) -> Floats:
    """(6 n, 10) regressors, one below the other."""
    n = attitude.shape[0]
    out = np.empty((6 * n, 10))
    for i in range(n):
        out[6 * i : 6 * i + 6] = regressor(attitude[i], w[i], alpha[i], a[i], gravity)
    return out
