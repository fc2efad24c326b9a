"""How a run through the hall went, in words."""

from __future__ import annotations

from typing import Any

from proxops.ground.bridge_words import how_it_followed
from proxops.ground.chapter import Chapter
from proxops.ground.section import RunVerdict
from proxops.ground.words import count, told

Summary = dict[str, Any]


def verdict(s: Summary, chapter: Chapter | None = None) -> RunVerdict:
    """How the run went, in one sentence and one more; its chapter's where it has one."""
    failed = [row["label"] for row in s["criteria"] if not row["passed"]]
    if s["run_ended"] is None and not (chapter and chapter.name in s):
        return _nothing_ran(s)
    if s["run_ended"] == "stopped":
        rule, text = (s["stop"]["rule"], s["stop"]["text"]) if s["stop"] else ("a rule", "the log holds no stop event")
        return RunVerdict(False, f"Stopped by {rule} after {told(s['run_s'], unit='s')} of the run", text)
    if s["run_ended"] == "cut off":
        return RunVerdict(False, "The log ends in the middle of the run", "; ".join(s["notes"]))
    done, detail = _done(s, chapter)
    if failed:
        share = f"{len(failed)} of {len(s['criteria'])}"
        return RunVerdict(False, f"{done}, but {share} criteria not met", "; ".join(failed))
    return RunVerdict(True, done, f"{detail}. All {len(s['criteria'])} criteria met.")


def _done(s: Summary, chapter: Chapter | None) -> tuple[str, str]:
    if chapter and chapter.name in s:
        return chapter.headline(s[chapter.name])
    return how_it_followed(s) if s["motion"] == "bridged" else _played(s)


def _nothing_ran(s: Summary) -> RunVerdict:
    detail = f"The log ends in {s['final_mode']}." if s["final_mode"] else "The log holds no cycle."
    if s["stop"]:
        detail += f" The last stop: {s['stop']['text']}."
    return RunVerdict(False if s["stop"] else None, "Nothing ran", detail)


def _played(s: Summary) -> tuple[str, str]:
    words = "The run came to its end"
    if s["lines"] and s["last_command"] is not None:
        words = f"{count(s['last_command'])} of {count(s['lines'])} lines played"
    return "Done", f"{words} in {told(s['run_s'], unit='s')}"
