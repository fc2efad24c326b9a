"""The log of an experiment: its series as one MCAP file, written at once, read by the same tools as the facility's logs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

import numpy as np
from mcap.records import Attachment, Channel, Metadata, Schema
from numpy.typing import NDArray

from proxops.core.clock import LOCKSTEP_EPOCH, gps_from_utc_ns, parse_utc_ns
from proxops.core.errors import BadInput
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.json_text import read_json
from proxops.core.messages import EVENT_DTYPE, POOL, Group, Variable
from proxops.core.vocabulary import Severity
from proxops.ground.blocks import (
    CHANNELS,
    EVENT_CHANNEL,
    HEAD_DTYPE,
    POOL_CHANNEL,
    event_message,
    fill_head,
    index_table,
)
from proxops.ground.camera_log import CAMERA_CHANNELS, CAMERA_SCHEMAS, with_images
from proxops.ground.log import Log
from proxops.ground.mcap_file import ChunkData, McapFile, Preamble
from proxops.ground.schema import LOG_NAME, POOL_NAME, log_schema, pool_schema
from proxops.ground.wire import layout

CHUNK: Final = 500  # records
LAST_NS: Final = 2**63 - 1  # no time comes after it
MODEL: Final = "model.urdf"  # attachment: the craft that the experiment was about
CLOCK: Final = POOL[0]  # the same group as in the facility's logs


def groups_of(result: ExperimentResult) -> tuple[Group, ...]:
    """The table of this log's variables."""
    return (CLOCK, *(_group(series) for series in result.series))


def _group(series: Series) -> Group:
    return Group(series.name, series.meaning, tuple(Variable(name, "f8", unit, name) for name, unit in series.columns))


def records_of(result: ExperimentResult, schema: bytes, epoch: str = LOCKSTEP_EPOCH) -> NDArray[np.void]:
    """One record for each time."""
    out = np.zeros(len(result.t), layout(schema).dtype)
    clock = out["clock"]
    clock["tick"], clock["t_sim"] = np.arange(len(result.t)), result.t
    clock["utc_ns"] = parse_utc_ns(epoch) + np.round(result.t * 1e9).astype(np.int64)
    clock["gps_ns"] = [gps_from_utc_ns(int(t)) for t in clock["utc_ns"]]
    for series in result.series:
        for (name, _), values in zip(series.columns, series.values.T, strict=True):
            out[series.name][name] = values
    return out


def _plain(value: Any) -> Any:
    """As JSON can say it: what is no number is null."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_experiment(
    path: Path, result: ExperimentResult, metadata: dict[str, str], epoch: str = LOCKSTEP_EPOCH
) -> None:
    """The whole log. ``metadata`` is joined by what the report needs."""
    schema = pool_schema(groups_of(result))
    records = records_of(result, schema, epoch)
    about = {
        **metadata,
        "experiment": json.dumps(_plain(_about(result)), allow_nan=False),
        "clock": metadata.get("clock", "lockstep"),
    }
    schemas: tuple[Schema, ...] = (
        Schema(id=1, name=POOL_NAME, encoding="protobuf", data=schema),
        Schema(id=2, name=LOG_NAME, encoding="protobuf", data=log_schema()),
    )
    channels: tuple[Channel, ...] = CHANNELS
    if result.camera:
        schemas, channels = (*schemas, *CAMERA_SCHEMAS), (*CHANNELS, *CAMERA_CHANNELS)
    attachments = tuple(
        Attachment(create_time=0, data=data, log_time=0, media_type="application/octet-stream", name=name)
        for name, data in result.attachments.items()
    )
    try:
        file = McapFile(path, replace=True)
        file.begin(Preamble(schemas, channels, (Metadata(name="run", metadata=about),), attachments))
        for start in range(0, len(records), CHUNK):
            clock, after = records["clock"][start : start + CHUNK], records["clock"]["utc_ns"][start + CHUNK :]
            chunk = _chunk(records[start : start + CHUNK], schema)
            if result.camera:
                until_ns = int(after[0]) if after.size else LAST_NS
                chunk = with_images(chunk, clock, until_ns, result.camera, parse_utc_ns(epoch))
            file.add(chunk)
        if result.failure and len(records):
            file.add(_last_event(result.failure, records[-1]))
        file.finish()
        file.close()
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(path)) from reason


def _about(result: ExperimentResult) -> dict[str, Any]:
    return {
        "conventions": list(result.conventions),
        "tables": [[caption, list(head), [list(row) for row in rows]] for caption, head, rows in result.tables],
        "figures": result.figures,
        "criteria": [
            {
                "name": row.name,
                "value": row.value,
                "bound": row.bound,
                "kind": row.kind,
                "unit": row.unit,
                "passed": row.passed,
            }
            for row in result.criteria
        ],
        "failure": result.failure,
        "passed": result.passed,
    }


def about_of(log: Log) -> dict[str, Any] | None:
    """What ``write_experiment`` put beside the series; None for a log of the facility."""
    text = log.metadata.get("experiment")
    about = read_json(text, "what the experiment told of itself", str(log.path)) if text else None
    if about is not None and not isinstance(about, dict):
        raise BadInput("what the experiment told of itself is no table", where=str(log.path))
    return about


def _chunk(records: NDArray[np.void], schema: bytes) -> ChunkData:
    table = layout(schema)
    out = np.empty((records.size, HEAD_DTYPE.itemsize + table.size), np.uint8)
    head = out[:, : HEAD_DTYPE.itemsize].view(HEAD_DTYPE)[:, 0]
    clock = records["clock"]
    fill_head(head, table.size, POOL_CHANNEL, clock["tick"], clock["utc_ns"])
    table.fill(out, records, HEAD_DTYPE.itemsize)
    offsets = np.arange(records.size, dtype=np.int64) * out.shape[1]
    return ChunkData(out.tobytes(), {POOL_CHANNEL: index_table(clock["utc_ns"], offsets)})


def _last_event(failure: str, record: np.void) -> ChunkData:
    event = np.zeros(1, EVENT_DTYPE)
    event["utc_ns"], event["tick"] = record["clock"]["utc_ns"], record["clock"]["tick"]
    event["severity"], event["name"], event["text"] = Severity.ERROR, b"experiment", failure.encode()
    table = index_table(event["utc_ns"], np.zeros(1, np.int64))
    return ChunkData(event_message(event[0]), {EVENT_CHANNEL: table})
