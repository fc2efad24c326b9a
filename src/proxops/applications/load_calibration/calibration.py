"""What a tool on a force sensor weighs, found from a motion of the arm: encoders and readings go in, nothing else.

The joints' course is a spline through the encoders' angles, without phase since all of it is there, and how far the readings'
times are off it is found with the load (touch/stamp_shift.py). With the virtual sensor the truth is known and told beside the
result; a user's own sensor comes over UDP while the arm moves by the wall's clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from proxops.applications.load_calibration.drive import RATE_HZ, driven
from proxops.applications.load_calibration.motion import calibration_motion, flange_motion
from proxops.applications.load_calibration.record import LogPlace, Recorded
from proxops.applications.load_calibration.tool import VirtualTool
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.core.clock import Clock, LockstepClock
from proxops.core.criterion import Criterion
from proxops.core.errors import BadInput
from proxops.core.experiment_result import ExperimentResult
from proxops.core.force_source import AXES, UNITS, ForceSource
from proxops.core.messages import PERIOD_S
from proxops.core.tool_load_file import Identified, ToolLoadFile
from proxops.ground.smoothing import SplineFit
from proxops.lab.virtual_arm import VirtualArm
from proxops.sensors.force_torque import ForceTorqueSensor, SensorTraits, wrench_of
from proxops.touch.force_watch import StreamTraits
from proxops.touch.load_identification import (
    CONDITION,
    MISFIT,
    CalibrationRows,
    LoadIdentification,
    identify_load,
    loads,
)
from proxops.touch.stamp_shift import MOST_S, timed_rows
from proxops.touch.tool_load import GRAVITY, ToolLoad, load_of, six_of

EXCITATIONS: Final = {"full": 1.0, "small": 0.03}  # share of the full swing
ARM: Final = ("lwr_4plus", "flange")
OFFSET: Final = wrench_of(5.0, 0.2)  # largest constant error of the virtual sensor, drawn from the seed
DRIFT: Final = wrench_of(0.05, 0.002)  # largest, per second
RANGE: Final = wrench_of(2500.0, 400.0)  # of a user's sensor: what no reading reaches
ANY_NOISE: Final = wrench_of(1e-9, 1e-9)  # of a user's sensor: every axis of it rustles
CONVENTIONS: Final = (
    "Centre and inertia (about the centre) in the sensor's axes, which are the flange's; gravity along -z of the room.",
    "The joints' course is a spline through the encoders' angles; how far the readings' times are off it is found with the load.",
)
KNOTS_S: Final = 0.06  # of the joints' course: the fastest sine has sixteen in its period
Row = tuple[str, str, float, float, float | None]  # parameter, unit, identified, sigma, truth if it is known


@dataclass(frozen=True, eq=False)
class Truth:
    """Of the virtual sensor and its tool; ``bias``: the mean one."""

    load: ToolLoad
    bias: Floats


@dataclass(frozen=True, eq=False)
class Calibration:
    """All of it. ``compensated``: readings less the identified load, bias and drift."""

    name: str
    truth: Truth | None
    t: Floats
    readings: Floats
    compensated: Floats
    found: LoadIdentification
    moved_s: float  # by which the readings' times were moved before the load was found
    missed: int  # cycles that the loop lost

    @property
    def rows(self) -> list[Row]:
        """For tables: mass, centre, inertia about it, bias."""
        f, six = self.found, ("xx", "yy", "zz", "xy", "xz", "yz")
        names = ["mass", *(f"centre {axis}" for axis in "xyz"), *(f"inertia {pair}" for pair in six)]
        units = ["kg", *("m",) * 3, *("kg m²",) * 6, *UNITS]
        sigma = np.concatenate([[f.mass_sigma], f.com_sigma, f.inertia_sigma, f.bias_sigma])
        names += [f"bias {axis}" for axis in AXES]
        true = _sixteen(self.truth.load, self.truth.bias) if self.truth else [None] * len(names)
        return list(zip(names, units, _sixteen(f.load, f.bias), sigma.tolist(), true, strict=True))

    @property
    def load_file(self) -> ToolLoadFile:
        """What scenarios read."""
        f = self.found
        known = Identified(
            mass_sigma_kg=f.mass_sigma, com_sigma_m=_numbers(f.com_sigma), inertia_sigma_kgm2=_numbers(f.inertia_sigma),
            bias=_numbers(f.bias), bias_sigma=_numbers(f.bias_sigma), condition=f.condition, residual=f.residual,
        )  # fmt: skip
        return ToolLoadFile(
            name=self.name, mass_kg=f.load.mass, com_m=_numbers(f.load.com), inertia_kgm2=_numbers(six_of(f.load.inertia)),
            identified=known,
        )  # fmt: skip


def _sixteen(load: ToolLoad, bias: Floats) -> list[float]:
    return [load.mass, *load.com.tolist(), *six_of(load.inertia).tolist(), *bias.tolist()]


def _numbers(values: Floats) -> Any:
    return tuple(map(float, values))


def calibrate(
    tool: ToolLoadFile, excitation: float, seed: int, where: str = "", log: LogPlace | None = None
) -> Calibration:
    """On the virtual sensor, in lockstep. BadInput names what is wrong with the tool or what the motion does not show."""
    load, model = load_of(tool, where), load_model(*ARM)
    q = calibration_motion(model, excitation).q
    arm_rng, sensor_rng = np.random.default_rng(seed).spawn(2)
    offset, drift = OFFSET * sensor_rng.uniform(-1, 1, 6), DRIFT * sensor_rng.uniform(-1, 1, 6)
    traits, hung = SensorTraits(offset=offset, drift=drift), list[VirtualTool]()

    def hang(arm: VirtualArm) -> VirtualTool:
        hung.append(VirtualTool(model, arm, load, ForceTorqueSensor(traits, sensor_rng)))
        return hung[0]

    stream = StreamTraits(traits.range, traits.noise, traits.resolution, traits.rate_hz)
    out: list[Calibration] = []

    def found(recorded: Recorded) -> ExperimentResult:
        done = identified(tool.name, model, recorded, traits.noise)
        biases = np.array(hung[0].biases)[np.isin(recorded.stamp, done.t)]
        out.append(replace(done, truth=Truth(load, biases.mean(axis=0))))
        return result_of(out[0])

    driven(model, q, arm_rng, hang, stream, LockstepClock(), log, found)
    return out[0]


def calibrate_sensor(
    name: str,
    excitation: float,
    seed: int,
    source: ForceSource,
    rate_hz: float,
    clock: Clock,
    log: LogPlace | None = None,
) -> Calibration:
    """On a user's own sensor, whose noise is what it shows while the arm stands. ``seed``: of the encoders."""
    model = load_model(*ARM)
    q = calibration_motion(model, excitation).q
    stream = StreamTraits(RANGE, ANY_NOISE, np.zeros(6), rate_hz)
    out: list[Calibration] = []

    def found(recorded: Recorded) -> ExperimentResult:
        out.append(identified(name, model, recorded, _noise_at_rest(recorded)))
        return result_of(out[0])

    driven(model, q, np.random.default_rng(seed), lambda arm: source, stream, clock, log, found)
    return out[0]


