"""Points as people write them: CSV with or without names over its columns, or plain arrays (n, 3 to 5)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.point_file import MOST_POINTS, POINT

TEXTS: Final = (".csv", ".txt", ".xyz")
ARRAYS: Final = (".npy", ".npz")
NAMES: Final = tuple(POINT.names or ())  # x y z intensity t
OTHER_NAMES: Final = {"x_m": "x", "y_m": "y", "z_m": "z", "i": "intensity", "t_s": "t", "time": "t"}


def points_of_text(data: bytes, where: str) -> NDArray[np.void]:
    """(n) of POINT. Commas or blanks; without a line of names the columns are x y z intensity t, as far as there are."""
    try:
        text = data.decode("utf-8-sig")
        first = text.lstrip("# \t").partition("\n")[0]
        names = _names(first)
        body = text.partition("\n")[2] if names else text
        values = np.loadtxt(io.StringIO(body.replace(",", " ").replace(";", " ")), np.float64, ndmin=2)
    except (ValueError, UnicodeDecodeError) as reason:
        raise BadInput(f"is no table of points: {reason}", where=where) from None
    return _rows(dict(zip(names or NAMES, values.T, strict=False)), where)


def points_of_arrays(found: Mapping[str, NDArray[Any]], where: str) -> NDArray[np.void]:
    """(n) of POINT, of one array (n, 3 to 5), of ``points_m`` with ``intensity`` and ``t``, or of one for each column."""
    table = found.get("points_m", next(iter(found.values())))
    whole = table.ndim == 2 and 3 <= table.shape[1] <= len(NAMES)
    columns = dict(zip(NAMES, table.T, strict=False)) if whole else {}
    columns |= {OTHER_NAMES.get(name, name): values for name, values in found.items() if values.ndim == 1}
    return _rows(columns, where)


def _names(line: str) -> list[str]:
    """Over the columns; none where the first line is numbers."""
    words = [word.strip().strip('"').lower() for word in line.replace(";", ",").replace(",", " ").split()]
    names = [OTHER_NAMES.get(word, word) for word in words]
    return names if {"x", "y", "z"} <= set(names) else []


def _rows(columns: Mapping[str, NDArray[Any]], where: str) -> NDArray[np.void]:
    known = {name: values for name, values in columns.items() if name in NAMES}
    sizes = {len(values) for values in known.values()}
    if not {"x", "y", "z"} <= set(known) or len(sizes) != 1 or max(sizes) > MOST_POINTS:
        raise BadInput(
            "is no table of points", where=where, value=", ".join(known) or "nothing", bound="x y z, alike long"
        )
    rows = np.zeros(sizes.pop(), POINT)
    for name, values in known.items():
        rows[name] = values
    return rows
