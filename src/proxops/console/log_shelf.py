"""The shelf of recorded runs: what lies under a folder, newest first, from the beginnings and ends of the files only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from proxops.core.errors import BadInput
from proxops.core.json_text import read_json
from proxops.core.user_file import read_text
from proxops.ground.info import iso_utc
from proxops.ground.log_file import LogFile

DEPTH: Final = 3  # folders below the shelf's own
SHOWN: Final = 500  # newest runs
LOG: Final = ".mcap"
ID_LENGTH: Final = 500
SUMMARY_BYTES: Final = 4_000_000
ENDED_LENGTH: Final = 200


@dataclass(frozen=True)
class ShelvedRun:
    """One log. ``id`` is its path from the shelf's folder; times are the log's own (lockstep runs carry made-up ones)."""

    id: str
    name: str
    bytes: int
    written_ns: int  # UTC at which the file was last written, by the file system: what "newest" means
    kind: str = ""  # serve, play, run, experiment
    scenario: str = ""
    began_utc: str | None = None
    duration_s: float = 0.0
    complete: bool = False
    recording: bool = False
    ended_in_stop: bool | None = None  # None: nobody has said so
    passed: bool | None = None
    ended: str = ""  # how, in the log's words; empty where nobody has said so
    problem: str = ""  # why it cannot be opened


def runs(folder: Path | str) -> list[ShelvedRun]:
    """Runs under ``folder``, newest first; a folder that does not exist is an empty shelf."""
    folder = Path(folder)
    found = []
    for path in _logs(folder, folder.resolve(), DEPTH):
        try:
            state = path.stat()
        except OSError:
            continue  # gone while we looked
        found.append((state.st_mtime_ns, path, state.st_size))
    found.sort(key=lambda each: (-each[0], each[1]))
    return [_run(folder, path, size, written) for written, path, size in found[:SHOWN]]


def log_path(folder: Path | str, id: str) -> Path:
    """The log with this id. BadInput for anything that is not a log under ``folder``, wherever links may lead."""
    folder = Path(folder)
    parts = PurePosixPath(id).parts if isinstance(id, str) and 0 < len(id) <= ID_LENGTH and "\0" not in id else ()
    if not parts or "/" in parts or ".." in parts or len(parts) > DEPTH + 1 or not id.endswith(LOG):
        raise BadInput("not the id of a run", value=repr(id)[:80], bound="one from the list of runs")
    path = folder.joinpath(*parts)
    if not _within(path, folder.resolve()):
        raise BadInput("no such run", value=repr(id)[:80], bound="one from the list of runs")
    return path


def _within(path: Path, root: Path) -> bool:
    """True for a file that truly lies under ``root``, after all links."""
    try:
        return path.resolve(strict=True).is_relative_to(root) and path.is_file()
    except (OSError, RuntimeError):  # not there, or links in a circle
        return False


def _logs(folder: Path, root: Path, depth: int) -> Iterator[Path]:
    """Logs in a folder and in those below it; links out of the shelf are not followed, nor any link to a folder."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False) and depth:
            yield from _logs(path, root, depth - 1)
        elif entry.name.endswith(LOG) and _within(path, root):
            yield path


def _run(folder: Path, path: Path, size: int, written_ns: int) -> ShelvedRun:
    place = path.relative_to(folder)
    name = place.parent.as_posix() if path.stem == "run" and len(place.parts) > 1 else place.with_suffix("").as_posix()
    run: dict[str, Any] = {"id": place.as_posix(), "name": name, "bytes": size, "written_ns": written_ns}
    try:
        with LogFile(path) as log:
            run |= _about(log)
    except BadInput as reason:
        return ShelvedRun(**run, problem=reason.what)
    return ShelvedRun(**run, **_judgement(path))


def _about(log: LogFile) -> dict[str, Any]:
    """What the beginning and the end of the file tell."""
    told, span = log.metadata, log.span()
    recording = log.recording()
    return {
        "kind": _kind(told),
        "scenario": told.get("scenario", told.get("trajectory", "")),
        "began_utc": iso_utc(span[0]) if span else None,
        "duration_s": (span[1] - span[0]) * 1e-9 if span else 0.0,
        "complete": log.summarised() and not recording,
        "recording": recording,
    }


def _kind(told: dict[str, str]) -> str:
    """Which command has made it."""
    if "experiment" in told:
        return "experiment"
    if "trajectory" in told:
        return "play"
    return "run" if "scenario" in told else "serve"


def _summary(path: Path) -> Any:
    return read_json(read_text(path, "the summary", SUMMARY_BYTES), "the summary", str(path))


def _judgement(path: Path) -> dict[str, Any]:
    """What the summary beside a run says of its end; nothing when there is none or it is another log's."""
    try:
        summary = _summary(path.parent / "summary.json") if path.stem == "run" else None
    except BadInput:
        summary = None
    if not isinstance(summary, dict):
        return {}
    stopped, passed = summary.get("ended_in_stop"), summary.get("passed")
    if not isinstance(stopped, bool):
        stopped = summary["stop"] is not None if "stop" in summary else None
    return {
        "ended_in_stop": stopped, "passed": passed if isinstance(passed, bool) else None, "ended": _ended(summary.get("ended")),
    }  # fmt: skip


def _ended(told: object) -> str:
    """``Ending.plain`` in one line, whatever a file may hold there."""
    if not isinstance(told, dict):
        return ""
    parts = (told.get("reason"), told.get("detail"))
    return ": ".join(part[:ENDED_LENGTH] for part in parts if isinstance(part, str) and part)