def rehearse() -> None:
    """A moment on the virtual sensor: all that the loop calls is compiled before a clock runs."""
    model, load = load_model(*ARM), ToolLoad(1.0, np.zeros(3), 0.01 * np.eye(3))
    rng = np.random.default_rng(0)

    def hang(arm: VirtualArm) -> VirtualTool:
        return VirtualTool(model, arm, load, ForceTorqueSensor(SensorTraits(), rng))

    home, stream = calibration_motion(model).q[:1], StreamTraits(RANGE, ANY_NOISE, np.zeros(6), RATE_HZ)
    driven(model, home, rng, hang, stream, LockstepClock())


def _noise_at_rest(recorded: Recorded) -> Floats:
    """(6) standard deviation of the readings about a straight line: their drift is no noise."""
    still = recorded.stamp < recorded.begin_s - MOST_S
    t, rows = recorded.stamp[still], recorded.readings[still]
    if t.size < 20:
        raise BadInput("load calibration: too few readings while the arm stood", value=int(t.size), bound="at least 20")
    line = np.column_stack([np.ones_like(t), t - t.mean()])
    rest = rows - line @ np.linalg.lstsq(line, rows, rcond=None)[0]
    noise: Floats = np.sqrt((rest**2).sum(axis=0) / (t.size - 2))
    return noise


