"""The log of an experiment: its series in the form of the facility's logs, read by the same tools."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

import numpy as np
from mcap.records import Attachment, Metadata
from numpy.typing import NDArray

from proxops.core.clock import LOCKSTEP_EPOCH, gps_from_utc_ns, parse_utc_ns
from proxops.core.errors import BadInput
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.json_text import read_json
from proxops.core.messages import EVENT_DTYPE, POOL, Group, Variable
from proxops.core.vocabulary import Severity
from proxops.ground.blocks import CHANNELS, Interleaver, schemas_of
from proxops.ground.log import Log
from proxops.ground.mcap_file import McapFile, Preamble
from proxops.ground.schema import pool_schema
from proxops.ground.wire import layout

MODEL: Final = "model.urdf"  # attachment: the craft that the experiment was about
CLOCK: Final = POOL[0]  # the same group as in the facility's logs


def groups_of(series: tuple[Series, ...]) -> tuple[Group, ...]:
    """The table of a log's variables."""
    return (CLOCK, *(_group(one) for one in series))


def _group(series: Series) -> Group:
    return Group(series.name, series.meaning, tuple(Variable(name, "f8", unit, name) for name, unit in series.columns))


def records_of(result: ExperimentResult, dtype: np.dtype[np.void], epoch: str = LOCKSTEP_EPOCH) -> NDArray[np.void]:
    """One record for each time."""
    out = np.zeros(len(result.t), dtype)
    clock = out["clock"]
    clock["tick"], clock["t_sim"] = np.arange(len(result.t)), result.t
    clock["utc_ns"] = parse_utc_ns(epoch) + np.round(result.t * 1e9).astype(np.int64)
    clock["gps_ns"] = clock["utc_ns"] + gps_from_utc_ns(0)
    for series in result.series:
        for (name, _), values in zip(series.columns, series.values.T, strict=True):
            out[series.name][name] = values
    return out


def write_experiment(
    path: Path, result: ExperimentResult, metadata: dict[str, str], epoch: str = LOCKSTEP_EPOCH
) -> None:
    """The whole log of a result that was computed at once. ``metadata`` is joined by what the report needs. Loops have a
    ``RowStream`` instead."""
    from proxops.ground.column_packer import ColumnPacker  # kernels, which who reads such a log need not load

    schema = pool_schema(groups_of(result.series))
    table = layout(schema)
    packer = ColumnPacker.of(table.dtype)
    about = {**metadata, "experiment": about_text(result), "clock": metadata.get("clock", "lockstep")}
    attachments = tuple(
        Attachment(create_time=0, data=data, log_time=0, media_type="application/octet-stream", name=name)
        for name, data in result.attachments.items()
    )
    records, blocks = records_of(result, table.dtype, epoch), Interleaver(table)
    blocks.add(records, _last_event(result.failure, records))
    try:
        file = McapFile(path, replace=True)
        file.begin(Preamble(schemas_of(schema), CHANNELS, (Metadata(name="run", metadata=about),), attachments))
        for block in blocks.blocks(last=True):
            file.add(block.encode(packer.columns_of(block.pool)))
        file.finish()
        file.close()
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(path)) from reason


def _last_event(failure: str, records: NDArray[np.void]) -> NDArray[np.void]:
    event = np.zeros(1 if failure and len(records) else 0, EVENT_DTYPE)
    if event.size:
        clock = records[-1]["clock"]
        event["utc_ns"], event["tick"] = clock["utc_ns"], clock["tick"]
        event["severity"], event["name"], event["text"] = Severity.ERROR, b"experiment", failure.encode()
    return event


def about_text(result: ExperimentResult) -> str:
    """What the report needs beside the series, as JSON: what is no number is null."""
    return json.dumps(_plain(_about(result)), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _about(result: ExperimentResult) -> dict[str, Any]:
    return {
        "conventions": list(result.conventions),
        "tables": [[caption, list(head), [list(row) for row in rows]] for caption, head, rows in result.tables],
        "figures": result.figures,
        "criteria": [row.plain() for row in result.criteria],
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
