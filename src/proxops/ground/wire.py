"""The pool on the wire: blocks of records to protobuf bytes and back, without looking at single records.

Every variable has a fixed size in a ``proxops.Pool`` message, so a message is a packed record with constant
bytes (tags and lengths) in between: one numpy structure with gaps. Zeros are written explicitly, which
protobuf allows. The layout comes from the descriptor in the log, so logs with an older or newer table are
read the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet
from numpy.typing import NDArray

from proxops.ground.schema import KEPT, POOL_NAME, message_class, pool_schema

_F: Final = FieldDescriptorProto
_NUMPY: Final = {
    _F.TYPE_DOUBLE: "<f8",
    _F.TYPE_SFIXED64: "<i8",
    _F.TYPE_FIXED32: "<u4",
    _F.TYPE_UINT32: "u1",
    _F.TYPE_ENUM: "u1",
}
_WIRE_TYPE: Final = {"<f8": 1, "<i8": 1, "<u4": 5, "u1": 0}
VARINT_MAX: Final = 127
"""Largest u1 that is one byte on the wire; anything above is written as this."""


@dataclass(frozen=True)
class Column:
    """One variable of a log as its schema describes it. ``names`` spells an enumeration's values."""

    group: str
    name: str
    type: str
    unit: str
    meaning: str
    names: dict[int, str]

    @property
    def path(self) -> str:
        """``group.variable``, as exports and options spell it."""
        return f"{self.group}.{self.name}"


@dataclass(frozen=True)
class StridedVariables:
    """Variables of one type that follow each other at even distances in a record."""

    type: str
    count: int
    record: tuple[int, int]  # first byte, bytes from one to the next


@dataclass(frozen=True)
class Layout:
    """How records lie in memory (``dtype``, packed) and in a message (``wire``, gaps for ``template``)."""

    schema: bytes
    columns: tuple[Column, ...]
    dtype: np.dtype[np.void]
    wire: np.dtype[np.void]
    template: NDArray[np.uint8]
    constant: NDArray[np.intp]  # positions of the template's own bytes: tags and lengths
    small: tuple[Column, ...]  # the u1 variables, which must stay below 128
    small_at: NDArray[np.intp]  # and their positions
    widths: NDArray[np.uint8]  # bytes of each variable
    at: NDArray[np.int64]  # where it begins in a record
    to: NDArray[np.int64]  # and in a message

    @property
    def size(self) -> int:
        """Bytes of one message."""
        return int(self.wire.itemsize)

    def messages(self, records: NDArray[np.uint8], chosen: NDArray[np.int64], skip: int = 0) -> NDArray[np.uint8]:
        """Of the ``chosen`` records, which lie one a row as plain bytes; each behind ``skip`` bytes to be filled. A u1 that would
        need a second byte on the wire is cut to what one can hold."""
        from proxops.ground.message_rows import numbers_in, put_numbers  # the compiler is loaded by who writes

        out = np.empty((chosen.size, skip + self.size), np.uint8)
        put_numbers(
            records, *numbers_in(records), chosen, self.at, self.widths, self.template, self.to, VARINT_MAX, out, *numbers_in(out)
        )  # fmt: skip
        return out

    def decode(self, messages: NDArray[np.uint8]) -> NDArray[np.void]:
        """Records of messages, shape (n, size). Messages of another writer are decoded one by one."""
        return self.seen(messages).astype(self.dtype, copy=False)

    def seen(self, messages: NDArray[np.uint8]) -> NDArray[np.void]:
        """The same where they lie, without a copy when the messages are ours: groups and names as in ``dtype``."""
        if messages.shape[1] == self.size and self._ours(messages):
            view: NDArray[np.void] = messages.view(self.wire)[:, 0]
            return view
        return self.decode_each([row.tobytes() for row in messages])

    def decode_each(self, messages: list[bytes]) -> NDArray[np.void]:
        """The slow way, for any legal encoding of the schema (fields left out, reordered, longer varints)."""
        kind = message_class(self.schema, POOL_NAME)
        parsed = [kind.FromString(data) for data in messages]
        out = np.zeros(len(messages), self.dtype)
        for column in self.columns:
            try:
                values = [getattr(getattr(message, column.group), column.name) for message in parsed]
                out[column.group][column.name] = np.minimum(values, 255) if column.type == "u1" else values
            except (AttributeError, TypeError) as reason:  # the schema's message is another, or the field a list
                raise ValueError(f"{column.path} is not what its schema says: {reason}") from None
        return out

    def _ours(self, messages: NDArray[np.uint8]) -> bool:
        """True when all constant bytes are where we write them and every u1 is a single byte."""
        if (messages[:, self.constant] != self.template[self.constant]).any():
            return False
        return int(messages[:, self.small_at].max(initial=0)) <= VARINT_MAX


@lru_cache(maxsize=KEPT)
def layout(schema: bytes) -> Layout:
    """Layout from a serialised FileDescriptorSet; KeyError or ValueError when it is not of our kind."""
    columns: list[Column] = []
    template = b""
    packed: list[tuple[str, Any]] = []
    gaps: list[tuple[str, Any, int]] = []
    for name, number, own, numbers in _groups(schema):
        body, parts = _body(own, numbers)
        template += varint(number << 3 | 2) + varint(len(body))
        gaps.append((name, _structure(parts, len(body)), len(template)))
        packed.append((name, np.dtype([(c.name, c.type) for c in own])))
        template += body
        columns += own
    dtype, wire = np.dtype(packed), _structure(gaps, len(template))
    small = tuple(c for c in columns if c.type == "u1")
    return Layout(
        schema,
        tuple(columns),
        dtype,
        wire,
        np.frombuffer(template, np.uint8),
        _constants(wire, dtype),
        small,
        np.array([at for kind, at in places(wire) if kind == "|u1"], np.intp),
        *_moves(wire, dtype),
    )


