"""``proxops orbit`` as a whole: read the mission, survey its orbit, write and print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proxops.applications.mission.orbit_figures import draw_orbit
from proxops.applications.mission.orbit_survey import survey_orbit
from proxops.core.errors import BadInput
from proxops.core.mission import load_mission


def orbit_session(what: str, hours: float | None, folder: Path | None, *, quiet: bool) -> dict[str, Any]:
    """Survey a mission's orbit; the table that was printed and written. ``folder``: runs/NAME unless given."""
    mission = load_mission(what)
    survey = survey_orbit(mission, hours)
    folder = folder or Path("runs") / mission.name
    picture, table = folder / "orbit.png", folder / "orbit.json"
    about = {**survey.about, "files": [str(table), str(picture)]}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        table.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n")
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(folder)) from None
    draw_orbit(survey.curves, picture)
    if not quiet:
        from rich.console import Console

        from proxops.applications.mission.orbit_report import print_orbit

        print_orbit(about, Console())
    return about
