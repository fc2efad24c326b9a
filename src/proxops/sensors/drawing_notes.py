"""What is to be known about the drawings that a run's pictures show: holes, turned surfaces, what was left out."""

from __future__ import annotations

from pathlib import Path

from proxops.core.scenery_table import Scenery
from proxops.lab.cell import Cell
from proxops.optics.scene.hall_mockups import hall_warnings
from proxops.optics.scene.orbit_surroundings import craft_mesh
from proxops.sensors.orbit_staging import SHIPPED


def drawing_notes(scenery: Scenery, cell: Cell | None) -> tuple[str, ...]:
    """Of the client in orbit and of the mock-ups' own drawings."""
    own = scenery.client and scenery.client not in SHIPPED
    client = craft_mesh(Path(scenery.client), scenery.client_scale).warnings if own else ()
    return tuple(dict.fromkeys((*client, *(hall_warnings(cell) if cell else ()))))
