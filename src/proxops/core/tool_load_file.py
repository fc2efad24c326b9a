"""A tool on a force sensor as a TOML file: what a drawing says, or what ``proxops ft calibrate`` has found out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from proxops.core.strict_table import Finite, Strict, Triple, judge_table, within
from proxops.core.toml_text import load_toml

Kilograms = Annotated[Finite, within(0.001, 1000)]
Metres = Annotated[Finite, within(-2, 2)]
Six = tuple[Finite, Finite, Finite, Finite, Finite, Finite]


class Identified(Strict):
    """How well the numbers are known (one standard deviation) and what the sensor reads without any load."""

    mass_sigma_kg: Annotated[Finite, within(0, 1000)]  # of mass_kg
    com_sigma_m: Triple  # of com_m
    inertia_sigma_kgm2: Six  # of inertia_kgm2
    bias: Six  # N, N m; it drifts: good for the start, then ``touch/zeroing.py`` follows it
    bias_sigma: Six  # of the bias
    condition: Annotated[Finite, within(1, 1e12)]  # of the calibration motion
    residual: Annotated[Finite, within(0, 1e6)]  # root mean square of what was left, in shares of the noise


class ToolLoadFile(Strict):
    """Frame: the sensor's. ``inertia_kgm2``: xx yy zz xy xz yz about the centre of mass, as entries of the matrix."""

    name: str = "tool"  # for what is told of it
    mass_kg: Kilograms  # the sensor's moving plate included
    com_m: tuple[Metres, Metres, Metres]  # from the sensor's origin
    inertia_kgm2: Six  # xx, yy, zz, xy, xz, yz about the centre of mass
    identified: Identified | None = None  # by `proxops ft calibrate`; none: exact


def read_tool_load(path: Path) -> ToolLoadFile:
    """Read and check; whether a body can have this inertia is seen when it becomes a load."""
    return judge_table(load_toml(path, "the tool"), ToolLoadFile, path)


def toml_of(file: ToolLoadFile, *comments: str) -> str:
    """Text that ``read_tool_load`` reads back to the same numbers."""
    lines = [*(f"# {line}" for line in comments), f"name = {_quoted(file.name)}"]
    lines += [f"{key} = {_value(getattr(file, key))}" for key in ("mass_kg", "com_m", "inertia_kgm2")]
    if file.identified is not None:
        lines += ["", "[identified]"]
        lines += [f"{key} = {_value(getattr(file.identified, key))}" for key in Identified.model_fields]
    return "\n".join(lines) + "\n"


def _value(value: float | tuple[float, ...]) -> str:
    return f"[{', '.join(map(_value, value))}]" if isinstance(value, tuple) else repr(float(value))


def _quoted(text: str) -> str:
    """A basic string of TOML."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain) + '"'
