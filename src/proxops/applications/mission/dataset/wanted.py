"""What is wanted of a data set, and what cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from proxops.applications.mission.dataset.lights import conditions
from proxops.core.errors import BadInput


@dataclass(frozen=True)
class DatasetOptions:
    """``splits``: names and shares; ``between_m``: nearest and farthest of drawn poses."""

    count: int
    seed: int
    poses: Literal["drawn", "flown"] = "drawn"
    between_m: tuple[float, float] = (2.0, 25.0)
    lights: str = ""
    splits: tuple[tuple[str, float], ...] = (("train", 0.8), ("test", 0.2))


def demand(options: DatasetOptions, folder: Path) -> None:
    """An empty folder, and something that can be drawn."""
    conditions(options.lights)
    if options.poses == "flown" and options.lights:
        raise BadInput(
            "lights: a flight has those of its orbit", value=options.lights, way_out="leave them out, or poses drawn"
        )
    if folder.exists() and any(folder.iterdir()):
        raise BadInput("the folder is not empty", value=str(folder), way_out="name another one: --out")
    low, high = options.between_m
    if not 0.5 <= low < high <= 10_000.0:
        raise BadInput("no range of distances", value=f"{low:g} … {high:g} m", bound="0.5 … 10000 m, the nearest first")
    if options.count < 1:
        raise BadInput("no images are asked for", value=options.count, bound="1 or more")
    if not options.splits or any(share <= 0.0 or not name.isidentifier() for name, share in options.splits):
        raise BadInput("splits", value=str(options.splits), bound="names with shares above zero: train=0.8,test=0.2")


def read_splits(text: str) -> tuple[tuple[str, float], ...]:
    """``train=0.8,test=0.2``"""
    try:
        pairs = [part.split("=") for part in text.split(",") if part.strip()]
        return tuple((name.strip(), float(share)) for name, share in pairs)
    except ValueError:
        raise BadInput("splits", value=text, bound="names with shares: train=0.8,test=0.2") from None
