"""Points of a scan as beams."""

from __future__ import annotations

import numpy as np

from proxops.core.images import PointScan
from proxops.core.own_sensor_table import NetworkSensor
from proxops.onboard.vision.depth.ranging import Ranging


def test_of_a_scanner_that_is_not_known_what_did_not_come_back_tells_nothing_of_its_spacing() -> None:
    """20 x 20 points, 0.01 rad apart; a fifth of them came from nowhere."""
    v, u = np.mgrid[:20, :20]
    points = np.stack([0.01 * (u - 9.5), 0.01 * (v - 9.5), np.ones(u.shape)], axis=-1).reshape(-1, 3) * 5.0
    ranging = Ranging(NetworkSensor(name="own", kind="network", gives="lidar", at="127.0.0.1:9"))
    for lost in (np.inf, np.nan):
        seen = np.concatenate([points, np.full((80, 3), lost)]).astype(np.float32)
        none = np.zeros(len(seen), np.float32)
        scan = PointScan("own", 0, 0.0, seen, none, none)
        beams = ranging.beams(scan, None, None)
        assert len(beams) == 400
        assert 0.009 < beams.apart_rad < 0.011
        assert np.isfinite(ranging.grid(beams).frame).all()
