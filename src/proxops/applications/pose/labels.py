"""What is told of recorded images, one line for each: where the target truly was, what shone, what was expected.

Read are the lists that we write ourselves (``labels.csv`` of a data set, ``frames.csv`` of an export), any CSV with their
columns, and JSON as SPEED and SPEED+ have it: a list of objects with ``filename``, ``q_vbs2tango`` and ``r_Vo2To_vbs_true``.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.json_text import read_json
from proxops.core.user_file import read_text
from proxops.core.vision import Floats, PosePrediction

LARGEST: Final = 256 * 1024 * 1024
TRUTH: Final = ("sensor_target", "T_sensor_target")
PREDICTION: Final = ("prediction",)
SIGMAS: Final = (0.02, 0.05, math.radians(2.0))  # of an expected pose that does not say it: share of the range, m, rad
SPEED: Final = (("q_vbs2tango", "r_Vo2To_vbs_true"), ("q_vbs2tango_true", "r_Vo2To_vbs_true"), ("q", "p"))
NEAREST_M, FARTHEST_M = 1e-3, 1e6
UNIT_ERROR: Final = 1e-3  # by which a direction's or a quaternion's length may be off


@dataclass(frozen=True, eq=False)
class ImageLabel:
    """Of one image; what is empty or None is not told. Directions in the sensor's frame."""

    file: str
    sensor: str = ""
    kind: str = ""
    number: int | None = None
    t: float | None = None
    exposure_s: float | None = None
    gain_db: float | None = None
    white: int | None = None
    light: str = ""  # of a data set's catalogue
    truth: Floats | None = None  # T_sensor_target (7)
    prediction: PosePrediction | None = None
    to_sun: Floats | None = None
    sunlit: float = 1.0  # share of the Sun in view
    to_earth: Floats | None = None
    sigma_m: float | None = None  # of a prediction, each axis
    sigma_rad: float | None = None

    @property
    def as_start(self) -> PosePrediction | None:
        """In a file of starts: its prediction, or its pose as one."""
        if self.prediction is not None or self.truth is None:
            return self.prediction
        return as_expected(self.truth, self.sigma_m, self.sigma_rad)


def read_labels(path: Path) -> list[ImageLabel]:
    """In the order of the file. BadInput names the line that makes no sense."""
    text = read_text(path, "the labels", LARGEST, "utf-8-sig")
    rows = _objects(text, path) if path.suffix.lower() == ".json" else _lines(text, path)
    found = []
    for where, row in rows:
        try:
            found.append(_label(row))
        except (ValueError, TypeError, OverflowError) as reason:
            raise BadInput(f"a label that makes no sense: {reason}", where=f"{path}, {where}") from None
    if not found:
        raise BadInput("no labels in the file", where=str(path))
    return found


def as_expected(T: Floats, sigma_m: float | None = None, sigma_rad: float | None = None) -> PosePrediction:
    """A pose (7) that somebody expects, so far off in each axis."""
    share, least, turn = SIGMAS
    place = sigma_m if sigma_m is not None else share * float(np.linalg.norm(T[:3])) + least
    turn = sigma_rad if sigma_rad is not None else turn
    return PosePrediction(T, np.diag([place**2] * 3 + [turn**2] * 3), np.zeros(6))


def _lines(text: str, path: Path) -> Iterable[tuple[str, Mapping[str, Any]]]:
    rows = csv.DictReader(io.StringIO(text))
    rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
    if not {"file", "filename"} & set(rows.fieldnames):
        raise BadInput("the labels have no column file", where=str(path), value=", ".join(rows.fieldnames[:20]))
    try:
        for row in rows:
            yield f"line {rows.line_num}", {key: value.strip() for key, value in row.items() if key and value}
    except csv.Error as reason:
        raise BadInput(f"is no table of comma-separated values: {reason}", where=str(path)) from None


