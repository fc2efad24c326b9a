"""What a log looks like to the outside: protobuf descriptors made from the table of the data pool.

``proxops.Pool`` has one nested message per group; field numbers are positions in the table. Units and
meanings travel as comments, so a log explains itself without us. ``foxglove.Log`` follows Foxglove's
published schema (name, fields, numbers), so that its Log panel shows our events.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache, lru_cache
from typing import Any, Final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import DESCRIPTOR as TIMESTAMP_FILE

from proxops.core.messages import POOL, Group, Variable
from proxops.core.vocabulary import Severity

POOL_NAME: Final = "proxops.Pool"
LOG_NAME: Final = "foxglove.Log"
CYCLES_NAME: Final = "proxops.Cycles"
POOL_TOPIC: Final = "/pool"
CYCLES_TOPIC: Final = "/cycles"
EVENT_TOPIC: Final = "/events"
KEPT: Final = 16  # schemas of logs that are remembered

PROTO_TYPES: Final = {
    "f8": FieldDescriptorProto.TYPE_DOUBLE,
    "i8": FieldDescriptorProto.TYPE_SFIXED64,
    "u4": FieldDescriptorProto.TYPE_FIXED32,
    "u1": FieldDescriptorProto.TYPE_UINT32,
}
"""Fixed sizes on the wire (u1: one byte, below 128), so that whole blocks of records are encoded at once."""


def camel(name: str) -> str:
    """Message name of a group: ``actual_port1`` -> ``ActualPort1``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _enum(kind: type[IntEnum]) -> Any:
    """Protobuf enumeration: value names carry its name (they share one scope); zero must exist."""
    prefix = kind.__name__.upper()
    values = {int(v): f"{prefix}_{v.name}" for v in kind}
    values.setdefault(0, f"{prefix}_UNKNOWN")
    enum = EnumDescriptorProto(name=kind.__name__)
    for number, name in sorted(values.items()):
        enum.value.add(name=name, number=number)
    return enum


def _field(message: Any, number: int, variable: Variable) -> None:
    field = message.field.add(name=variable.name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
    if variable.names is None:
        field.type = PROTO_TYPES[variable.type]
    else:
        field.type = FieldDescriptorProto.TYPE_ENUM
        field.type_name = f".proxops.{variable.names.__name__}"


def _pool_file(groups: tuple[Group, ...]) -> Any:
    """``proxops/pool.proto``: enumerations, the nested messages, and comments ``[unit] meaning``."""
    file = FileDescriptorProto(name="proxops/pool.proto", package="proxops", syntax="proto3")
    pool = DescriptorProto(name="Pool")
    kinds: dict[str, type[IntEnum]] = {}
    for g, group in enumerate(groups):
        nested = pool.nested_type.add(name=camel(group.name))
        pool.field.add(
            name=group.name,
            number=g + 1,
            label=FieldDescriptorProto.LABEL_OPTIONAL,
            type=FieldDescriptorProto.TYPE_MESSAGE,
            type_name=f".{POOL_NAME}.{nested.name}",
        )
        _comment(file, [4, 0, 2, g], group.meaning)
        for v, variable in enumerate(group.variables):
            _field(nested, v + 1, variable)
            _comment(file, [4, 0, 3, g, 2, v], f"[{variable.unit}] {variable.meaning}")
            if variable.names is not None:
                kinds[variable.names.__name__] = variable.names
    file.enum_type.extend(_enum(kind) for kind in kinds.values())
    file.message_type.append(pool)
    return file


def _comment(file: Any, path: list[int], text: str) -> None:
    """Comment on the element at ``path`` (numbers of descriptor.proto: 4 message, 3 nested, 2 field)."""
    file.source_code_info.location.add(path=path, span=[0, 0, 0], leading_comments=text)


def _timestamp_file() -> Any:
    file = FileDescriptorProto()
    TIMESTAMP_FILE.CopyToProto(file)
    return file


def _log_file() -> Any:
    """``foxglove/Log.proto`` with the fields and numbers that Foxglove publishes."""
    file = FileDescriptorProto(name="foxglove/Log.proto", package="foxglove", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    log = file.message_type.add(name="Log")
    level = log.enum_type.add(name="Level")
    for name, number in [("UNKNOWN", 0), *((s.name, int(s)) for s in Severity)]:
        level.value.add(name=name, number=number)
    kind = FieldDescriptorProto
    log.field.add(name="timestamp", number=1, type=kind.TYPE_MESSAGE, type_name=".google.protobuf.Timestamp")
    log.field.add(name="level", number=2, type=kind.TYPE_ENUM, type_name=".foxglove.Log.Level")
    log.field.add(name="message", number=3, type=kind.TYPE_STRING)
    log.field.add(name="name", number=4, type=kind.TYPE_STRING)
    log.field.add(name="file", number=5, type=kind.TYPE_STRING)
    log.field.add(name="line", number=6, type=kind.TYPE_FIXED32)
    for field in log.field:
        field.label = kind.LABEL_OPTIONAL
    return file


@cache
def pool_schema(groups: tuple[Group, ...] = POOL) -> bytes:
    """Serialised FileDescriptorSet of ``proxops.Pool``, as it stands in the log's schema record."""
    return _bytes(FileDescriptorSet(file=[_timestamp_file(), _pool_file(groups)]))


@cache
def log_schema() -> bytes:
    """Serialised FileDescriptorSet of ``foxglove.Log``."""
    return _bytes(FileDescriptorSet(file=[_timestamp_file(), _log_file()]))


def _bytes(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data


@lru_cache(maxsize=KEPT)
def message_class(schema: bytes, name: str) -> Any:
    """Class of message ``name`` out of a serialised FileDescriptorSet, for messages one by one. ValueError when there is none:
    the schema may be out of a damaged log."""
    try:
        return _message_class(schema, name)
    except (DecodeError, TypeError, KeyError, RecursionError) as reason:
        raise ValueError(f"the schema does not describe {name}: {reason}") from reason


def _message_class(schema: bytes, name: str) -> Any:
    files = {file.name: file for file in FileDescriptorSet.FromString(schema).file}
    pool = DescriptorPool()

    def add(file: Any) -> None:
        for needed in file.dependency:
            if needed in files:
                add(files.pop(needed))
        pool.Add(file)

    while files:
        add(files.popitem()[1])
    return GetMessageClass(pool.FindMessageTypeByName(name))
