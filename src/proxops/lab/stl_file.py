"""STL, binary and ASCII: triangles alone. A binary file's count is judged before the rest is read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.user_file import opened, read_bytes
from proxops.lab.surface import MOST_TRIANGLES, Surface, count_up_to_bound, demand_count, plain

HEAD: Final = 84
ROW: Final = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
ASCII_BYTES: Final = 300  # of one triangle, at most; exporters write 180 to 280
WHAT: Final = "the STL file"


def read_stl(path: Path) -> Surface:
    """As the file has it: neither scaled nor judged."""
    where = str(path)
    descriptor = opened(path, WHAT)
    with os.fdopen(descriptor, "rb") as file:
        size, head = os.fstat(file.fileno()).st_size, file.read(HEAD)
    count = int.from_bytes(head[80:84], "little") if len(head) == HEAD else -1
    if head.lstrip().startswith(b"solid") and size != HEAD + ROW.itemsize * count:
        return _ascii(path)
    if count < 0:
        raise BadInput("this is no STL file", where=where, value=f"{size} bytes", bound="84 and 50 for each triangle")
    demand_count(count, where)
    if size < HEAD + ROW.itemsize * count:
        there = (size - HEAD) // ROW.itemsize
        raise BadInput(
            "the STL file is cut short, or none",
            where=where,
            value=f"{there:,} triangles",
            bound=f"{count:,} as its head says",
        )
    rows = np.frombuffer(read_bytes(path, WHAT, size), ROW, count, HEAD)
    return _soup(rows["corners"].astype(np.float64).reshape(-1, 3))


def _ascii(path: Path) -> Surface:
    where = str(path)
    demand_count(count_up_to_bound(path, WHAT, b"endfacet"), where)
    data = read_bytes(path, WHAT, MOST_TRIANGLES * ASCII_BYTES)
    count = len(re.findall(rb"\bendfacet\b", data))
    demand_count(count, where)
    if b"endsolid" not in data[-4096:]:
        raise BadInput(
            "the STL file is cut short", where=where, value=f"{count:,} triangles", bound="endsolid as the last line"
        )
    words = re.findall(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    if len(words) != 3 * count:
        raise BadInput(
            "the STL file has facets without three corners", where=where, value=f"{len(words)} of {3 * count}"
        )
    try:
        return _soup(np.array(words).astype(np.float64))
    except ValueError as reason:
        raise BadInput(f"the STL file has a corner that is no number: {reason}", where=where) from None


def _soup(corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Surface:
    """Every triangle with corners of its own; equal corners become one where the mesh is judged."""
    return plain(corners, np.arange(len(corners), dtype=np.int32).reshape(-1, 3))
