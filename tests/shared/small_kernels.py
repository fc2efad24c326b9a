"""Kernels that call each other, soon compiled: tests start processes that need no more than this file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix, record_like, vector

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


@kernel
def square_length(values: Array) -> float:
    """Borrows an array, and has one of its own on the stack."""
    squares = vector(3)
    put_squares(values, squares)
    return squares[0] + squares[1] + squares[2]


@kernel
def put_squares(values: Array, out: Array) -> None:
    part = values[0:3]
    for i in range(3):
        out[i] = part[i] * part[i]


@kernel
def square_matrix(values: Array) -> float:
    squares, total = matrix(2, 3), 0.0
    for row in range(2):
        put_squares(values, squares[row])
    for row in range(2):
        for column in range(3):
            total += squares[row, column]
    return total


@kernel
def dangling(values: Array) -> Array:
    """What must not be compiled: the array would be gone."""
    out = vector(3)
    put_squares(values, out)
    return out


@kernel
def put_record(records: NDArray[np.void], source: int, out: NDArray[np.void], place: int) -> None:
    out[place] = records[source]


@kernel
def swap_records(records: NDArray[np.void]) -> None:
    """The first two, by one on the stack."""
    kept = record_like(records)
    kept[0] = records[0]
    records[0] = records[1]
    records[1] = kept[0]


@kernel
def put_empty_record(out: NDArray[np.void]) -> None:
    out[0] = record_like(out)[0]
