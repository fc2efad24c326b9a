"""Touch in lockstep on one core: the testbed and the docking through the hall against their own time; and the rewind.

A run counts all of its cycles: for the docking those of the hall from drives on, for the testbed settling included. Process time,
kernels compiled before. Rewind: 52 ms back and replayed, against the 4 ms of a cycle.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from proxops.applications.catalogue import load
from proxops.applications.docking.experiment import dock
from proxops.applications.docking.tables import DockingFile
from proxops.applications.floating.bench import FloatBench, prepare
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import load_model
from proxops.core.experiment import Experiment
from proxops.core.messages import PERIOD_S
from proxops.lab.any_cell import load_cell
from proxops.runs.arm_run import lockstep
from proxops.space.floating_world import FloatingWorld
from proxops.space.timeline import Timeline

RUNS: Final = 3
REWINDS: Final = 400


def run() -> dict[str, float | str]:
    return {**_float(), **_docking("docking"), **_docking("docking_bounce"), **rewind(_bench())}


def _bench() -> FloatBench:
    experiment = load("float")
    assert isinstance(experiment, Experiment)
    file = experiment.file
    assert isinstance(file, FloatFile)
    model = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    return prepare(file, model, experiment.source, np.random.default_rng(1))


def _float() -> dict[str, float | str]:
    lockstep(FloatParts(_bench(), 1))
    ratios = []
    for seed in range(1, 1 + RUNS):
        parts, began = FloatParts(_bench(), seed), time.process_time()
        ratios.append(lockstep(parts).application.count * PERIOD_S / (time.process_time() - began))
    return {"float, times real time": float(np.median(ratios)), "required": 5.0, "aim": 20.0}


def _docking(name: str) -> dict[str, float | str]:
    experiment, cell = load(name), load_cell()
    assert isinstance(experiment, Experiment)
    file = experiment.file
    assert isinstance(file, DockingFile)
    dock(file, cell, 1)
    ratios = []
    for seed in range(1, 1 + RUNS):
        began = time.process_time()
        ran = dock(file, cell, seed)
        ratios.append(ran.cycles * PERIOD_S / (time.process_time() - began))
    return {f"{name}, times real time": float(np.median(ratios))}


def rewind(bench: FloatBench) -> dict[str, float | str]:
    """Shares of a cycle."""
    world = FloatingWorld(bench.scene, 1.0 / bench.file.plan.physics_hz, bench.file.plan.contact_rad_s)
    timeline = Timeline(world)
    for _ in range(2 * timeline.past):
        timeline.advance()
    push, shares = np.zeros((1, 6)), []
    for k in range(REWINDS):
        push[0, k % 3] = 1e-3
        began = time.perf_counter()
        timeline.push_late(timeline.past, push)
        shares.append((time.perf_counter() - began) / PERIOD_S)
        timeline.advance()
    middle, high = np.percentile(shares, (50, 95))
    past = timeline.past * PERIOD_S * 1e3
    return {f"rewind of {past:.0f} ms, share of a cycle, median": float(middle), "rewind, 95th percentile": float(high)}
