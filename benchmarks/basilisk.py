"""Basilisk side by side: the same two rigid spacecraft, the same constants, the same equations, RK4 at 4 ms on both sides.

Point mass, J2 and gravity-gradient torque; 600 s of flight, the craft 25 m apart, the target tumbling. Basilisk wants versions of
numpy and others of its own, so it lives in an environment of its own (``--venv PATH``, or the user's cache folder), made by
``pip install`` on first use; it is given its task and answers in JSON. Without it, and offline, the benchmark says so.

Ours integrates the chaser's distance from the target, Basilisk both craft from the Earth's centre: its difference of two places
of 7,000 km cannot be better than some nanometres, growing with the rounding of 150,000 steps. Our ledgers of energy and momentum
run along and count.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import time
import venv
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.orbit import fly
from proxops.core.earth import J2, MU_M3_S2, RADIUS_M
from proxops.core.messages import PERIOD_S
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import Array
from proxops.space.two_craft import DV, MASS, Q_C, Q_T, SIZE, W_C, W_T, WORLD_DTYPE, D, P, V, World, exhaust_speed

PACKAGE: Final = "bsk==2.12.1"
MOMENTS_S: Final = tuple(60.0 * k for k in range(1, 11))
REPEATS: Final = 3
FLIGHT: Final = Path(__file__).with_name("basilisk_flight.py")
TARGET_INERTIA: Final = np.array([[320.0, 4.0, -3.0], [4.0, 400.0, 2.0], [-3.0, 2.0, 380.0]])
CHASER_INERTIA: Final = np.array([[160.0, -2.0, 1.5], [-2.0, 260.0, 1.0], [1.5, 1.0, 270.0]])
TARGET_KG, CHASER_KG = 800.0, 620.0


def run(folder: Path | None = None) -> dict[str, float | str]:
    """How far apart the trajectories are, and how many times faster ours is."""
    y, world = first_state(), same_world()
    try:
        python = interpreter(folder or default_folder())
        answers = [flown_by_basilisk(python, y) for _ in range(REPEATS)]
    except (OSError, subprocess.CalledProcessError) as error:
        said = str(getattr(error, "stderr", "") or error).strip().splitlines()
        return {"basilisk": f"not here, nothing compared: {said[-1] if said else error}", "wanted": PACKAGE}
    rows = flown_by_us(y, world)
    theirs = min(float(answer["cpu_s"]) for answer in answers)
    steps = round(MOMENTS_S[-1] / PERIOD_S)
    ours = our_seconds(y, world, steps)
    return {
        **differences(rows, answers[0]["rows"]),
        "flight_s": MOMENTS_S[-1],
        "basilisk_step_us": theirs / steps * 1e6,
        "our_step_us": ours / steps * 1e6,
        "times_faster": theirs / ours,
        "required_times_faster": 20.0,
    }


# ---------------------------------------------------------------------- the flight
def first_state() -> Array:
    """Above the equator on an inclined, slightly eccentric orbit; the chaser 25 m behind and a little below."""
    y = np.zeros(SIZE)
    speed, tilt = 1.001 * math.sqrt(MU_M3_S2 / 6.928e6), math.radians(97.6)
    y[P], y[V] = (6.928e6, 0.0, 0.0), (0.0, speed * math.cos(tilt), speed * math.sin(tilt))
    y[D], y[DV] = (-3.0, 3.3, -24.7), (0.027, 0.004, 0.01)
    y[Q_T], y[Q_C] = (0.8, 0.0, 0.6, 0.0), (0.5, 0.5, -0.5, 0.5)
    y[W_T], y[W_C] = (0.02, -0.03, 0.05), (0.001, 0.002, -0.001)
    y[MASS] = CHASER_KG
    return y


def same_world() -> World:
    """J2 and gravity gradient only; no actuators."""
    world = np.zeros(1, WORLD_DTYPE)
    w = world[0]
    for name, inertia in (("target", TARGET_INERTIA), ("chaser", CHASER_INERTIA)):
        w[name]["inertia"], w[name]["inverse"] = inertia, np.linalg.inv(inertia)
    w["target_mass"], w["first_mass"], w["exhaust"], w["rotor"] = TARGET_KG, CHASER_KG, exhaust_speed(220.0), 0.1
    w["degree"], w["gradient"] = 2, 1
    return world


def flown_by_us(first: Array, world: World) -> list[Array]:
    """Our state at each moment."""
    y, rows, done = first.copy(), [], 0
    for t in MOMENTS_S:
        fly(y, world, PERIOD_S, round(t / PERIOD_S) - done)
        done = round(t / PERIOD_S)
        rows.append(y.copy())
    return rows


def our_seconds(first: Array, world: World, steps: int) -> float:
    """Processor's time of the same flight, best of several."""
    best = math.inf
    for _ in range(REPEATS):
        y = first.copy()
        began = time.process_time()
        fly(y, world, PERIOD_S, steps)
        best = min(best, time.process_time() - began)
    return best


def differences(ours: list[Array], theirs: list[dict[str, Any]]) -> dict[str, float]:
    """Greatest over the flight: places in m, attitudes in rad."""
    found = dict.fromkeys(
        ("target_position_m", "relative_position_m", "target_attitude_rad", "chaser_attitude_rad"), 0.0
    )
    for y, row in zip(ours, theirs, strict=True):
        target, chaser = np.array(row["target"]["p"]), np.array(row["chaser"]["p"])
        now = (
            float(np.linalg.norm(y[P] - target)),
            float(np.linalg.norm(y[D] - (chaser - target))),
            _angle(y[Q_T], np.array(row["target"]["q"])),
            _angle(y[Q_C], np.array(row["chaser"]["q"])),
        )
        found = {key: max(value, new) for (key, value), new in zip(found.items(), now, strict=True)}
    return found


def _angle(a: Array, b: Array) -> float:
    return rotation_vector(quat_product(quat_inverse(a), b), np.empty(3))


# ---------------------------------------------------------------------- Basilisk's own environment
def flown_by_basilisk(python: Path, y: Array) -> dict[str, Any]:
    """Its answer to the same task."""
    asked = {
        "mu": MU_M3_S2, "radius": RADIUS_M, "j2": J2, "dt": PERIOD_S, "moments": MOMENTS_S,
        "target": _craft(TARGET_KG, TARGET_INERTIA, y[P], y[V], y[Q_T], y[W_T]),
        "chaser": _craft(CHASER_KG, CHASER_INERTIA, y[P] + y[D], y[V] + y[DV], y[Q_C], y[W_C]),
    }  # fmt: skip
    words = [str(python), str(FLIGHT)]
    done = subprocess.run(words, input=json.dumps(asked), check=True, capture_output=True, text=True, env=_bare())
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _craft(mass: float, inertia: Array, p: Array, v: Array, q: Array, w: Array) -> dict[str, Any]:
    return {
        "mass": mass, "inertia": inertia.tolist(), "p": p.tolist(), "v": v.tolist(), "q": q.tolist(), "w": w.tolist()
    }  # fmt: skip


def default_folder() -> Path:
    """In the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "proxops" / "basilisk"


def interpreter(folder: Path) -> Path:
    """Of an environment with Basilisk, made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True, symlinks=True)
    if subprocess.run([str(python), "-c", "import Basilisk"], capture_output=True, env=_bare()).returncode:
        words = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
        subprocess.run(words, check=True, capture_output=True, text=True, env=_bare())
    return python


def _bare() -> dict[str, str]:
    """Our own packages must not reach its interpreter."""
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
