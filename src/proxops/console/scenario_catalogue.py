"""What the scenario picker offers, and the command that runs each thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proxops.applications.catalogue import shelf
from proxops.bridge.settings import settings_of
from proxops.console.facility_about import FacilityAbout
from proxops.core.child import child_command
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.mission import Mission
from proxops.core.scenario import BridgeTable, Scenario

LIVE: Final = "this hall, live"
BESIDE: Final = "computed beside it"
READY_S: Final = 0.5  # before a scripted client begins to send
NO_RING: Final = "this facility has no place for a mission's part of the pool"
OTHER_BRIDGE: Final = (
    "this hall's bridge is set otherwise than its [bridge] says: proxops serve --bridge-settings, or proxops run"
)
NO_IMAGES: Final = "it navigates by images, which nobody draws for it here: proxops run NAME --realtime --console"
NO_LINE: Final = "it does not wait for its on-board computer (flight.waits), and none can be named here"

Loaded = Scenario | Mission | Experiment


@dataclass(frozen=True)
class Offer:
    """One row of the picker. ``why_not``: empty when it can be run here."""

    name: str
    kind: str  # scripted, mission, experiment
    duration_s: float
    about: str
    where: str
    why_not: str
    source: Path
    seed: int

    @property
    def live(self) -> bool:
        """It moves the served hall, through the bridge."""
        return self.where == LIVE

    def row(self) -> dict[str, Any]:
        """For the page."""
        names = ("name", "kind", "duration_s", "about", "where", "why_not")
        return {name: getattr(self, name) for name in names}


def offers(facility: FacilityAbout, items: Sequence[Loaded] | None = None) -> dict[str, Offer]:
    """By name: everything on the shelf, unless ``items`` are given; nothing where there is no bridge, which moves the hall, or
    where the hall was started for one run."""
    if facility.bridge is None or facility.flies:
        return {}
    return {item.name: _offer(item, facility) for item in (shelf() if items is None else items)}


def _offer(item: Loaded, facility: FacilityAbout) -> Offer:
    if isinstance(item, Scenario):
        why_not = "" if _set_as(item.bridge, facility) else OTHER_BRIDGE
        return Offer(item.name, "scripted", item.duration_s, item.about, LIVE, why_not, item.source, item.seed)
    file, kind = item.file, "mission" if isinstance(item, Mission) else "experiment"
    live = isinstance(item, Mission) and item.file.hall.use
    why_not = NO_RING if live and (facility.mission_ring is None or facility.latency_s is None) else ""
    if isinstance(item, Mission) and live and not _set_as(item.file.bridge, facility):
        why_not = OTHER_BRIDGE
    if isinstance(item, Mission) and live and item.file.vision.sensors:
        why_not = NO_IMAGES
    if isinstance(item, Mission) and not item.file.flight.waits:
        why_not = NO_LINE
    return Offer(
        file.name, kind, file.duration_s, file.about, LIVE if live else BESIDE, why_not, item.source, getattr(file, "seed", 0)
    )  # fmt: skip


def _set_as(wanted: BridgeTable, facility: FacilityAbout) -> bool:
    """Whether the served hall's bridge is what a scenario wants. Roles and scale say what a pose in the hall means; the rest is
    the operator's where the scenario sets none of it."""
    asked, served = settings_of(wanted), facility.bridge_settings
    silent = wanted == BridgeTable(chaser_on=wanted.chaser_on, scale=wanted.scale)
    return asked == served or (silent and (asked.exchanged, asked.scale) == (served.exchanged, served.scale))


def command_of(offer: Offer, facility: FacilityAbout, ring: Path, folder: Path) -> list[str]:
    """Words of the process: ``ring`` takes its progress, ``folder`` what it leaves behind."""
    if offer.why_not:
        raise BadInput(f"{offer.name} cannot be run here: {offer.why_not}")
    source = offer.source.absolute()
    if not offer.live or facility.bridge is None:
        return child_command("proxops.cli", "run", source, "--out", folder, "--json", "--overseen", ring)
    host, port = facility.bridge
    if offer.kind == "scripted":
        key = [facility.key_file] if facility.key_file else []
        return child_command("proxops.applications.scripted.application", source, host, port, READY_S, ring, *key)
    return child_command(
        "proxops.applications.mission.application_process", source, "--host", host, "--port", port,
        "--seed", offer.seed, "--pool", facility.pool_ring, "--ring", facility.mission_ring,
        "--latency", repr(facility.latency_s), "--told", folder / "outcome.json", "--overseen", ring,
        *(["--key-file", facility.key_file] if facility.key_file else []),
    )  # fmt: skip
