"""What the eyes cost: pictures of the shipped client with all that a camera adds, in orbit and in the hall; and missions in
lockstep with a camera of 10 Hz that sees the hall, on two cores, held at several distances.

Pictures by the CPU time of one core, best of some. Missions in multiples of real time, recorded, over the whole and the slowest
ten seconds: by the wall clock, which others on the machine spoil, and by the processor's time: half of what the loop and the
processes that draw use together, or all of the loop's if that is more.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.mission import WARM_S, Loop
from proxops import read_log
from proxops.core.imaging_table import CameraSensor, ImagingSensor, TofSensor
from proxops.core.mission import HoldStep, Mission, load_mission
from proxops.core.scenery_table import Scenery
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.sensors.image_generator import ImageGenerator
from proxops.sensors.moment import HallMoment, Moment, OrbitMoment, PictureOrder, fixed_exposure_s

Floats = NDArray[np.float64]
DISTANCES_M: Final = (20.0, 10.0, 5.0, 3.0)
PICTURES: Final = 7
SUN: Final = np.array([0.8, 0.36, 0.48])  # in the target's axes, 37 deg off the way to the chaser
BEHIND_M: Final = 1.6  # way between the mass centres beyond that from the lens to the client's frame
SECONDS: Final = 30
WINDOW_S: Final = 10
CAMERA: Final = CameraSensor(kind="camera", name="camera", exposure_ms=0.3, rate_hz=10.0)
TOF: Final = TofSensor(kind="tof", name="tof")


def run() -> dict[str, float]:
    """Milliseconds a picture; multiples of real time."""
    return {**pictures(), **missions()}


def pictures() -> dict[str, float]:
    """In orbit: everything that the drawing process does for one order but its encoding."""
    generator = ImageGenerator((CAMERA, TOF), (False, False), Scenery(), 1, load_cell())
    rows = {f"camera_orbit_{d:g}_m_ms": _milliseconds(generator, CAMERA, 0, _in_orbit(d)) for d in DISTANCES_M}
    return {**rows, "tof_orbit_3_m_ms": _milliseconds(generator, TOF, 1, _in_orbit(3.0))}


def _in_orbit(distance: float) -> Moment:
    """The client a little aside and rolled."""
    half = 0.15  # rad
    pose = np.array([distance, 0.3, 0.2, np.cos(half), np.sin(half), 0.0, 0.0])
    orbit = OrbitMoment(pose, np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, -6.9e6, 0.0]), SUN, 1.0, 0.3)
    return Moment(0.0, orbit, None)


def _in_hall(run: Path) -> Moment:
    """What the hall showed at the end."""
    last = read_log(run).pool[-1]
    return Moment(0.0, None, HallMoment(np.array(last["hall_truth"].tolist()), np.array(last["actual"].tolist())))


def _milliseconds(generator: ImageGenerator, spec: ImagingSensor, index: int, moment: Moment) -> float:
    order = PictureOrder(index, 0, 0.0, fixed_exposure_s(spec) or 3e-4, 0.0, (moment,))
    return 1e3 * _best_s(lambda: generator.take(order))


def _best_s(call: Callable[[], object]) -> float:
    call()
    best = float("inf")
    for _ in range(PICTURES):
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
    return best


def missions() -> dict[str, float]:
    """Each distance as long as the others: the whole is all of them."""
    rows: dict[str, float] = {}
    cell, flights = load_cell(), []
    for distance in DISTANCES_M:
        flight, rows[f"camera_hall_{distance:g}_m_ms"] = _flown(cell, distance)
        flights.append(flight)
        rows[f"mission_{distance:g}_m_times_real_time"] = SECONDS / flight.sum(axis=0)[0]
        for k, who in enumerate(("loop", "drawing"), start=1):
            rows[f"mission_{distance:g}_m_{who}_cpu_s_a_second"] = flight[:, k].sum() / SECONDS
    whole = np.concatenate(flights).sum(axis=0)
    windows = np.concatenate([_windows(flight) for flight in flights])
    return {
        **rows,
        "mission_times_real_time": len(DISTANCES_M) * SECONDS / whole[0],
        "mission_least_of_10_s": WINDOW_S / windows[:, 0].max(),
        "mission_times_real_time_by_processor_time": len(DISTANCES_M) * SECONDS / _on_two_cores(whole),
        "mission_least_of_10_s_by_processor_time": WINDOW_S / _on_two_cores(windows),
        "required": 1.5,
    }


def _flown(cell: Cell, distance: float) -> tuple[Floats, float]:
    """(seconds, 3) s of each second of the mission: wall, CPU of the loop, CPU of the processes that draw. Milliseconds of a
    picture as the hall stood at the end."""
    rows = np.empty((SECONDS, 3))
    with tempfile.TemporaryDirectory() as name:
        loop = Loop(cell, _mission(distance), Path(name) / "run.mcap")
        assert loop.eyes
        loop.fly(WARM_S)
        before = _clocks(loop.eyes.pids)
        for row in rows:
            loop.fly(1.0)
            now = _clocks(loop.eyes.pids)
            row[:], before = now - before, now
        loop.close()
        end = _in_hall(Path(name) / "run.mcap")
    generator = ImageGenerator((CAMERA,), (True,), Scenery(), 1, cell)
    return rows, _milliseconds(generator, CAMERA, 0, end)


def _mission(distance: float) -> Mission:
    """Holds there."""
    shipped = load_mission("eyes")
    file = shipped.file
    start = file.start.model_copy(update={"position_m": (-distance - BEHIND_M, 0.0, 0.0)})
    changed = {"start": start, "duration_s": 1e3, "plan": (HoldStep(kind="hold", duration_s=1e3),)}
    changed |= {"sensors": (file.sensor, CAMERA), "scenery": Scenery(see="hall")}
    return Mission(file.model_copy(update=changed), shipped.source, shipped.text)


def _clocks(pids: tuple[int, ...]) -> Floats:
    """s: wall, own CPU, that of other processes."""
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    ticks = sum(int(fields[11]) + int(fields[12]) for fields in stats)
    return np.array([time.perf_counter(), time.process_time(), ticks / os.sysconf("SC_CLK_TCK")])


def _on_two_cores(rows: Floats) -> float:
    """s that the greatest of these (…, 3) takes at least."""
    return float(np.maximum(rows[..., 1], 0.5 * (rows[..., 1] + rows[..., 2])).max())


def _windows(rows: Floats) -> Floats:
    """(…, 3) s of every ten seconds."""
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(rows, axis=0)])
    out: Floats = sums[WINDOW_S:] - sums[:-WINDOW_S]
    return out
