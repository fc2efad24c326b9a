"""An inspection, from Python and from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proxops.applications.mission.inspection.session import MODEL, inspection_session
from proxops.onboard.vision.inspection.fusion import Fineness
from proxops.runs.progress import COUNTED, progress_bar


def inspect(
    run: Path | str, *, out: Path | str | None = None, sensor: str = "", voxel_m: float = 0.01, triangles: int = 8000,
    quiet: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """A model of a client that nobody knows, from the log of a mission that has looked at it from all sides with a LiDAR or a
    time-of-flight camera. Writes client.obj, inspection.json and a picture into ``out`` (the run's folder); the figures."""
    run = Path(run)
    folder = Path(out) if out else run if run.is_dir() else run.parent
    with progress_bar(quiet, done=COUNTED) as progress:
        figures = inspection_session(run, folder, sensor, Fineness(3.0 * voxel_m, voxel_m, triangles), progress)
    return {**figures, "model": str(folder / MODEL)}