def _objects(text: str, path: Path) -> Iterable[tuple[str, Mapping[str, Any]]]:
    value = read_json(text, "the labels", str(path))
    if isinstance(value, dict):  # by file, or one alone
        value = [{"file": k, **v} for k, v in value.items() if isinstance(v, dict)] or [value]
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BadInput("the labels are no list of objects", where=str(path))
    for number, one in enumerate(value, 1):
        yield f"entry {number}", {key: told for key, told in one.items() if told is not None}


def _label(row: Mapping[str, Any]) -> ImageLabel:
    sigma_m, sigma_deg = (_maybe(row, f"prediction_sigma_{unit}", _sigma) for unit in ("m", "deg"))
    sigma_rad = None if sigma_deg is None else math.radians(sigma_deg)
    expected = _pose(row, PREDICTION)
    return ImageLabel(
        str(row.get("file", row.get("filename", ""))), str(row.get("sensor", "")), str(row.get("kind", "")),
        _maybe(row, "number", int), _maybe(row, "t_s", _finite), _maybe(row, "exposure_s", _within(0.0, 1e3)),
        _maybe(row, "gain_db", _within(-100.0, 100.0)), _maybe(row, "white", _white), str(row.get("light", "")),
        _pose(row, TRUTH),
        None if expected is None else as_expected(expected, sigma_m, sigma_rad), _direction(row, "to_sun"),
        _within(0.0, 1.0)(row.get("sunlit", 1.0)), _direction(row, "to_earth"), sigma_m, sigma_rad,
    )  # fmt: skip


def _maybe(row: Mapping[str, Any], key: str, kind: Callable[[Any], Any]) -> Any:
    return kind(row[key]) if key in row else None


def _within(low: float, high: float) -> Callable[[Any], float]:
    def number(value: Any) -> float:
        found = float(value)
        if not low <= found <= high:
            raise ValueError(f"{value} is not between {low:g} and {high:g}")
        return found

    return number


_finite = _within(-1e12, 1e12)
_sigma = _within(1e-9, 1e6)


def _white(value: Any) -> int:
    return int(_within(0, 65_535)(int(value)))


def _pose(row: Mapping[str, Any], prefixes: tuple[str, ...]) -> Floats | None:
    for prefix in prefixes:
        if prefix in row:
            return _packed(row[prefix], prefix)
        for unit in ("", "_m"):
            keys = [*(f"{prefix}_{c}{unit}" for c in "xyz"), *(f"{prefix}_{c}" for c in ("qw", "qx", "qy", "qz"))]
            if set(keys) <= set(row):
                return _packed([row[key] for key in keys], prefix)
            if any(key in row for key in keys[:3]):
                raise ValueError(f"of {prefix} there is no {', '.join(key for key in keys if key not in row)}")
    for q, p in SPEED if prefixes is TRUTH else ():
        if q in row and p in row:
            return _packed([*row[p], *row[q]], q)
    return None


def _packed(values: Any, what: str) -> Floats:
    T = np.array([float(v) for v in values])
    if T.shape != (7,) or not np.isfinite(T).all() or abs(float(np.linalg.norm(T[3:])) - 1.0) > UNIT_ERROR:
        raise ValueError(f"{what} is no pose x y z qw qx qy qz with a quaternion of length one")
    if not NEAREST_M <= float(np.abs(T[:3]).max()) <= FARTHEST_M:
        raise ValueError(f"{what} is not between {NEAREST_M:g} and {FARTHEST_M:g} m away")
    T[3:] /= np.linalg.norm(T[3:])
    return T


def _direction(row: Mapping[str, Any], name: str) -> Floats | None:
    axes = [row.get(f"{name}_{c}") for c in "xyz"]
    values = row.get(name, axes)
    if values is axes and axes == [None] * 3:
        return None
    if values is axes and None in axes:
        raise ValueError(f"{name} is not whole")
    found = np.array([float(v) for v in values])
    length = float(np.linalg.norm(found))
    if found.shape != (3,) or not 1e-6 < length < 1e6:
        raise ValueError(f"{name} is no direction")
    return np.asarray(found / length)
