"""Arrays on the stack: as good as others, never handed out; and kernels that make no array count none."""

from typing import Any

import numpy as np
import pytest
from small_kernels import dangling, put_squares, square_length, square_matrix, sum_of_twice

VALUES = np.array([1.0, 2.0, 3.0])


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
