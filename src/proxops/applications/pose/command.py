"""Looking through recorded images, from Python and from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proxops.applications.pose.session import pose_session
from proxops.applications.pose.wanted import PICTURES, PoseOptions
from proxops.onboard.vision.pose_covariance import DeclaredError


def pose(
    folder: Path | str, *, model: str, camera: Path | str | None = None, out: Path | str | None = None, model_scale: float = 1.0,
    sensor: str = "", gives: str = "", labels: Path | str | None = None, start: Path | str | None = None, estimator: str = "",
    limit_s: float = 10.0, alone: bool = False, pictures: int = PICTURES, most: int | None = None,
    part_m: float | None = None, quiet: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """The client's pose in each image of a folder, a data set or a log, by the estimators that fly or by ``estimator``
    (file.py:Class, module:Class, tcp://host:port). ``camera``: a TOML file with a [[sensor]] table, a calibration, or a mission.
    ``start``: poses that are expected. ``part_m``: by which parts of the model may stand elsewhere.
    Writes poses.jsonl, poses.csv, pictures and report.html into ``out``; the summary."""
    folder = Path(folder)
    options = PoseOptions(
        model, _path(camera), model_scale, sensor, gives, _path(labels), _path(start), estimator, limit_s, alone, pictures,
        most=most, part_m=DeclaredError.part_m if part_m is None else part_m,
    )  # fmt: skip
    name = folder.resolve().stem if folder.suffix == ".mcap" else folder.resolve().name
    return pose_session(folder, Path(out) if out else Path("runs") / f"pose-{name}", options, quiet=quiet)


def _path(given: Path | str | None) -> Path | None:
    return Path(given) if given else None
