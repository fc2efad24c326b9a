"""Everything that reads a log, on one log: what a fuzzer calls."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from proxops.console import log_desk
from proxops.console.log_shelf import runs
from proxops.core.errors import BadInput
from proxops.ground.align import align
from proxops.ground.experiment_log import about_of
from proxops.ground.export import choose, write_csv
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.log_curves import curves
from proxops.ground.log_file import LogFile
from proxops.ground.log_window import samples_at, window
from proxops.ground.overview import overview_of
from proxops.ground.overview_writer import overview_path
from proxops.ground.recover import recover

NAMES = ["actual.rail"]


def _whole(path: Path) -> None:
    log = Log.open(path)
    describe(log)
    about_of(log)
    write_csv(log, choose(log, ["clock"]), io.StringIO())


def _aligned(path: Path) -> None:
    table = path.with_suffix(".csv")
    table.write_text("utc_ns,x\n1767225600000000000,1\n")
    align(Log.open(path), table, path.with_suffix(".out"))


def _pieces(path: Path) -> None:
    window(path, 0.0, 0.3, NAMES)
    samples_at(path, [0.0, 0.1, 1e9], NAMES)
    with LogFile(path) as log:
        log.span()
        log.index()
        log.tail()


def _overview(path: Path) -> None:
    overview_path(path).unlink(missing_ok=True)
    for _ in range(2):  # made, then found
        with overview_of(path) as overview:
            overview.bounds(overview.columns[0].path)
        curves(path, NAMES, 0.0, 1.0, 10)


def _recovered(path: Path) -> None:
    out = path.with_suffix(".again.mcap")
    out.unlink(missing_ok=True)
    try:
        recover(path, out)
        Log.open(out)
    finally:
        out.unlink(missing_ok=True)


def _console(path: Path) -> None:
    folder, name = str(path.parent), path.name
    runs(folder)
    log_desk.samples(folder, name, [0.0, 0.1], NAMES)
    log_desk.write_csv(folder, name, NAMES, None, None, str(path.with_suffix(".csv")))


READERS: dict[str, Callable[[Path], None]] = {
    "whole": _whole, "aligned": _aligned, "pieces": _pieces, "overview": _overview, "recovered": _recovered, "console": _console,
}  # fmt: skip


def read_all(path: Path) -> int:
    """Every reader: BadInput or a result. How many refused it; anything else is the test's failure."""
    refused = 0
    for reader in READERS.values():
        try:
            reader(path)
        except BadInput as refusal:
            assert len(str(refusal)) < 4000
            refused += 1
    return refused
