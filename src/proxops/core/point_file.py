"""Points with intensity and time as files: PCD (Point Cloud Library, 0.7) and PLY, written binary, read binary or as text.

Fields are x y z (m) and, where known, intensity and t (s from the first point's time). Others are passed over.
"""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.images import PointScan

POINT: Final = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("t", "<f4")])
MOST_POINTS: Final = 10_000_000
_HEAD_BYTES: Final = 4096  # at most
_PCD_KINDS: Final = {"F": "f", "I": "i", "U": "u"}
_PLY_KINDS: Final = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip


def point_rows(scan: PointScan) -> NDArray[np.void]:
    """(n) of POINT."""
    rows = np.empty(len(scan.points_m), POINT)
    rows["x"], rows["y"], rows["z"] = scan.points_m.T
    rows["intensity"], rows["t"] = scan.intensity, scan.t_offset_s
    return rows


def scan_of_rows(sensor: str, number: int, t: float, rows: NDArray[np.void]) -> PointScan:
    points = np.stack([rows["x"], rows["y"], rows["z"]], axis=1).astype(np.float32)
    return PointScan(sensor, number, t, points, rows["intensity"].astype(np.float32), rows["t"].astype(np.float32))


def pcd(rows: NDArray[np.void]) -> bytes:
    """(n) of POINT as a PCD."""
    count, names = len(rows), POINT.names or ()
    head = (
        f"# .PCD v0.7\nVERSION 0.7\nFIELDS {' '.join(names)}\nSIZE {'4 ' * 5}\nTYPE {'F ' * 5}\nCOUNT {'1 ' * 5}\n"
        f"WIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {count}\nDATA binary\n"
    ).replace(" \n", "\n")
    return head.encode() + rows.astype(POINT).tobytes()


def ply(rows: NDArray[np.void]) -> bytes:
    """(n) of POINT as a PLY."""
    fields = "".join(f"property float {name}\n" for name in POINT.names or ())
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(rows)}\n{fields}end_header\n"
    return head.encode() + rows.astype(POINT).tobytes()


def points_of(data: bytes, where: str) -> NDArray[np.void]:
    """(n) of POINT from a PCD or a PLY; BadInput for anything else, and for one that is cut."""
    try:
        rows = _of_ply(data) if data.startswith(b"ply") else _of_pcd(data)
    except (ValueError, KeyError, IndexError, UnicodeDecodeError, TypeError) as reason:
        raise BadInput(f"is no PCD or PLY with points: {reason}", where=where) from None
    return rows


def _of_pcd(data: bytes) -> NDArray[np.void]:
    head, mark, rest = data.partition(b"DATA ")
    if not mark or len(head) > _HEAD_BYTES:
        raise ValueError("no header of a PCD")
    said = {line.split()[0]: line.split()[1:] for line in head.decode("ascii").splitlines() if line and line[0] != "#"}
    kind, _, body = rest.partition(b"\n")
    sizes, kinds = said["SIZE"], said["TYPE"]
    counts = said.get("COUNT", ["1"] * len(sizes))
    fields = [
        (name, f"<{_PCD_KINDS[letter]}{size}", (int(count),))
        if count != "1"
        else (name, f"<{_PCD_KINDS[letter]}{size}")
        for name, size, letter, count in zip(said["FIELDS"], sizes, kinds, counts, strict=True)
    ]
    return _rows(
        np.dtype(fields), int(said["POINTS"][0]), body, text=kind.strip() == b"ascii", known=kind.strip() == b"binary"
    )


def _of_ply(data: bytes) -> NDArray[np.void]:
    head, mark, body = data.partition(b"end_header\n")
    if not mark or len(head) > _HEAD_BYTES:
        raise ValueError("no header of a PLY")
    lines = [line.split() for line in head.decode("ascii").splitlines()]
    kind = [line[1] for line in lines if line[:1] == ["format"]][0]  # noqa: RUF015 (none is an IndexError)
    elements = [k for k, line in enumerate(lines) if line[:1] == ["element"]]
    if lines[elements[0]][1] != "vertex":
        raise ValueError("the first element is no vertex")
    own = lines[elements[0] + 1 : elements[1] if len(elements) > 1 else None]
    order = ">" if kind == "binary_big_endian" else "<"
    dtype = np.dtype([(line[2], order + _PLY_KINDS[line[1]]) for line in own if line[:1] == ["property"]])
    known = kind in ("binary_little_endian", "binary_big_endian")
    return _rows(dtype, int(lines[elements[0]][2]), body, text=kind == "ascii", known=known)


def _rows(dtype: np.dtype[np.void], count: int, body: bytes, *, text: bool, known: bool) -> NDArray[np.void]:
    if not 0 <= count <= MOST_POINTS:
        raise ValueError(f"{count} points; at most {MOST_POINTS} are read")
    if not (text or known):
        raise ValueError("its way of writing is unknown: binary or ascii")
    if text:
        values = np.loadtxt(io.BytesIO(body), np.float64, max_rows=count, ndmin=2) if count else np.empty((0, 9))
        columns = {name: values[:, k] for k, name in enumerate(dtype.names or ())}
        found = len(values)
    else:
        found = min(count, len(body) // dtype.itemsize)
        whole = np.frombuffer(body, dtype, found)
        columns = {name: whole[name] for name in dtype.names or ()}
    if found != count:
        raise ValueError(f"{found} of {count} points")
    rows = np.zeros(count, POINT)
    for name in POINT.names or ():
        if name in columns:
            rows[name] = columns[name]
        elif name in "xyz":
            raise ValueError(f"no field {name}")
    return rows
