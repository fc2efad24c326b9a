"""Where the served facility listens, as it has written it down in its run's ``facility.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxops.bridge.settings import BridgeSettings
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_NS, Group
from proxops.ground.eyes_about import EyesAbout

Address = tuple[str, int]


@dataclass(frozen=True)
class FacilityAbout:
    """Sync and bridge are UDP, and of halls only; control and stop are Unix sockets; rings are files in shared memory. Without
    ``mission_ring`` the facility cannot take a mission's part of the pool. ``latency_s``: how old the pose is that the hall
    shows."""

    pid: int
    sync: Address | None
    bridge: Address | None
    control: Path
    stop: Path
    pool_ring: Path
    event_ring: Path
    mission_ring: Path | None = None
    latency_s: float | None = None
    key_file: Path | None = None  # of its ports for clients
    groups: tuple[Group, ...] = ()  # that an application has added to the cell's pool
    period_ns: int = PERIOD_NS  # of its cycle
    bridge_settings: BridgeSettings = field(default_factory=BridgeSettings)
    eyes: EyesAbout | None = None  # its imaging sensors
    flies: str = ""  # the one run that it was started for

    @classmethod
    def read(cls, path: Path) -> FacilityAbout:
        """From a file of this kind."""
        try:
            told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            ring, latency_s, key = told.get("mission_ring"), told.get("latency_s"), told.get("key_file")
            return cls(
                int(told["pid"]), _address(told["sync"]), _address(told["bridge"]), Path(told["control"]), Path(told["stop"]),
                Path(told["pool_ring"]), Path(told["event_ring"]),
                None if ring is None else Path(ring), None if latency_s is None else float(latency_s),
                None if key is None else Path(key), tuple(Group.of(each) for each in told.get("groups", ())),
                int(told.get("period_ns", PERIOD_NS)), BridgeSettings(**(told.get("bridge_settings") or {})),
                EyesAbout.of(told.get("eyes")), str(told.get("flies", "")),
            )  # fmt: skip
        except OSError as error:
            raise BadInput(f"cannot read where the facility listens: {error.strerror}", where=str(path)) from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise BadInput(
                f"does not say where the facility listens: {type(error).__name__} {error}", where=str(path),
                way_out="it is written by proxops serve",
            ) from None  # fmt: skip


def _address(told: Any) -> Address | None:
    if told is None:
        return None
    host, port = told
    return str(host), int(port)
