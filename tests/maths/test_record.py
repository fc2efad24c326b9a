"""Layouts of records are made once: every facility of a process calls the kernels with the same."""

from __future__ import annotations

import pytest

from proxops.lab.chain import chain_dtype
from proxops.lab.links.virtual import controller_dtype
from proxops.maths.record import doubles_of, room_for
from proxops.safety.limits import guard_dtype, guard_record
from proxops.safety.nearness import cache_dtype, fixed_dtype, rooms


@pytest.mark.parametrize(
    ("layout", "sizes"),
    [
        (guard_dtype, (13,)),
        (controller_dtype, (16, 4, 32)),
        (chain_dtype, (32,)),
        (fixed_dtype, rooms(7, 9, 20, 9)),
        (cache_dtype, rooms(7, 9, 20, 9)),
    ],
)
def test_a_layout_is_one_object(layout, sizes) -> None:
    assert layout(*sizes) is layout(*sizes)


def test_room_is_a_power_of_two_and_enough() -> None:
    assert [room_for(count, 16) for count in (0, 1, 16, 17, 32, 33)] == [16, 16, 16, 32, 32, 64]


def test_neighbouring_doubles_are_a_view(cell) -> None:
    guard = guard_record(cell)
    told = doubles_of(guard, "wish", 3 * cell.n_axes)
    guard[0]["wish"], guard[0]["x"], guard[0]["v"] = 1.0, 2.0, 3.0
    assert told.reshape(3, -1).tolist() == [[1.0] * cell.n_axes, [2.0] * cell.n_axes, [3.0] * cell.n_axes]
