"""What of a look belongs to the client, as points at one time."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.vision import Floats, PosePrediction
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.look import InspectionLook
from proxops.onboard.vision.inspection.spin import local_rates
from proxops.onboard.vision.inspection.track import Track

REACH: Final = 1.6  # times the distance from their middle within which nine of ten points lie
MOST: Final = 4000  # points of a look
UNSURE: Final = np.eye(6)


def client_beams(ranging: Ranging, look: InspectionLook, T_sensor_client: Floats | None, motion: Floats) -> Beams:
    """In the sensor's frame at the look's time, as if the client had stood still; in orbit nothing else returns but a few ghosts.
    ``motion`` (6) of the client's origin, which is in the middle of what is seen unless ``T_sensor_client`` says where."""
    beams = ranging.clean(_beams(ranging, look, T_sensor_client, np.zeros(6)))
    if len(beams) == 0:
        return beams
    middle = np.median(beams.end, axis=0)
    if motion.any():
        T = np.eye(4) if T_sensor_client is None else T_sensor_client.copy()
        if T_sensor_client is None:
            T[:3, 3] = middle
        beams = ranging.clean(_beams(ranging, look, T, motion))
    apart = np.linalg.norm(beams.end - middle, axis=1)
    return beams.some(apart < REACH * np.quantile(apart, 0.9)).thinned(MOST)


def clouds(ranging: Ranging, track: Track) -> list[Beams]:
    """Of all looks of a track, each with the client's rate as its neighbours have it."""
    rates = local_rates(track.times, track.R_eci_client)
    return [
        client_beams(ranging, look, T, track.motion(k, rates[k]))
        for k, (look, T) in enumerate(zip(track.looks, track.T_sensor_client, strict=True))
    ]


def _beams(ranging: Ranging, look: InspectionLook, T: Floats | None, motion: Floats) -> Beams:
    if T is None:
        (about,) = ranging.tries(None)[:1]
        return ranging.beams(look.image, None, about)
    packed = np.concatenate([T[:3, 3], quat_from_matrix(np.ascontiguousarray(T[:3, :3]))])
    prediction = PosePrediction(packed, UNSURE, motion)
    (about,) = ranging.tries(prediction)
    return ranging.beams(look.image, prediction, about)
