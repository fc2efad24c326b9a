"""Kernels that call each other, soon compiled: tests start processes that need no more than this file."""

from __future__ import annotations

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

NAMES = ("zero", "eins", "two")


@kernel
def checked(value: float) -> float:
    if value < 0.0:
        raise ValueError("below zero")
    return np.sqrt(value)


@kernel
def roots(values: Array, name: int) -> tuple[Array, str]:
    out = np.empty(3)
    for i in range(values.shape[0]):
        out[i] = checked(values[i])
    return out, NAMES[name]


@kernel
def twice(values: Array) -> Array:
    out = np.empty(2)
    out[0], out[1] = 2.0 * values[0], 2.0 * values[1]
    return out


@kernel
def sum_of_twice(values: Array) -> float:
    both = twice(values)
    return both[0] + both[1]
