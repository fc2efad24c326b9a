"""What the experiment ``servo`` has found: series, the table beside the paper's, criteria, two images."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.servo.run import ServoRun, columns
from proxops.applications.servo.tables import ServoFile
from proxops.arms.joint_traits import joints_told
from proxops.arms.model import ArmModel
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.task_law_table import TABLE_5_M
from proxops.onboard.path_preview import Preview
from proxops.onboard.task_controller import LAWS

INDIRECT: Final = "indirect"
PAPER_M: Final = {**{f"law {law}": mean for law, mean in TABLE_5_M.items()}, INDIRECT: 4.7e-2}  # 003, Table 5
PICTURED: Final = "law 3"  # the paper draws this one
SHORT: Final = {
    "law 1": "1 direct, velocity", "law 2": "2 direct, with inertia", "law 3": "3 direct, without inertia",
    "law 4": "4 direct, force", INDIRECT: "indirect",
}  # fmt: skip
Runs = dict[str, ServoRun]
Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]


def result_of(
    file: ServoFile, craft: ArmModel, ahead: Preview, every: int, right: Runs, wrong: Runs
) -> ExperimentResult:
    """``every``: cycles for each row of the records."""
    both = (("right", right), ("wrong", wrong))
    failure = "; ".join(
        f"{name}, {model} model: {one.failure}" for model, runs in both for name, one in runs.items() if one.failure
    )
    rows = max(int(np.isfinite(one.record[:, -1]).sum()) for one in right.values())
    t = np.arange(rows) * every / file.rate_hz
    series = series_of(list(right), craft.n, {name: one.record[:rows] for name, one in right.items()})
    tables = [_errors_table(right, "Mean errors, as in Table 5 of the paper", paper=True)]
    if wrong:
        tables.append(_errors_table(wrong, "The same with a wrong model in the flight software", paper=False))
    pictured = right.get(PICTURED, next(iter(right.values())))
    return ExperimentResult(
        t, series, _figures(file, ahead, right, wrong), _criteria(file, right, wrong), _conventions(file),
        (*tables, _images_table(right)), failure, _pictures(pictured),
    )  # fmt: skip


def series_of(names: list[str], n: int, rows: Any) -> tuple[Series, ...]:
    """``rows``: of every servo by its name, (rows, columns)."""
    return tuple(
        Series(name.replace(" ", ""), f"{meaning(name)}, right model", columns(n), rows[name]) for name in names
    )


def meaning(name: str) -> str:
    return "indirect servo" if name == INDIRECT else f"direct servo, {LAWS[int(name.removeprefix('law '))]}"


def _numbers(one: ServoRun) -> dict[str, float | None]:
    return {
        "tracking_error_m": _number(one.mean("error")), "true_error_m": _number(one.mean("true_error")),
        "final_error_m": _number(one.last("to_go")), "final_turn_error_rad": _number(one.last("to_go_turn")),
        "base_turn_deg": _number(float(np.degrees(one.last("base_turn")))), "base_move_m": _number(one.last("base_move")),
        "torque_share": one.torque_share, "joint_margin_deg": float(np.degrees(one.margin_rad)),
    }  # fmt: skip


def _figures(file: ServoFile, ahead: Preview, right: Runs, wrong: Runs) -> dict[str, Any]:
    runs = {
        name: {
            **_numbers(one), "paper_m": PAPER_M[name], "images": one.looked.images, "found": one.looked.found,
            "taken": one.tally.taken, "refused": one.tally.refused, "restarts": one.tally.restarts, "holds": one.tally.holds,
            "sighting_m": _mean(one.looked.marker_m), "sighting_rad": _mean(one.looked.marker_rad),
            "sighted_grasp_m": _mean(one.looked.grasp_m), "sighted_grasp_max_m": max(one.looked.grasp_m, default=None),
            "wrong_model": _numbers(wrong[name]) if name in wrong else None,
        }
        for name, one in right.items()
    }  # fmt: skip
    by_error = sorted(right, key=lambda name: right[name].mean("error"))
    out: dict[str, Any] = {
        "runs": runs, "order": by_error, "wrong_share": file.wrong_model.share if file.wrong_model else None,
        "path": {
            "sigma_min": ahead.sigma_min, "margin_deg": float(np.degrees(ahead.margin_rad)),
            "closest_joint": ahead.closest_joint, "lightest_kg_m2": ahead.lightest,
        },
        "corners": {},
    }  # fmt: skip
    direct = [one.mean("error") for name, one in right.items() if name != INDIRECT]
    if INDIRECT in right and direct:
        out["indirect_over_worst_direct"] = _number(right[INDIRECT].mean("error") / max(direct))
    looked = right.get(PICTURED, next(iter(right.values()))).looked
    for moment, view in (("first", looked.first), ("last", looked.last)):
        if view is not None:
            out["corners"][moment] = view[1].tolist()
    return out


def _criteria(file: ServoFile, right: Runs, wrong: Runs) -> tuple[Criterion, ...]:
    runs = [*right.values(), *wrong.values()]
    out = [Criterion("runs that came to their end", sum(not one.failure for one in runs), len(runs), "equal")]
    if file.found_share is not None:
        least = min(one.looked.share for one in runs)
        out.append(
            Criterion("images in which the marker is found, least share of a run", least, file.found_share, "at least")
        )
    for row in file.law:
        name = f"law {row.number}"
        if row.mean_error_m is not None:
            value = _number(right[name].mean("error")) if name in right else None
            out.append(Criterion(f"{name}: mean tracking error", value, row.mean_error_m, unit="m"))
        if row.final_error_m is not None:
            value = _number(right[name].last("to_go")) if name in right else None
            out.append(Criterion(f"{name}: hand from the grasp at the end, truth", value, row.final_error_m, unit="m"))
    return tuple(out)


def _conventions(file: ServoFile) -> tuple[str, ...]:
    camera, drift, guidance = file.camera, file.drift, file.guidance
    gravity = "none" if file.orbit is None else "on every link, not fed forward"
    exact = " (exact)" if file.joints is None else ""
    out = [
        "Inertial axes are those of the base at the start (x ahead, y left, z up); marker and handrail rest in them. "
        "Robot frame: the base.",
        f"Camera on the base, {camera.width} x {camera.height} pixels, {camera.rate_hz:g} images/s, each known "
        f"{1000 * camera.delay_s:g} ms after its exposure; rendered from where it truly is, the marker found in the image.",
        f"The flight software has joint angles and rates{exact}, sightings, and its model of the craft; base motion between "
        "images from the joints at zero momentum.",
        f"Nobody tells it that the craft drifts at the start: {list(drift.speed_m_s)} m/s, {list(drift.turn_deg_s)} deg/s. "
        f"Differential gravity: {gravity}.",
        "Tracking error: hand as believed from the path as planned. True error: true hand from that path laid at the true "
        "marker. Final error: true hand from the true grasp at the end. Means from the first plan to the end.",
        f"First plan {guidance.look_s:g} s after the first sighting, anew with every sighting, arrival at "
        f"{guidance.arrive_s:g} s; later plans take {guidance.horizon_s:g} s.",
    ]
    if file.joints is not None:
        out.append(joints_told(file.joints, file.arm.friction))
    if file.indirect is not None:
        out.append(
            f"Indirect servo: joint velocities J_arm⁺ K e in the robot frame, K = {file.indirect.gain_1_s:g} 1/s, base taken as "
            f"fixed, no feed-forward; drives of {file.indirect.drive_hz:g} Hz in the joints."
        )
    if file.wrong_model is not None:
        out.append(
            "Wrong model: every body's mass and inertia in the flight software's model scaled by its own factor, uniform in "
            f"1 ± {file.wrong_model.share:g}, seed {file.wrong_model.seed}."
        )
    return tuple(out)


def _errors_table(runs: Runs, caption: str, *, paper: bool) -> Table:
    head = ("servo", *(("paper, m",) if paper else ()), "tracking mean, m", "true mean, m", "true at the end, m")
    rows = [(SHORT[name], *((f"{PAPER_M[name]:.1e}",) if paper else ()), *_triple(one)) for name, one in runs.items()]
    return caption, head, tuple(rows)


def _triple(one: ServoRun) -> list[str]:
    return [f"{one.mean('error'):.1e}", f"{one.mean('true_error'):.1e}", f"{one.last('to_go'):.1e}"]


def _images_table(right: Runs) -> Table:
    head = (
        "", "images", "found", "taken", "refused", "holds", "marker, mm", "deg", "grasp, mm", "at most, mm",
    )  # fmt: skip
    rows = []
    for name, one in right.items():
        looked, tally = one.looked, one.tally
        counts = (looked.images, looked.found, tally.taken, tally.refused, tally.holds)
        errors = [
            np.mean(values) if values else np.nan for values in (looked.marker_m, looked.marker_rad, looked.grasp_m)
        ]
        most = max(looked.grasp_m, default=float("nan"))
        told = (f"{1e3 * errors[0]:.3f}", f"{np.degrees(errors[1]):.3f}", f"{1e3 * errors[2]:.3f}", f"{1e3 * most:.3f}")
        rows.append((name, *map(str, counts), *told))
    return "Images, and mean errors of single sightings: marker, and the grasp from it", head, tuple(rows)


def _pictures(one: ServoRun) -> dict[str, bytes]:
    import cv2

    out = {}
    for name, view in (("first.png", one.looked.first), ("last.png", one.looked.last)):
        if view is not None:
            out[name] = cv2.imencode(".png", view[0])[1].tobytes()
    return out


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return value if np.isfinite(value) else None
