"""The client as it is known on board: a model of its own, or the one that is seen."""

from __future__ import annotations

from pathlib import Path

from proxops.applications.mission.vision.order import VisionSetting
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.orbit_surroundings import CLIENT_INSPECTED, craft_mesh, shipped_craft
from proxops.sensors.hall_staging import hall_client
from proxops.sensors.orbit_staging import SHIPPED, orbit_client


def known_client(setting: VisionSetting) -> Mesh:
    """In the target's frame."""
    vision = setting.vision
    if vision.client in (*SHIPPED, CLIENT_INSPECTED):
        return shipped_craft(vision.client, vision.client_scale)
    if vision.client:
        return craft_mesh(Path(vision.client), vision.client_scale).mesh
    if setting.cell is not None:
        return hall_client(setting.cell, setting.exchanged)
    return orbit_client(setting.scenery, None)
