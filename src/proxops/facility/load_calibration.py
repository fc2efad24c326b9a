"""``proxops ft calibrate``: a virtual arm moves a tool on a force sensor; what the tool weighs is found from the readings.

The truth goes through Pinocchio's rigid bodies and the virtual sensor; the identification has the motion, the readings and a
formula of its own (touch/tool_load.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.arms.model import ArmModel, Floats, load_model
from proxops.core.errors import BadInput, Refused
from proxops.core.force_source import AXES, UNITS
from proxops.core.tool_load_file import Identified, ToolLoadFile, read_tool_load, toml_of
from proxops.facility.calibration_motion import Motion, calibration_motion
from proxops.sensors.force_torque import ForceTorqueSensor, SensorTraits, wrench_of
from proxops.touch.force_watch import ForceWatch, StreamTraits
from proxops.touch.load_identification import CalibrationRows, LoadIdentification, identify_load
from proxops.touch.tool_load import GRAVITY, ToolLoad, load_of, load_wrench, six_of

EXCITATIONS: Final = {"full": 1.0, "small": 0.03}  # share of the full swing
ARM: Final = ("lwr_4plus", "flange")
OFFSET: Final = wrench_of(5.0, 0.2)  # largest constant error, drawn from the seed
DRIFT: Final = wrench_of(0.05, 0.002)  # largest, per second
RESULTS: Final = ("load.toml", "calibration.png")
Row = tuple[str, str, float, float, float]  # parameter, unit, identified, sigma, truth


@dataclass(frozen=True, eq=False)
class Calibration:
    """All of it. ``bias``: the true mean one; ``compensated``: readings less the identified load, bias and drift."""

    file: ToolLoadFile
    truth: ToolLoad
    bias: Floats
    motion: Motion
    readings: Floats
    compensated: Floats
    found: LoadIdentification

    @property
    def rows(self) -> list[Row]:
        """For tables: mass, centre, inertia about it, bias."""
        f, six = self.found, ("xx", "yy", "zz", "xy", "xz", "yz")
        names = ["mass", *(f"centre {axis}" for axis in "xyz"), *(f"inertia {pair}" for pair in six)]
        units = ["kg", *("m",) * 3, *("kg m²",) * 6, *UNITS]
        got = np.concatenate([[f.load.mass], f.load.com, six_of(f.load.inertia), f.bias])
        sigma = np.concatenate([[f.mass_sigma], f.com_sigma, f.inertia_sigma, f.bias_sigma])
        true = np.concatenate([[self.truth.mass], self.truth.com, six_of(self.truth.inertia), self.bias])
        names += [f"bias {axis}" for axis in AXES]
        return list(zip(names, units, got.tolist(), sigma.tolist(), true.tolist(), strict=True))

    @property
    def load_file(self) -> ToolLoadFile:
        """What scenarios read."""
        f = self.found
        known = Identified(
            mass_sigma_kg=f.mass_sigma, com_sigma_m=_numbers(f.com_sigma), inertia_sigma_kgm2=_numbers(f.inertia_sigma),
            bias=_numbers(f.bias), bias_sigma=_numbers(f.bias_sigma), condition=f.condition, residual=f.residual,
        )  # fmt: skip
        return ToolLoadFile(
            name=self.file.name, mass_kg=f.load.mass, com_m=_numbers(f.load.com),
            inertia_kgm2=_numbers(six_of(f.load.inertia)), identified=known,
        )  # fmt: skip


def _numbers(values: Floats) -> Any:
    return tuple(map(float, values))


def shipped_tool() -> Path:
    """The cube module that comes with us."""
    return Path(str(files("proxops") / "lab" / "tools" / "cube_module.toml"))


def calibrate(tool: Path, excitation: float, seed: int) -> Calibration:
    """Move, measure, identify; BadInput names what is wrong with the tool or what the motion does not show."""
    file = read_tool_load(tool)
    truth, arm = load_of(file, str(tool)), load_model(*ARM)
    rng = np.random.default_rng(seed)
    motion = calibration_motion(arm, excitation)
    sensor = ForceTorqueSensor(
        SensorTraits(offset=OFFSET * rng.uniform(-1, 1, 6), drift=DRIFT * rng.uniform(-1, 1, 6)), rng
    )
    readings, bias = _measured(sensor, motion.t, true_wrenches(arm, truth, motion))
    rows = CalibrationRows(motion.attitude, motion.w, motion.alpha, motion.a, readings, motion.t)
    found = identify_load(rows, sensor.traits.noise, GRAVITY)
    return Calibration(file, truth, bias, motion, readings, compensated(rows, found), found)


def true_wrenches(arm: ArmModel, truth: ToolLoad, motion: Motion) -> Floats:
    """(n, 6) that the tool puts on the sensor, by Pinocchio's spatial inertia: minus what the sensor has to hold it with."""
    import pinocchio

    body = pinocchio.Inertia(truth.mass, truth.com, truth.inertia)
    out = np.empty((len(motion.t), 6))
    for i, (q, w, alpha, a) in enumerate(zip(motion.attitude, motion.w, motion.alpha, motion.a, strict=True)):
        R = pinocchio.Quaternion(*q).toRotationMatrix()
        v = pinocchio.Motion(np.zeros(3), w)  # an observer who moves along with the sensor's origin: only its a counts
        spatial = pinocchio.Motion(a - R.T @ GRAVITY, alpha)
        out[i] = -(body * spatial + v.cross(body * v)).vector
    return out


