"""All looks in one frame, and the surface that they show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.core.vision import Floats
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.cloud import client_beams
from proxops.onboard.vision.inspection.implicit_surface import triangles_of
from proxops.onboard.vision.inspection.spin import spin_of
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
    points, sights = gathered(track, ranging)
    found = surfels(points, sights, ranging.noise.floor_m, fine.radius_m, 0.6 * fine.voxel_m)
    vertices, triangles = triangles_of(found, fine.voxel_m, fine.triangles)
    return flat(vertices, triangles, GREY_PAINT)


def gathered(track: Track, ranging: Ranging) -> tuple[Floats, Floats]:
    """Points and sights (n, 3) of all looks, in the client's frame."""
    w, points, sights = spin_of(track.times, track.R_eci_client).w_eci, [], []
    for k, (look, T) in enumerate(zip(track.looks, track.T_sensor_client, strict=True)):
        beams = client_beams(ranging, look, T, track.motion(k, w))
        way = beams.end - beams.origin
        points.append((beams.end - T[:3, 3]) @ T[:3, :3])
        sights.append((way / np.linalg.norm(way, axis=1, keepdims=True)) @ T[:3, :3])
    return np.concatenate(points), np.concatenate(sights)
