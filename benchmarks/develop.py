"""What it takes to make a picture of radiance, and what the exposure control takes to look at it: CPU time of one core."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from proxops.core.imaging_table import CameraSensor
from proxops.optics.exposure import Exposure
from proxops.sensors.camera.camera import Camera
from proxops.sensors.camera.exposure_control import ExposureControl

PICTURES = 40


def _milliseconds(call: Callable[[], object]) -> float:
    """Best of five, each the mean of a few pictures."""
    call()
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        for _ in range(PICTURES // 5):
            call()
        best = min(best, (time.process_time() - began) / (PICTURES // 5))
    return best * 1e3


def _exposure(duration_s: float) -> Exposure:
    still = np.zeros((1, 1, 7))
    return Exposure(0, 0, 0.0, duration_s, 0.0, still, still[0], (), None)


def run() -> dict[str, float]:
    """Milliseconds for each picture of 640 x 480."""
    spec = CameraSensor(name="eye", kind="camera")
    sharp = CameraSensor(name="eye", kind="camera", blur_px=0.0)
    camera, plain = Camera(spec, 0, 1), Camera(sharp, 0, 1)
    flat = np.full((480, 640), 10.0, np.float32)  # half of a full well
    flat_faint = np.full_like(flat, 4e-3)  # 7 electrons
    craft = np.zeros_like(flat)
    craft[180:300, 240:400] = 12.0
    exposure, control = _exposure(0.002), ExposureControl.of(spec)
    seen = camera.develop(craft, exposure)
    return {
        "black_ms": _milliseconds(lambda: camera.develop(np.zeros_like(flat), exposure)),
        "craft_before_space_ms": _milliseconds(lambda: camera.develop(craft, exposure)),
        "grey_all_over_ms": _milliseconds(lambda: camera.develop(flat, exposure)),
        "grey_without_blur_ms": _milliseconds(lambda: plain.develop(flat, exposure)),
        "few_electrons_ms": _milliseconds(lambda: plain.develop(flat_faint, exposure)),
        "exposure_control_ms": _milliseconds(lambda: control.after(seen)),
    }
