"""A facility's run on record: the recorder is started on its rings, told what the log is about, and watched from then on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import proxops
from proxops.core.clock import LockstepClock
from proxops.core.ring import Ring
from proxops.facility.facility import Facility
from proxops.facility.recorder_watch import RecorderWatch
from proxops.facility.records import Records
from proxops.ground.hall_stage import stage_of
from proxops.ground.recorder import Recorder
from proxops.ground.viewer_message import ViewerChannel
from proxops.lab.any_cell import AnyCell
from proxops.lab.cell import Cell


def about_run(cell: AnyCell, seed: int, more: Mapping[str, str] | None) -> dict[str, str]:
    """What every log of a facility says of itself, and what else is to be said."""
    about = {"proxops_version": proxops.__version__, "cell": cell.file.name, "seed": str(seed)}
    if isinstance(cell, Cell):
        about["user_tool"] = cell.tool.source
        about["T_flange_port1"] = json.dumps(cell.tool.T_flange_port1.tolist())
        about["T_flange_port2"] = json.dumps(cell.tool.T_flange_port2.tolist())
    return {**about, **(more or {})}


def start_recorder(
    facility: Facility, records: Records, out: Path, about: Mapping[str, str], *, watchdog: Ring | None, last_words: bool,
    viewer_channels: Sequence[ViewerChannel] = (),
) -> Recorder:  # fmt: skip
    """Into the log ``out``. A live run is forced onto the disk and never waits; one in lockstep waits, so that nothing is lost.
    ``watchdog``: its events; ``last_words``: some will come when all is over. ``viewer_channels``: of the records' ring for
    viewers."""
    clock = facility.clock
    live = not isinstance(clock, LockstepClock)
    recorder = Recorder.start(
        *records.rings, out, about, replace=True, durable=live, forked=not live, watchdog=watchdog, stage=stage_of(facility.cell),
        groups=records.pool.groups, last_words=last_words,
        viewer=records.viewer.ring if records.viewer else None, viewer_channels=viewer_channels,
    )  # fmt: skip
    recorder.wait_ready()
    facility.surroundings.evidence = RecorderWatch(recorder, records.rings[0], facility.events, clock, by_time=live)
    if isinstance(clock, LockstepClock):
        clock.wait = recorder.let_it_keep_up
        if records.viewer:
            records.viewer.wait = recorder.let_it_keep_up
    return recorder
