"""An exposure and a camera for tests."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.imaging_table import CameraSensor
from proxops.optics.exposure import Exposure

STILL = np.array([[[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]])


class Shots:
    """Makes exposures and tables of cameras: by default one without any imperfection."""

    def exposure(self, number: int = 0, duration_s: float = 0.01, gain_db: float = 0.0, sensor: int = 0) -> Exposure:
        return Exposure(sensor, number, float(number), duration_s, gain_db, STILL, STILL[0], (), None)

    def plain(self, **given: object) -> CameraSensor:
        ideal = {
            "blur_px": 0.0,
            "read_noise_e": 0.0,
            "dark_e_s": 0.0,
            "uneven_share": 0.0,
            "dead_share": 0.0,
            "f_number": 4.0,
        }
        return CameraSensor.model_validate({"name": "eye", "kind": "camera", **ideal, "focal_mm": 500.0, **given})


@pytest.fixture
def shots() -> Shots:
    return Shots()
