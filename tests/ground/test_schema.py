"""Our vectorised encoding against the protobuf library, which is the authority on what the bytes mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.core.messages import POOL, POOL_DTYPE
from proxops.core.vocabulary import Mode, Severity
from proxops.ground.schema import LOG_NAME, POOL_NAME, log_schema, message_class, pool_schema
from proxops.ground.wire import encode_pool, layout, pool_layout

Pool = message_class(pool_schema(), POOL_NAME)


def as_record(message: object) -> NDArray[np.void]:
    record = np.zeros(1, POOL_DTYPE)
    for group in POOL:
        for v in group.variables:
            record[group.name][v.name] = getattr(getattr(message, group.name), v.name)
    return record


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_record_survives_the_protobuf_library(seed: int) -> None:
    """Random bits in every variable: huge, tiny, negative, infinite and NaN values included."""
    record = np.frombuffer(np.random.default_rng(seed).bytes(POOL_DTYPE.itemsize), POOL_DTYPE).copy()
    for column in pool_layout().small:
        record[column.group][column.name] &= 127
    encoded = encode_pool(record)
    message = as_record(Pool.FromString(encoded[0].tobytes()))
    for column in pool_layout().columns:
        np.testing.assert_array_equal(message[column.group][column.name], record[column.group][column.name])
    assert pool_layout().decode(encoded).tobytes() == record.tobytes()


def test_block_is_row_by_row(made_up: Callable[..., NDArray[np.void]]) -> None:
    pool = made_up(50)
    rows = encode_pool(pool)
    assert rows.shape == (50, pool_layout().size)
    for i in (0, 17, 49):
        assert rows[i].tobytes() == encode_pool(pool[i : i + 1])[0].tobytes()
        np.testing.assert_equal(as_record(Pool.FromString(rows[i].tobytes())), pool[i : i + 1])


def test_another_writers_messages_read_too(made_up: Callable[..., NDArray[np.void]]) -> None:
    """The library leaves zeros out; our reader must not care."""
    pool = made_up(5)
    pool["state"]["rule"][2], pool["wish"]["rail"][3] = 0, 0.0
    bodies = [Pool.FromString(row.tobytes()).SerializeToString() for row in encode_pool(pool)]
    assert pool_layout().decode_each(bodies).tobytes() == pool.tobytes()
    shuffled = encode_pool(pool)
    shuffled[:, 0] = 0x1A  # claims that the first group is another one: not ours, to the slow way
    assert not pool_layout()._ours(shuffled)


def test_number_too_large_for_a_byte_does_not_break_the_message(
    made_up: Callable[..., NDArray[np.void]],
) -> None:
    pool = made_up(2)
    pool["state"]["rule"][1] = 200
    message = Pool.FromString(encode_pool(pool)[1].tobytes())
    assert message.state.rule == 127
    assert message.state.axis == pool["state"]["axis"][1]


def test_descriptor_follows_the_table() -> None:
    table = pool_layout()
    assert table.dtype == POOL_DTYPE
    assert [c.path for c in table.columns] == [f"{g.name}.{v.name}" for g in POOL for v in g.variables]
    assert [(c.unit, c.meaning) for c in table.columns] == [(v.unit, v.meaning) for g in POOL for v in g.variables]
    fields = Pool.DESCRIPTOR.fields
    assert [(f.name, f.number) for f in fields] == [(g.name, i + 1) for i, g in enumerate(POOL)]
    state = Pool.DESCRIPTOR.fields_by_name["state"].message_type
    mode = state.fields_by_name["mode"].enum_type
    assert mode.values_by_name["MODE_RUNNING"].number == Mode.RUNNING
    system = Pool.DESCRIPTOR.fields_by_name["command"].message_type.fields_by_name["system"].enum_type
    assert system.values[0].name == "SYSTEM_UNKNOWN"
    assert table.columns[4].names[int(Mode.RUNNING)] == "RUNNING"


def test_log_schema_has_foxgloves_names_and_numbers() -> None:
    """Names, numbers and types of foxglove.Log as Foxglove publishes them (foxglove-sdk, schemas/proto)."""
    fields = message_class(log_schema(), LOG_NAME).DESCRIPTOR.fields
    published = [
        ("timestamp", 1, 11),
        ("level", 2, 14),
        ("message", 3, 9),
        ("name", 4, 9),
        ("file", 5, 9),
        ("line", 6, 7),
    ]
    assert [(f.name, f.number, f.type) for f in fields] == published
    level = message_class(log_schema(), LOG_NAME).DESCRIPTOR.enum_types_by_name["Level"]
    assert {v.name: v.number for v in level.values} == {"UNKNOWN": 0, **{s.name: int(s) for s in Severity}}


def test_many_fields_need_longer_tags() -> None:
    """A table that grows beyond 15 groups and 127 variables still has a layout that the library reads."""
    wide = replace(POOL[3], variables=tuple(replace(POOL[3].variables[0], name=f"c{i}") for i in range(150)))
    groups = (*POOL, *(replace(wide, name=f"extra{i}") for i in range(3)))
    table = layout(pool_schema(groups))
    record = np.zeros(1, table.dtype)
    record["extra2"]["c149"] = 2.5
    out = table.messages(record.view(np.uint8).reshape(1, -1), np.arange(1))
    message = message_class(pool_schema(groups), POOL_NAME).FromString(out.tobytes())
    assert message.extra2.c149 == 2.5
    assert table.decode(out) == record


def test_wrong_kind_of_schema_is_refused() -> None:
    with pytest.raises(KeyError):
        layout(log_schema())
