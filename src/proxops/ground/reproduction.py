"""Commands that give a recorded run again, and show more of its log."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from proxops.core.errors import BadInput
from proxops.core.mission import Mission, load_mission, mission_paths
from proxops.core.scenario import Scenario, load_scenario
from proxops.ground.log import Log
from proxops.lab.cell import shipped_tool

Summary = dict[str, Any]


def commands(log: Log, summary: Summary) -> Iterator[str]:
    """What to type. Files are named as they were then."""
    if summary["trajectory"]:
        words = ["proxops", "play", summary["trajectory"], *_options(summary)]
        yield shlex.join(words + (["--seed", str(summary["seed"])] if summary["seed"] is not None else []))
    if summary["scenario"]:
        yield from _run(summary["scenario"], log.metadata.get("scenario_file"), summary)
    yield shlex.join(["proxops", "log", "plot", log.path.name, "--system", "GLC", "--out", "motion.svg"])
    yield shlex.join(["proxops", "log", "info", log.path.name])


def _run(name: str, text: str | None, summary: Summary) -> Iterator[str]:
    """A scenario that is not shipped as it was recorded goes into a file first; its seed stands in it, but a mission may be
    flown with another."""
    known = _shipped(name)
    shipped = known is not None and known.text == text
    if not shipped:
        yield f"# write the scenario below to {name}.toml"
    seed = ["--seed", str(summary["seed"])] if isinstance(known, Mission) and known.file.seed != summary["seed"] else []
    yield shlex.join(["proxops", "run", name if shipped else f"{name}.toml", *seed, *_options(summary)])


def _shipped(name: str) -> Scenario | Mission | None:
    try:
        return load_mission(name) if name in mission_paths() else load_scenario(name)
    except BadInput:
        return None


def _options(summary: Summary) -> list[str]:
    """The user tool unless it is the shipped one, and the clock."""
    tool = summary["user_tool"]
    words = ["--user-tool", tool] if tool and tool != shipped_tool().source else []
    return words + (["--realtime"] if summary["clock"] == "live" else [])
