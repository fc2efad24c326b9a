"""Arrays on the stack: as good as others, never handed out; and kernels that make no array count none."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_kernels import (
    dangling,
    put_empty_record,
    put_record,
    put_squares,
    square_length,
    square_matrix,
    sum_of_twice,
    swap_records,
)  # fmt: skip

from proxops.maths.kernel import Kernel

VALUES = np.array([1.0, 2.0, 3.0])


# With bytes between its fields, and larger than what LLVM takes apart.
RECORD = np.dtype({"names": ["flag", "values"], "formats": ["?", ("f8", (300,))], "offsets": [3, 8], "itemsize": 2500})


def records(count: int) -> NDArray[np.void]:
    """Any bytes, also between the fields."""
    return np.frombuffer(bytearray(np.random.default_rng(1).bytes(count * RECORD.itemsize)), RECORD)


def runtime_of(kernel: Any, types: Any) -> set[str]:
    """What the optimised code of a kernel wants of Numba's memory."""
    return {
        f.name for f in kernel.called.of(types).library._get_module_for_linking().functions if f.name.startswith("NRT_")
    }


def test_they_hold_what_is_put_into_them() -> None:
    assert square_length(VALUES) == 14.0
    assert square_matrix(VALUES) == 28.0


def test_a_kernel_that_only_borrows_counts_nothing() -> None:
    for kernel in (square_length, square_matrix, put_squares):
        kernel(*(VALUES, VALUES.copy())[: 2 if kernel is put_squares else 1])
        assert not runtime_of(kernel, kernel.signatures[0]), kernel


def test_one_that_makes_an_array_lets_go_of_it() -> None:
    assert sum_of_twice(VALUES) == 6.0
    assert "NRT_decref" in runtime_of(sum_of_twice, sum_of_twice.signatures[0])


def test_one_that_returns_an_array_may_have_none_on_its_stack() -> None:
    with pytest.raises(TypeError, match="on its stack"):
        dangling(VALUES)


def copies() -> list[bytes]:
    """What ``put_record`` has made of records beside each other, of one onto itself, and of two that overlap."""
    made = []
    for source, place in ((0, 2), (2, 2), (3, 0)):
        given, out = records(4), records(5)[1:]
        put_record(given, source, out, place)
        put_record(out, place, out, 1)
        put_record(out, 3, out, 3)
        made.append(out.tobytes())
    for here, there in ((0, 100), (100, 0)):
        room = np.frombuffer(bytearray(records(2).tobytes()), np.uint8)
        one, other = (np.ndarray((1,), RECORD, buffer=room, offset=at) for at in (here, there))
        put_record(one, 0, other, 0)
        made.append(room.tobytes())
    return made


def test_records_are_copied_as_numba_itself_copies_them() -> None:
    """With the bytes between their fields. In the other process nothing of the compiler is replaced."""
    program = """
import hashlib, numba, small_kernels
small_kernels.put_record = numba.njit(error_model="numpy")(small_kernels.put_record.py_func)
import test_stack
print(*(hashlib.sha256(each).hexdigest() for each in test_stack.copies()))
from numba.core.base import BaseContext
assert BaseContext.pack_value.__module__ == "numba.core.base"
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [hashlib.sha256(each).hexdigest() for each in copies()] == done.stdout.split()


def test_a_record_on_the_stack_takes_a_copy_and_begins_with_zeros() -> None:
    given, size = records(3), RECORD.itemsize
    before = given.tobytes()
    swap_records(given)
    assert given.tobytes() == before[size : 2 * size] + before[:size] + before[2 * size :]
    put_empty_record(given)
    assert given.tobytes() == bytes(size) + before[:size] + before[2 * size :]


def test_no_record_is_copied_byte_by_byte() -> None:
    swap_records(records(2))
    assert isinstance(swap_records, Kernel)
    (types,) = swap_records.signatures
    assert "load i8" not in str(swap_records.called.of(types).library._get_module_for_linking())
