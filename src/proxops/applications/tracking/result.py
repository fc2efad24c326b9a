"""What the experiment ``tracking`` has found: series of the runs with the right model, tables, criteria."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pinocchio

from proxops.applications.tracking.run import TrackingRun, columns
from proxops.applications.tracking.tables import TrackingFile
from proxops.arms.joint_traits import joints_told
from proxops.arms.model import ArmModel, Floats
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.task_law_table import TABLE_5_M
from proxops.onboard.path_preview import Preview
from proxops.onboard.pose_path import PosePath
from proxops.onboard.rate_loop import rate_loop
from proxops.onboard.task_controller import LAWS, TaskController, TaskGains, unit_of_damping

LOG_HZ: Final = 100.0
EQUAL: Final = "law 4, gains of law 2"
Runs = dict[str, TrackingRun]
ManyRuns = dict[str, list[TrackingRun]]
Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, eq=False)
class Case:
    """A law with gains."""

    name: str
    law: int
    gains: TaskGains


@dataclass(frozen=True, eq=False)
class TrackingSetting:
    """What all runs share."""

    file: TrackingFile
    craft: ArmModel
    q: Floats
    path: PosePath
    posture: Floats
    ahead: Preview

    @property
    def every(self) -> int:
        """Cycles for each row of the log."""
        return max(1, round(self.file.rate_hz / LOG_HZ))

    def controller(self, belief: ArmModel, case: Case) -> TaskController:
        return TaskController(belief, case.law, case.gains, self.posture, 1.0 / self.file.rate_hz)


def result_of(
    setting: TrackingSetting, cases: tuple[Case, ...], right: Runs, wrong: ManyRuns, damping: dict[int, tuple[float, float]],
    failure: str,
) -> ExperimentResult:  # fmt: skip
    """``right``: fewer than the cases where the experiment was interrupted; a bound on one that is not there is missed."""
    cases = tuple(case for case in cases if case.name in right)
    rows = len(next(iter(right.values())).record)
    t = np.arange(rows) * setting.every / setting.file.rate_hz
    keep = _rows_that_are_numbers(right) if failure else rows
    series = tuple(
        Series(one.name, one.meaning, one.columns, one.values[:keep]) for one in _series(setting, cases, right, t)
    )
    return ExperimentResult(
        t[:keep], series, _figures(setting, cases, right, wrong, damping), _criteria(setting, right, wrong),
        _conventions(setting), _tables(setting.file, cases, right, wrong, damping), failure,
    )  # fmt: skip


def _rows_that_are_numbers(right: Runs) -> int:
    """Up to the last moment that any run has reached; those that ended before it have NaN there."""
    return max(int(np.isfinite(one.record[:, 0]).sum()) for one in right.values())


def _series(setting: TrackingSetting, cases: tuple[Case, ...], right: Runs, t: Floats) -> list[Series]:
    demands = np.array([setting.path.at(float(now)).flat[:3].copy() for now in t])
    out = [Series("demand", "where the tool should be, inertial axes", (("x", "m"), ("y", "m"), ("z", "m")), demands)]
    for case in cases:
        if case.name != EQUAL:
            meaning = f"{case.name}: {LAWS[case.law]}, right model"
            out.append(Series(f"law{case.law}", meaning, columns(setting.craft.n), right[case.name].record))
    out.append(_skeleton(setting, cases[0], right[cases[0].name]))
    return out


def _skeleton(setting: TrackingSetting, case: Case, one: TrackingRun) -> Series:
    """Places of the base, of every joint and of the tool, for drawing the arm."""
    names, craft = [name for name, _ in columns(setting.craft.n)], setting.craft
    joint, base = names.index("joint_1"), names.index("base_x")
    data, rows = craft.pin.createData(), []
    for row in one.record:
        q = craft.configuration(row[joint : joint + craft.n], row[base : base + 3], row[base + 3 : base + 7])
        pinocchio.forwardKinematics(craft.pin, data, q)
        tool = pinocchio.updateFramePlacement(craft.pin, data, craft.tool_id)
        rows.append(np.concatenate([*(place.translation for place in list(data.oMi)[1:]), tool.translation]))
    count = len(rows[0]) // 3
    places = tuple((f"p{k}_{axis}", "m") for k in range(count) for axis in "xyz")
    return Series("skeleton", f"base, joints and tool, {case.name}; inertial axes", places, np.array(rows))


def median(runs: list[TrackingRun]) -> float:
    """Of the mean errors; NaN if a run diverged."""
    return float(np.median([one.mean_m for one in runs])) if runs else float("nan")


def _figures(
    setting: TrackingSetting,
    cases: tuple[Case, ...],
    right: Runs,
    wrong: ManyRuns,
    damping: dict[int, tuple[float, float]],
) -> dict[str, Any]:
    ahead = setting.ahead
    out: dict[str, Any] = {
        "path": {
            "sigma_min": ahead.sigma_min, "manipulability_start": ahead.manipulability[0],
            "manipulability_least": ahead.manipulability[1], "lightest_kg_m2": ahead.lightest,
            "margin_deg": float(np.degrees(ahead.margin_rad)), "closest_joint": ahead.closest_joint,
        },
        "seeds": setting.file.model_error.seeds, "share": setting.file.model_error.share, "laws": {},
    }  # fmt: skip
    for case in cases:
        one, many = right[case.name], wrong[case.name]
        last = one.record[np.isfinite(one.record[:, 0])][-1] if np.isfinite(one.record[:, 0]).any() else None
        names = [name for name, _ in columns(setting.craft.n)]
        largest, bound = damping[case.law]
        out["laws"][case.name] = {
            "mean_error_m": _number(one.mean_m), "mean_turn_error_rad": _number(one.mean_rad),
            "max_error_m": _number(float(np.nanmax(one.errors))),
            "wrong_model_mean_errors_m": [_number(run.mean_m) for run in many],
            "wrong_model_median_m": _number(median(many)),
            "damping": largest, "damping_bound": bound, "damping_unit": unit_of_damping(case.law),
            "base_turn_deg": None if last is None else float(last[names.index("base_turn")]),
            "diverged": [run.failure for run in many if run.failure],
        }  # fmt: skip
    if wrong.get("law 2") and wrong.get("law 3") and len(wrong["law 2"]) == len(wrong["law 3"]):
        out["law_3_against_2"] = {
            "right": _number(right["law 3"].mean_m / right["law 2"].mean_m),
            "wrong": _number(median(wrong["law 3"]) / median(wrong["law 2"])),
            "seeds_in_which_3_is_better": int(
                sum(a.mean_m < b.mean_m for a, b in zip(wrong["law 3"], wrong["law 2"], strict=True))
            ),
        }
    if EQUAL in right:
        out["equal_gains"] = {"right": _number(_apart(right)), "wrong": _apart_in_median(wrong)}
    return out


def _mean(runs: Runs, name: str) -> float:
    """Mean error, m; NaN of a run that did not come to its end or was not made."""
    return runs[name].mean_m if name in runs else float("nan")


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return value if np.isfinite(value) else None


def _apart(right: Runs) -> float:
    """Relative difference of the mean errors of laws 2 and 4 with equal gains."""
    return abs(_mean(right, EQUAL) / _mean(right, "law 2") - 1.0)


def _apart_in_median(wrong: ManyRuns) -> float | None:
    return _number(abs(median(wrong[EQUAL]) / median(wrong["law 2"]) - 1.0)) if wrong[EQUAL] else None


def _criteria(setting: TrackingSetting, right: Runs, wrong: ManyRuns) -> tuple[Criterion, ...]:
    out, file = [], setting.file
    for row in file.law:
        name = f"law {row.number}"
        if row.mean_error_m is not None:
            out.append(
                Criterion(f"{name}: mean error, right model", _number(_mean(right, name)), row.mean_error_m, unit="m")
            )
    for row in file.law:
        name = f"law {row.number}"
        if row.median_error_m is not None and file.model_error.seeds:
            what = f"{name}: median over {file.model_error.seeds} wrong models of the mean error"
            out.append(Criterion(what, _number(median(wrong[name])), row.median_error_m, unit="m"))
    if file.equal_within is not None:
        what = "laws 2 and 4 with equal gains: mean errors apart by"
        out.append(Criterion(f"{what}, right model", _number(_apart(right)), file.equal_within))
        if file.model_error.seeds:
            out.append(Criterion(f"{what}, median of wrong models", _apart_in_median(wrong), file.equal_within))
    asked = max(run.share for run in right.values())
    out.append(Criterion("largest torque asked for, over the motor's most", _number(asked), 1.0))
    return tuple(out)


def _conventions(setting: TrackingSetting) -> tuple[str, ...]:
    file, orbit = setting.file, setting.file.orbit
    gravity = "none"
    if orbit is not None:
        told = "" if orbit.feed_forward else "not "
        gravity = f"on every link, circular orbit of {orbit.radius_km:g} km, {told}fed forward by the laws"
    joints = () if file.joints is None else (joints_told(file.joints, file.arm.friction),)
    friction = "as in the URDF" if file.arm.friction else "none"
    if file.joints is not None and file.joints.friction is not None:
        friction = "see the joints"
    return (
        "Inertial axes: those of LVLH at the start (x up, y along the flight, z along the orbit's normal), and of the base; "
        "zero momentum at the start.",
        "Error: distance of the tool from the demand at every control cycle; mean over the run. Turn error: rotation vector "
        "of R_d Rᵀ in inertial axes.",
        f"Control at {file.rate_hz:g} Hz, torques held over a cycle; the craft is integrated by Runge-Kutta of the fourth order "
        "at the same rate.",
        "Wrong models: the controller's model is off, the craft is as its file says; every body's mass and inertia tensor scaled "
        f"by factors of their own, uniform in 1 ± {file.model_error.share:g}.",
        f"Differential gravity: {gravity}. Attitude control of the base: {file.base.control}. Joint friction: "
        f"{friction}.",
        *joints,
        "Null-space rate: |(1 − Jg⁺ Jg) q̇|. Base turn: angle from its attitude at the start.",
    )


def _tables(
    file: TrackingFile, cases: tuple[Case, ...], right: Runs, wrong: ManyRuns, damping: dict[int, tuple[float, float]]
) -> tuple[Table, ...]:
    rows = []
    for case in cases:
        one, means = right[case.name], [run.mean_m for run in wrong[case.name]]
        spread = f"{np.min(means):.2e} … {np.max(means):.2e}" if means else "–"
        rows.append(
            (case.name, LAWS[case.law], f"{one.mean_m:.2e}", f"{np.nanmax(one.errors):.2e}", f"{one.mean_rad:.2e}",
             f"{median(wrong[case.name]):.2e}" if means else "–", spread)
        )  # fmt: skip
    head = (
        "",
        "law",
        "mean error [m]",
        "largest [m]",
        "mean turn error [rad]",
        "median, wrong models [m]",
        "their span [m]",
    )
    stable = tuple(
        (f"law {law}", f"{largest:g} {unit_of_damping(law)}", f"{bound:.3g} {unit_of_damping(law)}")
        for law, (largest, bound) in damping.items()
    )
    most = "2" if file.joints is None else f"{rate_loop(file.joints, 1.0 / file.rate_hz).most:.3g}"
    where = f"Joint damping, and where it becomes unstable: {most} λ_min(M*)/dt (law 2: {most}/dt)"
    out = (("Tracking errors", head, tuple(rows)), (where, ("", "largest", "bound"), stable))
    return out if file.joints is None else (*out, _beside_the_paper(cases, right, wrong))


def _beside_the_paper(cases: tuple[Case, ...], right: Runs, wrong: ManyRuns) -> Table:
    """With joints that are as joints are, sizes can be compared: Table 5 is of another motion, led by a camera."""
    rows = []
    for case in cases:
        if case.name != EQUAL:
            mean, paper = right[case.name].mean_m, TABLE_5_M[case.law]
            many = f"{median(wrong[case.name]):.1e}" if wrong[case.name] else "–"
            rows.append((case.name, LAWS[case.law], f"{paper:.1e}", f"{mean:.1e}", f"{mean / paper:.2f}", many))
    head = ("", "law", "paper, Table 5 [m]", "mean error [m]", "ratio", "median, wrong models [m]")
    return "Beside the paper's Table 5, which is of its visual servoing", head, tuple(rows)
