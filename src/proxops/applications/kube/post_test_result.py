"""What is told of an analysis after the test, and by what it is judged: figures, tables and criteria."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.kube.post_test_figures import PostTest, Trial
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.core.criterion import Criterion
from proxops.ground.recorded import Floats

FIT_DEG: Final = 0.05  # the spline's error, largest at the start where commanded accelerations step
POSITION_MM: Final = 1.0  # tool and satellite: what the fit's error makes of an arm of a metre
TURN_DEG: Final = 0.1
CONVENTIONS: Final = (
    "differences are simulation (or model) less test; turns are rotation vectors in inertial axes",
    "simulation: equations of motion of the free-floating arm, Runge-Kutta 4, open loop, by the torques of the smoothed angles",
    "ground torques: base held, gravity as in the run; drive friction with the parameters that the virtual arm has",
    "satellite and tool are compared at the readings that the loop evaluated, torques at every cycle that was recorded",
    "left out: reading less what the spline through all others has there; the spline's own error can be small and mean nothing",
)


def told(post: PostTest, file: HardwareLoopFile, failure: str) -> dict[str, Any]:
    """Figures, tables and criteria as plain values. ``failure``: of the run; what is left of it is analysed all the same."""
    figures: dict[str, Any] = {
        "trials": {trial.name: _largest(trial) for trial in post.trials},
        "left_out_deg": math.degrees(np.abs(post.left_out).max()),
        "ground_torque_Nm": _torques(post),
    }
    criteria = _criteria(post, figures, file)
    rows = [
        (trial.name, *(f"{value:.3g}" for value in figures["trials"][trial.name].values())) for trial in post.trials
    ]
    head = ("smoothed by", "fit [deg]", "joints [deg]", "tool [mm]", "tool [deg]", "satellite [mm]", "satellite [deg]")
    return {
        "conventions": list(CONVENTIONS), "figures": figures, "failure": f"the run ended early: {failure}" if failure else "",
        "passed": not failure and all(row.passed for row in criteria),
        "tables": [
            ["Largest differences between simulation and test", list(head), [list(row) for row in rows]],
            [
                "Ground torques, model less sensor [N m]", ["", *post.joints],
                [[name, *(f"{value:.3f}" for value in values)] for name, values in figures["ground_torque_Nm"].items()],
            ],
        ],
        "criteria": [row.plain() for row in criteria],
    }  # fmt: skip


def _largest(trial: Trial) -> dict[str, float]:
    """Greatest of each difference, degrees and millimetres."""
    return {
        "fit_deg": math.degrees(np.abs(trial.fit_error).max()),
        "joints_deg": math.degrees(np.abs(trial.joint_error).max()),
        "tool_mm": 1e3 * float(np.linalg.norm(trial.tool_error[:, :3], axis=1).max()),
        "tool_deg": math.degrees(np.linalg.norm(trial.tool_error[:, 3:], axis=1).max()),
        "satellite_mm": 1e3 * float(np.linalg.norm(trial.base_error[:, :3], axis=1).max()),
        "satellite_deg": math.degrees(np.linalg.norm(trial.base_error[:, 3:], axis=1).max()),
    }


def _torques(post: PostTest) -> dict[str, list[float]]:
    ground = post.ground

    def rms(values: Floats) -> list[float]:
        return [float(x) for x in np.sqrt((values**2).mean(axis=0))]

    def median(values: Floats) -> list[float]:
        return [float(x) for x in np.median(np.abs(values), axis=0)]

    plain = ground.computed - ground.measured
    out = {
        "with friction": rms(ground.error), "without friction": rms(plain), "sensors themselves": rms(ground.measured),
        "with friction, median": median(ground.error), "without friction, median": median(plain),
        "without friction, largest": [float(x) for x in np.abs(plain).max(axis=0)],
    }  # fmt: skip
    if post.ground_true is not None:
        true = post.ground_true.error
        out |= {"by the true arm's masses": rms(true), "by the true arm's masses, median": median(true)}
    return out


def _criteria(post: PostTest, figures: dict[str, Any], file: HardwareLoopFile) -> tuple[Criterion, ...]:
    first = figures["trials"][post.trials[0].name]
    # A sensor is off by its offset and its noise; offsets of more than three standard deviations are not drawn in practice. The
    # median, because a stiff model on smooth angles cannot have the peaks where accelerations step; an arm that is known not to
    # be as believed is judged by its own masses, and what the belief is off by stands in the table.
    torques = figures["ground_torque_Nm"]
    judged = torques.get("by the true arm's masses, median", torques["with friction, median"])
    torque = math.hypot(3.0 * file.robot.torque_offset_Nm, file.robot.torque_noise_Nm) + 0.02
    return (
        Criterion(f"error of the {post.trials[0].name}", first["fit_deg"], FIT_DEG, unit="deg"),
        Criterion("reading that was left out, less the spline", figures["left_out_deg"], FIT_DEG, unit="deg"),
        Criterion("tool, simulation less test", first["tool_mm"], POSITION_MM, unit="mm"),
        Criterion("tool turned", first["tool_deg"], TURN_DEG, unit="deg"),
        Criterion("satellite, simulation less test", first["satellite_mm"], POSITION_MM, unit="mm"),
        Criterion("satellite turned", first["satellite_deg"], TURN_DEG, unit="deg"),
        Criterion("ground torques, worst median", max(judged), torque, unit="N m"),
    )
