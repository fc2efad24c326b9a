"""What an operator said of pictures in a mission, and what came of it: from the events of its log."""

from __future__ import annotations

from typing import Final

from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.vision.designations import CAME_OF_IT, NOT_TAKEN, SAID

DESIGNATION_HEAD: Final = ("time [s]", "an operator says where the target is")
WORDS: Final = {SAID: "", NOT_TAKEN: "refused: ", CAME_OF_IT: ""}
Rows = list[tuple[str, ...]]


def designation_rows(run: MissionRun) -> Rows:
    """By mission time."""
    if not run.began:
        return []
    utc_ns = run.log.values("clock.utc_ns")[run.cycles]
    start_ns = int(utc_ns[0]) - round(float(run.t[0]) * 1e9)
    told = (
        (int(one["utc_ns"]), *(one[field].decode(errors="replace") for field in ("name", "text")))
        for one in run.log.events
    )
    return [(f"{(at - start_ns) * 1e-9:.1f}", WORDS[name] + text) for at, name, text in told if name in WORDS]
