"""What Numba leaves out for us, and that it still does what it is asked for."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.extending import overload
from numba.core.runtime import _nrt_python, rtsys
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.source_digest import kernel_folder

LOADED = """
import sys
import numpy as np
from proxops.maths.quaternion import quat_inverse
quat_inverse(np.array([1.0, 0.0, 0.0, 0.0]))
assert "scipy.linalg" not in sys.modules
from numba.np import arraymath, linalg
assert arraymath._HAVE_BLAS  # whoever wants it
linalg.ensure_blas()
assert "scipy.linalg" in sys.modules
"""


@kernel
def _put(out: Array, values: Array) -> None:
    out[1:4] = values


@kernel
def _scale(values: Array, factor: int, out: Array) -> None:
    for i in range(values.shape[0]):
        out[i] = factor * values[i]


@kernel
def _scale_all(record: NDArray[np.void], values: Array) -> None:
    row = record[0]
    _scale(values, 2, row.field)
    _scale(row.field, 3, values)
    _scale(row.table[1], values.shape[0], row.table[0])


@kernel
def _sum(table: Array) -> tuple[Array, Array]:
    total = np.zeros(table.shape[1])
    for i in range(table.shape[0]):
        total += table[i]
    return total, 2.0 * total


@kernel
def _sums(table: Array) -> tuple[Array, Array]:
    unused = _sum(table)
    return _sum(table) if unused[0][0] > 0.0 else unused


def _double(value: float) -> float:
    return value + value


def test_a_callee_is_compiled_once_for_arrays_fields_and_written_numbers() -> None:
    record, values = np.zeros(1, np.dtype([("field", "f8", (4,)), ("table", "f8", (2, 4))])), np.arange(4.0)
    record["table"][0, 1] = 1.0, 2.0, 3.0, 4.0
    _scale_all(record, values)
    assert record["field"][0].tolist() == [0.0, 2.0, 4.0, 6.0]
    assert values.tolist() == [0.0, 6.0, 12.0, 18.0]
    assert record["table"][0, 0].tolist() == [4.0, 8.0, 12.0, 16.0]
    assert (
        len(list(kernel_folder(Path(__file__)).glob("called-*._scale-*.nbc"))) == 1
    )  # kept, by this process or one before


def test_a_kernel_is_loaded_without_scipy() -> None:
    pytest.importorskip("scipy")
    subprocess.run([sys.executable, "-c", LOADED], check=True)


def test_a_slice_of_another_size_is_refused() -> None:
    out = np.zeros(5)
    _put(out, np.ones(3))
    assert out.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="slice of another shape"):
        _put(out, np.ones(4))
    assert out.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_kernel_that_makes_arrays_and_hands_them_on_frees_them() -> None:
    gc.collect()  # arrays of others, made before anybody counted, would be counted when they are freed
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    kept = _sums(np.ones((2, 3)))
    assert [part.tolist() for part in kept] == [[2.0, 2.0, 2.0], [4.0, 4.0, 4.0]]
    during = rtsys.get_allocation_stats()
    assert during.alloc - before.alloc > len(kept)  # more were made than are kept
    assert (during.alloc - during.free) - (before.alloc - before.free) == len(kept)
    del kept
    after = rtsys.get_allocation_stats()
    assert after.alloc - after.free == before.alloc - before.free


def test_new_declarations_are_looked_for_when_there_are_any() -> None:
    target = _scale.targetdescr.target_context  # type: ignore[attr-defined]
    _scale(np.ones(1), 2, np.zeros(1))
    target.refresh()

    def declared() -> bool:
        return target.typing_context._lookup_global(_double) is not None

    assert not declared()
    overload(_double)(lambda value: lambda value: 2.0 * value)
    assert not declared()
    target.refresh()
    assert declared()
