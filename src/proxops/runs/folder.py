"""The folder of a run: made before anything moves, and filled with its results afterwards."""

from __future__ import annotations

import fcntl
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment_result import ExperimentResult
from proxops.core.interruption import noted_interrupt
from proxops.ground.experiment_log import write_experiment
from proxops.ground.log import Log
from proxops.ground.recorder import EXIT_LOST, EXIT_UNFINISHED
from proxops.ground.results import PAGE, RESULTS, write_results
from proxops.ground.row_stream import RowStream
from proxops.ground.section import RunReport

LOG: Final = "run.mcap"
BESIDE: Final = ("run.overview", "hall.overview")  # belongs to the log, not for people
NOT_WHOLE: Final = {
    3: "the disk was full (recorder exit code 3)",
    4: "the recorder is still busy, or hangs (exit code 4)",
    EXIT_LOST: "cycles were overwritten before the recorder had read them (exit code 5)",
}
_locks: dict[Path, IO[str]] = {}  # of folders that this process writes into


def prepare_folder(folder: Path, also: Sequence[str] = ()) -> Path:
    """Make the folder of a run. What an earlier run left there (``also``: by these names, too) is kept in a folder of its own; a
    run that is still under way keeps others out."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _locks.setdefault(folder.resolve(), (folder / ".lock").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(
                "another run is writing into this folder", where=str(folder), way_out="choose another --out"
            ) from None
        earlier = [folder / name for name in (*RESULTS, *BESIDE, *also) if (folder / name).exists()]
        if earlier:
            number = next(n for n in itertools.count(1) if not (folder / f"earlier-{n}").exists())
            kept = folder / f"earlier-{number}"
            kept.mkdir()
            for path in earlier:
                path.rename(kept / path.name)
            print(f"note: the earlier run is kept in {kept}", file=sys.stderr)
    except OSError as error:
        raise BadInput(f"cannot use the folder: {error.strerror}", where=str(folder)) from None
    return folder


def tell_of_log(code: int) -> None:
    """Say so if a log is not whole, by its recorder's exit code."""
    if code:
        why = NOT_WHOLE.get(code, f"the recorder was killed ({code})")
        print(f"proxops: the log is not whole: {why}", file=sys.stderr)


def finish_log(stream: RowStream, result: ExperimentResult, metadata: dict[str, str]) -> None:
    """The log's end; the whole of it if it was not streamed, or if its recorder failed and the rows are still here. The facility
    has ended its own log."""
    with noted_interrupt():
        if result.recorder_code is not None:
            tell_of_log(result.recorder_code)
            return
        code = stream.finish(result) if stream.begun else 0
        tell_of_log(code)
        if code == EXIT_UNFINISHED:  # the file is still the recorder's
            raise ProxopsError(f"{stream.path}: the run was carried out, but its recorder does not end")
        if code:
            lost = ", without the images and frames for viewers" if stream.feed else ""
            print(f"proxops: it is written again from memory{lost}", file=sys.stderr)
        if code or not stream.begun:
            write_experiment(
                stream.path, replace(result, attachments={**stream.attachments, **result.attachments}), metadata
            )


def finish(
    folder: Path, reported: Callable[[Log], RunReport], extra: dict[str, Any], *, report: bool, quiet: bool
) -> dict[str, Any]:
    """Summary, page and terminal tables of the recorded run. ``extra``: what its log cannot tell; a recorder's exit code among
    it is said. A log that is not whole fails the run."""
    code = extra.get("recorder_exit_code", 0)
    tell_of_log(code)
    try:
        log = Log.open(folder / LOG)
        done = reported(log)
        whole = code == 0 and log.complete
        judged = {"log_whole": whole, "passed": done.summary["passed"] and whole}
        done = replace(done, summary={**done.summary, **extra, **judged})
        write_results(folder, done, page=PAGE if report else None, quiet=quiet)
    except BrokenPipeError:  # the reader of our output has seen enough; the files are written
        raise
    except (BadInput, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProxopsError(f"{folder}: the run was carried out but its results are not complete: {reason}") from None
    return done.summary
