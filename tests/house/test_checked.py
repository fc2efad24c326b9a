"""Nothing moves that was not checked: who may make a checked trajectory, and that the tick's process parses no files of users."""

from __future__ import annotations

import re
from pathlib import Path

import proxops

SRC = Path(proxops.__file__).parent


def users_of(pattern: str) -> set[str]:
    """Files in which something matches."""
    found = re.compile(pattern)
    return {p.relative_to(SRC).as_posix() for p in SRC.rglob("*.py") if found.search(p.read_text())}


def test_checked_trajectories_are_made_where_they_are_checked() -> None:
    assert users_of(r"\bCheckedTrajectory\(") == {"facility/trajectories/checked.py"}
    assert users_of(r"\bunsealed\(") == {"facility/trajectories/checked.py", "facility/trajectories/intake.py"}


def test_the_text_of_a_trajectory_is_parsed_outside_of_the_live_facility() -> None:
    assert users_of(r"\bparse_trajectory\(") == {
        "lab/trajectory.py",
        "facility/trajectories/job.py",  # the checker's worker
        "console/trajectory_check.py",  # the console's worker
    }
    assert users_of(r"\b(?:np|numpy)\.(?:load|memmap)\(|open_memmap") == set()