def places(kind: np.dtype[np.void]) -> list[tuple[str, int]]:
    """Type and first byte of every variable, in order."""
    return [
        (kind[group][name].str, kind.fields[group][1] + kind[group].fields[name][1])  # type: ignore[index]
        for group in kind.names or ()
        for name in kind[group].names or ()
    ]


def _moves(
    wire: np.dtype[np.void], packed: np.dtype[np.void]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Of each variable: its bytes, and where it begins in a record and in a message."""
    kinds, at = zip(*places(packed), strict=True)
    widths = np.array([np.dtype(kind).itemsize for kind in kinds], np.uint8)
    return widths, np.array(at, np.int64), np.array([to for _, to in places(wire)], np.int64)


def runs(kind: np.dtype[np.void]) -> tuple[StridedVariables, ...]:
    """Variables of a record joined to runs of even steps, in order."""
    joined: list[StridedVariables] = []
    for type_, at in places(kind):
        last = joined[-1] if joined else None
        if last and last.type == type_:
            step = (at - last.record[0]) // last.count
            if last.record[0] + last.count * step == at and (last.count == 1 or step == last.record[1]):
                joined[-1] = StridedVariables(type_, last.count + 1, (last.record[0], step))
                continue
        joined.append(StridedVariables(type_, 1, (at, 0)))
    return tuple(joined)


def _groups(schema: bytes) -> Iterator[tuple[str, int, list[Column], list[int]]]:
    """Name, field number, variables and their field numbers of every group in the descriptor."""
    files = {f.name: f for f in FileDescriptorSet.FromString(schema).file}
    file = files["proxops/pool.proto"]
    comments = {tuple(c.path): _text(c.leading_comments) for c in file.source_code_info.location}
    enums = {f".proxops.{e.name}": _spelling(e) for e in file.enum_type}
    pool = file.message_type[0]
    nested = {f".{POOL_NAME}.{m.name}": (i, m) for i, m in enumerate(pool.nested_type)}
    for field in pool.field:
        place, message = nested[field.type_name]
        own = [
            _column(_name(field.name), variable, comments.get((4, 0, 3, place, 2, i), ""), enums)
            for i, variable in enumerate(message.field)
        ]
        yield _name(field.name), field.number, own, [v.number for v in message.field]


def pool_layout() -> Layout:
    """Layout of the present table."""
    return layout(pool_schema())


def encode_pool(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """``proxops.Pool`` messages of records: bytes of shape (n, size). u1 above 127 is written as 127."""
    table = pool_layout()
    rows = np.ascontiguousarray(records).view(np.uint8).reshape(records.size, table.dtype.itemsize)
    return table.messages(rows, np.arange(records.size))


def _text(word: Any) -> str:
    """Of a descriptor; the package hands out bytes where a damaged one has no UTF-8."""
    if not isinstance(word, str):
        raise ValueError(f"not UTF-8: {word!r}")
    return word


def _name(word: Any) -> str:
    """Of a group or variable: numpy would give another to one without, and exports join them by dots and commas."""
    if not _text(word).isidentifier():
        raise ValueError(f"not a name: {word!r}")
    return _text(word)


def _spelling(enum: Any) -> dict[int, str]:
    prefix = _text(enum.name).upper() + "_"
    return {v.number: _text(v.name).removeprefix(prefix) for v in enum.value}


def _column(group: str, field: Any, comment: str, enums: dict[str, dict[int, str]]) -> Column:
    unit, _, meaning = comment.removeprefix("[").partition("] ")
    return Column(group, _name(field.name), _NUMPY[field.type], unit, meaning, enums.get(field.type_name, {}))


def _body(columns: list[Column], numbers: list[int]) -> tuple[bytes, list[tuple[str, Any, int]]]:
    """Constant bytes of a nested message (values zero) and where its values lie."""
    body, parts = b"", []
    for column, number in zip(columns, numbers, strict=True):
        body += varint(number << 3 | _WIRE_TYPE[column.type])
        parts.append((column.name, column.type, len(body)))
        body += bytes(np.dtype(column.type).itemsize)
    return body, parts


def _structure(parts: list[tuple[str, Any, int]], size: int) -> np.dtype[np.void]:
    names, formats, offsets = zip(*parts, strict=True)
    return np.dtype({"names": list(names), "formats": list(formats), "offsets": list(offsets), "itemsize": size})


def varint(value: int) -> bytes:
    """Protobuf's variable-length integer: seven bits a byte, lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _constants(wire: np.dtype[np.void], packed: np.dtype[np.void]) -> NDArray[np.intp]:
    """Positions of tags and lengths: what the values do not cover."""
    covered = np.zeros((1, wire.itemsize), np.uint8)
    covered.view(wire)[:, 0] = np.frombuffer(b"\xff" * packed.itemsize, packed)
    return np.flatnonzero(covered[0] == 0)