def identified(name: str, model: ArmModel, recorded: Recorded, noise: Floats) -> Calibration:
    """From what was recorded; ``noise``: (6) of a reading."""
    rows_at = rows_of(model, recorded)
    rows, shift = timed_rows(rows_at, noise, GRAVITY)
    found = identify_load(rows, noise, GRAVITY)
    left = compensated(rows, found.load, found.bias, found.drift)
    found = replace(found, shift=found.shift + shift)
    assert rows.t is not None
    return Calibration(name, None, rows.t, rows.reading, left, found, shift, recorded.missed)


def rows_of(model: ArmModel, recorded: Recorded) -> Callable[[float], CalibrationRows]:
    """Readings with the flange's motion when they were made: a time after their stamps."""
    course = SplineFit(recorded.t, recorded.encoders, KNOTS_S)
    inside = (recorded.stamp >= recorded.t[0] + MOST_S) & (recorded.stamp <= recorded.t[-1] - MOST_S)
    t, readings = recorded.stamp[inside], recorded.readings[inside]

    def rows_at(shift: float) -> CalibrationRows:
        joints = course.at(t + shift)
        m = flange_motion(model, t, joints.angles, joints.rates, joints.accelerations)
        return CalibrationRows(m.attitude, m.w, m.alpha, m.a, readings, t)

    return rows_at


def compensated(rows: CalibrationRows, load: ToolLoad, bias: Floats, drift: Floats) -> Floats:
    """(n, 6) what is left of the readings."""
    out: Floats = rows.reading - bias - loads(rows, load.parameters, GRAVITY)
    if rows.t is not None:
        out -= drift * (rows.t - rows.t.mean())[:, None]
    return out


def summary(done: Calibration) -> dict[str, Any]:
    """How well it went. ``left``: root mean square of compensated force (N) and torque (N m), per axis; ``shift_ms``: readings
    were made that much after their stamps."""
    force, torque = (float(np.sqrt(np.mean(part**2))) for part in np.split(done.compensated, 2, axis=1))
    return {
        "readings": len(done.readings), "duration_s": float(done.t[-1] - done.t[0] + PERIOD_S),
        "condition": done.found.condition, "residual": done.found.residual, "left_n": force, "left_nm": torque,
        "shift_ms": 1e3 * done.found.shift, "shift_sigma_ms": 1e3 * done.found.shift_sigma, "moved": done.found.moved,
        "missed_cycles": done.missed,
    }  # fmt: skip


def result_of(done: Calibration) -> ExperimentResult:
    """For log, summary and report; the series are in the log already."""
    found = done.found
    figures = {
        "tool": done.name, **summary(done), "parameters": entries(done.rows),
        "compensation": {
            "mass_kg": found.load.mass, "com_m": found.load.com.tolist(), "inertia_kgm2": six_of(found.load.inertia).tolist(),
            "bias": found.bias.tolist(), "drift": found.drift.tolist(), "shift_s": done.moved_s,
        },
    }  # fmt: skip
    criteria = (
        Criterion("condition of the equations", found.condition, CONDITION),
        Criterion("what is left of the readings, in shares of their noise", found.residual, MISFIT),
    )
    return ExperimentResult(done.t, (), figures, criteria, CONVENTIONS, (_table(done.rows),))


def _table(rows: list[Row]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    known = all(true is not None for *_, true in rows)
    head = ("parameter", "identified", "sigma", *(("truth", "off, sigma") if known else ()), "unit")
    told = []
    for name, unit, got, sigma, true in rows:
        compared = () if true is None else (f"{true:.5f}", f"{(got - true) / sigma:+.1f}")
        told.append((name, f"{got:.5f}", f"{sigma:.5f}", *compared, unit))
    return "What hangs on the sensor, and the sensor's bias", head, tuple(told)


def entries(rows: list[Row]) -> list[dict[str, Any]]:
    """For JSON; without truth where there is none."""
    found = [dict(zip(("name", "unit", "identified", "sigma", "truth"), row, strict=True)) for row in rows]
    return [{key: value for key, value in entry.items() if value is not None} for entry in found]
