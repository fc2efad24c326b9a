"""What was found, for programs: a line of JSON for each image as soon as it is answered, and a row of CSV at the end."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from proxops.applications.pose.looking import AnsweredImage
from proxops.applications.pose.statistics import Figures, PoseJudgement, judgement, statistics
from proxops.runs.folder import prepare_folder

LINES: Final = "poses.jsonl"
ROWS: Final = "poses.csv"
PICTURES: Final = "pictures"
POSE: Final = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")


class PoseLines:
    """Answers in their order, in a folder that is made for the first: whoever is ended leaves what was found so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str] | None = None
        self.looked: list[AnsweredImage] = []
        self.judged: list[PoseJudgement] = []

    def begin(self) -> None:
        """BadInput if nothing can be written there: before anything is searched."""
        if self._file is None:
            prepare_folder(self._folder, (LINES, ROWS, PICTURES))
            self._file = (self._folder / LINES).open("w", encoding="utf-8", buffering=1)

    def add(self, one: AnsweredImage) -> None:
        self.begin()
        assert self._file is not None
        own = judgement(one)
        self._file.write(json.dumps(_row(one, own), ensure_ascii=False) + "\n")
        self.looked.append(one)
        self.judged.append(own)

    def figures(self, unread: int) -> Figures:
        """Of all of them."""
        return statistics(self.looked, self.judged, unread)

    def close(self) -> None:
        """The same numbers as a table."""
        if self._file is None:
            return
        self._file.close()
        with (self._folder / ROWS).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            plain = [_plain(_row(one, own)) for one, own in zip(self.looked, self.judged, strict=True)]
            writer.writerow(plain[0] if plain else ())
            writer.writerows([list(row.values()) for row in plain])


def _row(one: AnsweredImage, own: PoseJudgement) -> dict[str, Any]:
    """``sigma_…``: the widest axis of what is claimed."""
    found = one.found
    return {
        "file": one.file, "sensor": found.sensor, "number": found.number, "t_s": found.t, "state": one.state.name,
        "searched": one.searched, "accepted": found.trusted, "doubt": found.doubt.name, "trust": found.trust,
        "T_sensor_target": _listed(found.T_sensor_target), "covariance": _listed(found.covariance),
        "T_sensor_target_true": _listed(one.truth),
        "error_m": _number(own.place_m), "error_deg": _number(np.degrees(own.turn_rad)), "wrong": own.wrong,
        "sigma_m": _number(own.sigma_m), "sigma_deg": _number(np.degrees(own.sigma_rad)), "nees": _number(own.nees),
        "ms": round(1e3 * one.took_s, 3),
    }  # fmt: skip


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Poses as columns, so that the file is a list of labels; without covariance."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if key in ("T_sensor_target", "T_sensor_target_true"):
            name = "found" if key == "T_sensor_target" else "T_sensor_target"
            out |= {f"{name}_{c}": v for c, v in zip(POSE, value or [""] * len(POSE), strict=True)}
        elif key != "covariance":
            out[key] = "" if value is None else value
    return out


def _listed(values: Any) -> list[Any] | None:
    return None if values is None else np.asarray(values).tolist()


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
