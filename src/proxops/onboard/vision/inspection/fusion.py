"""All looks in one frame, and the surface that they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proxops.core.vision import Floats
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.cloud import clouds
from proxops.onboard.vision.inspection.implicit_surface import triangles_of
from proxops.onboard.vision.inspection.surfels import surfels
from proxops.onboard.vision.inspection.track import Track
from proxops.optics.scene.mesh import Mesh, flat
from proxops.optics.scene.palette import GREY_PAINT


@dataclass(frozen=True)
class Fineness:
    """Lengths in metres."""

    radius_m: float = 0.03  # of a plane that is fitted to points
    voxel_m: float = 0.01
    triangles: int = 8000


def fused(track: Track, ranging: Ranging, fine: Fineness) -> Mesh:
    """In the client's frame, of grey paint."""
    points, sights = in_client(clouds(ranging, track), track.T_sensor_client)
    found = surfels(points, sights, ranging.noise.floor_m, fine.radius_m, 0.6 * fine.voxel_m)
    vertices, triangles = triangles_of(found, fine.voxel_m, fine.triangles)
    return flat(vertices, triangles, GREY_PAINT)


def in_client(seen: Sequence[Beams], T_sensor_client: Floats) -> tuple[Floats, Floats]:
    """Points and sights (n, 3) of some looks, in the client's frame."""
    points, sights = [], []
    for beams, T in zip(seen, T_sensor_client, strict=True):
        way = beams.end - beams.origin
        points.append((beams.end - T[:3, 3]) @ T[:3, :3])
        sights.append((way / np.linalg.norm(way, axis=1, keepdims=True)) @ T[:3, :3])
    return np.concatenate(points), np.concatenate(sights)
