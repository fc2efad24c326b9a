"""An unknown client, circled at 12 m with a LiDAR and at 5 m with a time-of-flight camera: surface and spin against truth; then
poses before the docking port on the shipped model that an inspection has made.

``python -m benchmarks vision_inspection``: some minutes of one core.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from benchmarks.studies.circled_client import SCANNER, Circling, circled
from benchmarks.studies.docking_axis import poses_on
from proxops.applications.mission.inspection.shape_difference import shape_difference
from proxops.core.imaging_table import LidarSensor, RenderedSensor, TofSensor
from proxops.core.mission import load_mission
from proxops.onboard.vision.inspection.reconstruction import reconstructed
from proxops.optics.scene.orbit_surroundings import CLIENT, CLIENT_INSPECTED, shipped_craft

TOF: Final = TofSensor(kind="tof", name="tof", unwrapped=True, field_of_view_deg=25.0)
FAR_M: Final = (5.0, 3.5, 2.5, 1.8, 1.3)  # between the ports' frames: they mate at 1.28 m
CASES: Final[dict[str, tuple[RenderedSensor, Circling]]] = {
    "lidar_12m": (SCANNER, Circling()),
    "lidar_12m_held": (SCANNER, Circling(spin_deg_s=(0.0, 0.0, 0.06))),
    "tof_5m": (TOF, Circling(range_m=5.0, every_s=10.0)),
}


def run() -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, (sensor, way) in CASES.items():
        figures |= {f"{name}_{key}": value for key, value in measured(sensor, way).items()}
    return figures | on_the_model()


def on_the_model(count: int = 10) -> dict[str, float]:
    """By the LiDAR of ``approach_inspected``."""
    file, figures = load_mission("approach_inspected").file, {}
    (spec,) = (one for one in file.imaging if isinstance(one, LidarSensor))
    model, client = shipped_craft(CLIENT_INSPECTED), shipped_craft(CLIENT)
    for far_m in FAR_M:
        trusted = poses_on(model, file.vision.part_m, client, spec, far_m, count, seed=1)
        place, turn, square = np.median(trusted, axis=0)
        figures |= {
            f"on_the_model_{far_m:g}m_{key}": float(value)
            for key, value in (
                ("trusted", len(trusted)), ("place_mm", 1e3 * place), ("turn_deg", np.degrees(turn)), ("normalised", square)
            )
        }  # fmt: skip
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
