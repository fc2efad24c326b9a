"""Free-floating arms: one control step, the plant in lockstep, and the loop with an arm in it against the wall's clock.

Control step: dynamics, generalised Jacobian, drift, law and null space of the humanoid's arm, on states along its path, on a
pinned core. The headline is its ratio to the 25 ms that one turn of the KUBE loop took (paper 004, figure 14).
Live: the ``kube`` scenario at 1 kHz while an empty loop keeps the same deadlines with the same rights in another process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.live import interval
from proxops.applications.catalogue import load
from proxops.applications.kube.bench import prepare
from proxops.applications.kube.experiment import rehearse
from proxops.applications.kube.parts import KubeParts
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.applications.tracking.experiment import cases_of, prepared
from proxops.applications.tracking.result import Case, TrackingSetting
from proxops.applications.tracking.run import TrackingBench
from proxops.arms.model import Floats, load_model
from proxops.core.experiment import Experiment
from proxops.runs.arm_live import live as live_run
from proxops.space.free_floating import FreeFloating
from proxops.space.link_gravity import CircularOrbit, LinkGravity

KUBE_S: Final = 0.025
STATES: Final = 2000  # of the first law's run, every fifth cycle
REPEATS: Final = 5
PLANT_STEPS: Final = 10_000
LIVE_S: Final = 60.0
LATE_S: Final = 0.25e-3  # a quarter of a cycle

EMPTY_LOOP: Final = """
import json, sys
from proxops.core.clock import LiveClock
from proxops.facility.realtime import enter_real_time
clock, cycles = LiveClock(1_000_000), int(sys.argv[1])
late = [0.0] * cycles
print("ready", flush=True)
sys.stdin.readline()
granted = str(enter_real_time())
clock.start()
for k in range(cycles):
    late[k] = clock.advance()
json.dump({"late": late, "missed": clock.missed, "real_time": granted}, open(sys.argv[2], "w"))
"""


def run() -> dict[str, float | str]:
    return {**control_step(), **plant(), **live()}


def control_step() -> dict[str, float]:
    """Microseconds; medians and 99 % of each law."""
    experiment = load("humanoid")
    assert isinstance(experiment, Experiment)
    setting = prepared(experiment)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        times = {case.law: _timed(setting, case) for case in cases_of(setting.file)[:4]}
    finally:
        os.sched_setaffinity(0, cores)
    out: dict[str, float] = {}
    for law, us in times.items():
        out[f"law_{law}_median_us"], out[f"law_{law}_p99_us"] = float(np.median(us)), float(np.quantile(us, 0.99))
    slowest = max(float(np.median(us)) for us in times.values())
    return {
        **out,
        "required_median_us": 12.0,
        "required_p99_us": 30.0,
        "kube_loop_over_slowest_law": KUBE_S * 1e6 / slowest,
    }


def _timed(setting: TrackingSetting, case: Case) -> Floats:
    """µs of every step, on the states that the law itself goes through."""
    controller = setting.controller(setting.craft, case)
    bench = TrackingBench(setting.file, setting.craft, setting.q, setting.path, controller, setting.every)
    states, times = [], []
    for i in range(5 * STATES):
        demand = setting.path.at(i * controller.dt)
        torques = controller.step(bench.plant.q, bench.plant.v, demand)
        if i % 5 == 0:
            states.append((i * controller.dt, bench.plant.q.copy(), bench.plant.v.copy()))
        bench.plant.step(torques, controller.dt)
    for _ in range(REPEATS):
        for t, q, v in states:
            demand = setting.path.at(t)
            began = time.perf_counter_ns()
            controller.step(q, v, demand)
            times.append(time.perf_counter_ns() - began)
    return np.array(times) * 1e-3


def plant() -> dict[str, float]:
    """Multiples of real time of the forward dynamics at 1 kHz, without and with differential gravity on every link; of the
    process's own time."""
    model = load_model("iiwa_satellite", "flange")
    gravity = LinkGravity(model, CircularOrbit(6_878_000.0))
    bare, pulled = (
        _simulated(FreeFloating(model, model.configuration(np.full(7, 0.3)), forces=f)) for f in (None, gravity)
    )
    return {"plant_times_real_time": bare, "plant_with_gravity_times_real_time": pulled, "plant_required": 10.0}


def _simulated(arm: FreeFloating) -> float:
    torques = 0.2 * np.sin(np.arange(7.0))
    for _ in range(100):  # compiled from here on
        arm.step(torques, 1e-3)
    began = time.process_time()
    for i in range(PLANT_STEPS):
        arm.step(torques if i % 200 < 100 else -torques, 1e-3)
    return PLANT_STEPS * 1e-3 / (time.process_time() - began)


def live() -> dict[str, float | str]:
    """Shares of cycles that begin more than a quarter of a millisecond late, and their ratio."""
    experiment = load("kube")
    assert isinstance(experiment, Experiment) and isinstance(experiment.file, HardwareLoopFile)
    file = experiment.file
    longer = file.model_copy(update={"loop": file.loop.model_copy(update={"duration_s": LIVE_S})})
    bench = prepare(longer, load_model(experiment.model_path(), file.arm.tool, file.arm.joints))
    rehearse(bench, 1, None)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "empty.json"
        command = [sys.executable, "-c", EMPTY_LOOP, str(round(1000 * LIVE_S)), str(out)]
        empty = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert empty.stdout
        empty.stdout.readline()  # has imported what it needs
        ran = live_run(KubeParts(bench, 1), None, announce=lambda control: _release(empty))
        empty.wait()
        nothing = json.loads(out.read_text())
    loop = ran.application
    rows = loop.rows[: loop.count]
    assert not loop.failure, loop.failure
    late, idle = rows["lateness"], np.array(nothing["late"])
    count, idle_count = int((late > LATE_S).sum()), int((idle > LATE_S).sum())
    low, high = interval(count, idle_count, len(late) / len(idle))
    share, idle_share = count / len(late), idle_count / len(idle)
    return {
        "live_late_share": share,
        "empty_loop_late_share": idle_share,
        "late_ratio": share / idle_share if idle_share else (1.0 if share == 0 else float("inf")),
        "late_ratio_95_percent_low": low,
        "late_ratio_95_percent_high": high,
        "late_required_ratio": 1.5,
        "live_missed_cycles": float(ran.timing["missed"]),
        "empty_loop_missed_cycles": float(nothing["missed"]),
        "live_evaluation_median_us": float(np.median(rows["evaluation"])) * 1e6,
        "live_evaluation_p99_us": float(np.quantile(rows["evaluation"], 0.99)) * 1e6,
        "real_time": ran.timing["granted"],
    }


def _release(empty: subprocess.Popen[bytes]) -> None:
    """Both loops begin now."""
    assert empty.stdin
    empty.stdin.write(b"go\n")
    empty.stdin.flush()
