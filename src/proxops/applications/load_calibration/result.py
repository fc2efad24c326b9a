"""What came of a load calibration: tables, the file that scenarios read, how well it went; for people, log and report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.arms.model import Floats
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import ExperimentResult
from proxops.core.force_source import AXES, UNITS
from proxops.core.messages import PERIOD_S
from proxops.core.tool_load_file import Identified, ToolLoadFile
from proxops.touch.load_identification import CONDITION, MISFIT, LoadIdentification
from proxops.touch.tool_load import ToolLoad, six_of

CONVENTIONS: Final = (
    "Centre and inertia (about the centre) in the sensor's axes, which are the flange's; gravity along -z of the room.",
    "The joints' course is a spline through the encoders' angles; how far the readings' times are off it is found with the load.",
)
Row = tuple[str, str, float, float, float | None]  # parameter, unit, identified, sigma, truth if it is known


@dataclass(frozen=True, eq=False)
class SensorTruth:
    """Of the virtual sensor and its tool; ``bias``: the mean one."""

    load: ToolLoad
    bias: Floats


@dataclass(frozen=True, eq=False)
class Calibration:
    """All of it. ``compensated``: readings less the identified load, bias and drift."""

    name: str
    truth: SensorTruth | None
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


def nothing_found(why: str) -> ExperimentResult:
    """Of a calibration that was refused."""
    return ExperimentResult(np.zeros(0), (), {}, (), failure=why)


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
