"""An unknown client, circled at 12 m with a LiDAR and at 5 m with a time-of-flight camera: surface and spin against truth.

``python -m benchmarks vision_inspection``: some minutes of one core.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from benchmarks.studies.circled_client import SCANNER, Circling, circled
from proxops.applications.mission.inspection.shape_difference import shape_difference
from proxops.core.imaging_table import RenderedSensor, TofSensor
from proxops.onboard.vision.inspection.reconstruction import reconstructed
from proxops.optics.scene.orbit_surroundings import CLIENT, shipped_craft

TOF: Final = TofSensor(kind="tof", name="tof", unwrapped=True, field_of_view_deg=25.0)
SLOW: Final = (0.5, 0.3, -0.4)
CASES: Final[dict[str, tuple[RenderedSensor, Circling]]] = {
    "lidar_12m": (SCANNER, Circling()),
    "lidar_12m_held": (SCANNER, Circling(spin_deg_s=(0.0, 0.0, 0.06))),
    "tof_5m": (TOF, Circling(range_m=5.0, every_s=10.0)),
}


def run() -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, (sensor, way) in CASES.items():
        figures |= {f"{name}_{key}": value for key, value in measured(sensor, way).items()}
    return figures


def measured(sensor: RenderedSensor, way: Circling, seed: int = 1) -> dict[str, float]:
    client = shipped_craft(CLIENT)
    seen = circled(client, way, sensor, seed)
    begun = time.process_time()
    found = reconstructed(sensor, seen.looks)
    took = time.process_time() - begun
    difference = shape_difference(found.surface, client)
    spin_off = np.degrees(found.spin.w_eci) - np.array(way.spin_deg_s)
    return {
        "looks": float(len(seen.looks)), "lost": float(found.lost), "cpu_s": took,
        "median_mm": 1e3 * difference.median_m, "p95_mm": 1e3 * difference.p95_m, "complete_percent": 100.0 * difference.complete,
        "frame_mm": 1e3 * difference.frame_m, "frame_deg": difference.frame_deg,
        "spin_off_deg_s": float(np.linalg.norm(spin_off)),
    }  # fmt: skip
