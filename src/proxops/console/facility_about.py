"""Where a served facility is: what it wrote into ``facility.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxops.core.errors import BadInput


@dataclass(frozen=True)
class FacilityAbout:
    """Addresses and rings of a live facility."""

    pid: int
    control: tuple[str, int]
    bridge: tuple[str, int]
    pool_ring: Path
    event_ring: Path
    mission_ring: Path | None
    latency_s: float

    @classmethod
    def read(cls, path: Path) -> FacilityAbout:
        try:
            told: dict[str, Any] = json.loads(path.read_text())
            ring = told.get("mission_ring")
            return cls(
                int(told["pid"]), _address(told["control"]), _address(told["bridge"]), Path(told["pool_ring"]),
                Path(told["event_ring"]), Path(ring) if ring else None, float(told.get("latency_s", 0.0)),
            )  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInput(f"cannot read where the facility is: {error!r}", where=str(path)) from None


def _address(pair: list[Any]) -> tuple[str, int]:
    return str(pair[0]), int(pair[1])