def _measured(sensor: ForceTorqueSensor, t: Floats, wrenches: Floats) -> tuple[Floats, Floats]:
    """Readings (n, 6), watched, and the sensor's true mean bias."""
    traits = sensor.traits
    watch = ForceWatch(StreamTraits(traits.range, traits.noise, traits.resolution, traits.rate_hz))
    readings, biases = np.empty_like(wrenches), np.empty_like(wrenches)
    for i, now in enumerate(t):
        sensor.read(float(now), wrenches[i])
        sample = sensor.latest(float(now))
        fault = watch.step(float(now), sample)
        if fault or sample is None:
            raise Refused(f"load calibration: {fault or 'the sensor sends nothing'}")
        readings[i], biases[i] = sample.wrench, sensor.bias
    return readings, biases.mean(axis=0)


def compensated(rows: CalibrationRows, found: LoadIdentification) -> Floats:
    """(n, 6) what is left of the readings."""
    out = rows.reading - found.bias
    for i in range(len(out)):
        out[i] -= load_wrench(found.load.parameters, rows.attitude[i], rows.w[i], rows.alpha[i], rows.a[i], GRAVITY)
    if rows.t is not None:
        out -= found.drift * (rows.t - rows.t.mean())[:, None]
    return out


def calibration_session(tool: Path | None, excitation: str, seed: int, folder: Path, *, quiet: bool) -> dict[str, Any]:
    """Calibrate, write load.toml and calibration.png into ``folder``, print; the result as plain values."""
    from proxops.core.errors import refuse_overwriting
    from proxops.ground.load_figures import draw_calibration, print_calibration
    from proxops.ground.plot_style import save

    source = tool or shipped_tool()
    refuse_overwriting(folder / RESULTS[0], source)
    done = calibrate(source, EXCITATIONS[excitation], seed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RESULTS[0]).write_text(toml_of(done.load_file, f"proxops ft calibrate, seed {seed}"))
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(folder)) from None
    save(draw_calibration(done.motion.t, done.readings, done.compensated, done.file.name), folder / RESULTS[1])
    if not quiet:
        print_calibration(done.rows, _summary(done), [folder / name for name in RESULTS])
    return {
        "ok": True, "tool": str(source), "seed": seed, "excitation": excitation, **_summary(done),
        "parameters": [dict(zip(("name", "unit", "identified", "sigma", "truth"), row, strict=True)) for row in done.rows],
        "files": [str(folder / name) for name in RESULTS],
    }  # fmt: skip


def _summary(done: Calibration) -> dict[str, Any]:
    """How well it went. ``left``: root mean square of compensated force (N) and torque (N m), per axis."""
    force, torque = (float(np.sqrt(np.mean(part**2))) for part in np.split(done.compensated, 2, axis=1))
    return {
        "readings": len(done.readings), "duration_s": float(done.motion.t[-1]), "condition": done.found.condition,
        "residual": done.found.residual, "left_n": force, "left_nm": torque, "moved": done.found.moved,
    }  # fmt: skip
