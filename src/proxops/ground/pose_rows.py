"""Poses row by row (x y z qw qx qy qz, scalar first): relative, composed, and how far apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

Floats = NDArray[np.float64]


def relative(T_lab_a: Floats, T_lab_b: Floats) -> Floats:
    """T_a_b."""
    out = np.empty((len(T_lab_a), 7))
    _relative(_plain(T_lab_a), _plain(T_lab_b), out)
    return out


def composed(T_a_b: Floats, T_b_c: Floats) -> Floats:
    """T_a_c."""
    out = np.empty((len(T_a_b), 7))
    _composed(_plain(T_a_b), _plain(T_b_c), out)
    return out


def distance_and_angle(T_lab_a: Floats, T_lab_b: Floats) -> tuple[Floats, Floats]:
    """Distance (m) and angle of rotation (rad) between poses; accurate for small angles too."""
    apart = np.empty((3, len(T_lab_a)))
    _apart(_plain(T_lab_a), _plain(T_lab_b), apart)
    return apart[0], 4.0 * np.arctan2(apart[1], apart[2])


def distance(T_lab_a: Floats, T_lab_b: Floats) -> Floats:
    """Distance (m) of the origins of poses."""
    out: Floats = np.linalg.norm(T_lab_b[:, :3] - T_lab_a[:, :3], axis=1)
    return out


def _plain(rows: Floats) -> Floats:
    """Arrays of one kind: a kernel met with another would be compiled anew."""
    return np.ascontiguousarray(rows, np.float64)


@kernel
def _relative(a: Array, b: Array, out: Array) -> None:
    for k in range(len(out)):
        w, x, y, z = a[k, 3], -a[k, 4], -a[k, 5], -a[k, 6]
        _rotate(w, x, y, z, b[k, 0] - a[k, 0], b[k, 1] - a[k, 1], b[k, 2] - a[k, 2], out[k])
        _multiply(w, x, y, z, b[k], out[k])


@kernel
def _composed(a: Array, b: Array, out: Array) -> None:
    for k in range(len(out)):
        w, x, y, z = a[k, 3], a[k, 4], a[k, 5], a[k, 6]
        _rotate(w, x, y, z, b[k, 0], b[k, 1], b[k, 2], out[k])
        for i in range(3):
            out[k, i] = a[k, i] + out[k, i]
        _multiply(w, x, y, z, b[k], out[k])


@kernel
def _rotate(w: float, x: float, y: float, z: float, px: float, py: float, pz: float, out: Array) -> None:
    """The vector p turned by a unit quaternion, into the first three."""
    tx, ty, tz = 2.0 * (y * pz - z * py), 2.0 * (z * px - x * pz), 2.0 * (x * py - y * px)
    out[0] = px + w * tx + (y * tz - z * ty)
    out[1] = py + w * ty + (z * tx - x * tz)
    out[2] = pz + w * tz + (x * ty - y * tx)


@kernel
def _multiply(w: float, x: float, y: float, z: float, b: Array, out: Array) -> None:
    """Hamilton product with the quaternion of pose ``b``, into the last four."""
    bw, bx, by, bz = b[3], b[4], b[5], b[6]
    out[3] = w * bw - (x * bx + y * by + z * bz)
    out[4] = w * bx + bw * x + (y * bz - z * by)
    out[5] = w * by + bw * y + (z * bx - x * bz)
    out[6] = w * bz + bw * z + (x * by - y * bx)


@kernel
def _apart(a: Array, b: Array, out: Array) -> None:
    """Distance, and lengths of the difference and of the sum of the quaternions, which are sine and cosine of a quarter."""
    for k in range(out.shape[1]):
        x, y, z = b[k, 0] - a[k, 0], b[k, 1] - a[k, 1], b[k, 2] - a[k, 2]
        out[0, k] = math.sqrt(x * x + y * y + z * z)
        sign = 1.0
        if a[k, 3] * b[k, 3] + a[k, 4] * b[k, 4] + a[k, 5] * b[k, 5] + a[k, 6] * b[k, 6] < 0.0:
            sign = -1.0
        less, more = 0.0, 0.0
        for i in range(3, 7):
            less += (sign * b[k, i] - a[k, i]) ** 2
            more += (sign * b[k, i] + a[k, i]) ** 2
        out[1, k], out[2, k] = math.sqrt(less), math.sqrt(more)
