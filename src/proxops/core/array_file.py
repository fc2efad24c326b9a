"""Arrays of numbers from .npy and .npz, judged by what their headers say before memory is taken."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from proxops.core.errors import BadInput

MOST_BYTES: Final = 256 * 1024 * 1024
MOST_ARRAYS: Final = 64


def arrays_of(data: bytes, where: str) -> dict[str, NDArray[Any]]:
    """By their names; that of a .npy is empty. At least one. BadInput for anything else."""
    if not data.startswith(b"PK"):
        return {"": _array(data, where)}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if not 0 < len(entries) <= MOST_ARRAYS or sum(one.file_size for one in entries) > MOST_BYTES:
                raise BadInput("too many or too large arrays", where=where, bound=f"{MOST_ARRAYS}, {MOST_BYTES} bytes")
            return {one.filename.removesuffix(".npy"): _array(archive.read(one), where) for one in entries}
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as reason:
        raise BadInput(f"is no archive of arrays: {reason}", where=where) from None


def _array(data: bytes, where: str) -> NDArray[Any]:
    stream = io.BytesIO(data)
    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, by_columns, kind = read(stream)
    except (ValueError, EOFError) as reason:
        raise BadInput(f"is no array of distances: {reason}", where=where) from None
    values = data[stream.tell() :]
    size = int(np.prod([int(n) for n in shape], dtype=object)) * kind.itemsize if shape else 0
    if by_columns or kind.kind not in "fiu" or not 0 < size == len(values):
        raise BadInput("is no array of numbers, row by row", where=where, value=f"{kind} {shape}")
    return np.frombuffer(values, kind).reshape(shape)
