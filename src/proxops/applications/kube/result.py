"""What came of a loop with an arm in it: series, tables, criteria."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.kube.tables import HardwareLoopFile, PoseTable
from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import POSE, ExperimentResult, Series
from proxops.maths.quaternion import way_between
from proxops.maths.rotation import angle_between, matrix_from_abc, matrix_from_quat
from proxops.onboard.damped_inverse import THRESHOLD

POSITION_BOUND_MM: Final = 1.0
ATTITUDE_BOUND_DEG: Final = 0.1
# Of the arm's own peak. The differences that velocities are taken from are off by what a rate changes within a step, times how
# far the joints go in one: acceleration · step², added to this. Encoders jitter by some 1e-5 rad, and arm and satellite with them
# alike. A satellite that turns by a thousandth too much or too little is beyond the bound at 1 kHz.
MOMENTUM_BOUND: Final = 1e-4
STALL: Final = 2.0  # times the median: an evaluation of more is a stall
LEFT: Final = 1.1  # of what the gains leave of the way: limits at the start and the drives' lag cost a little
LATE_S: Final = 1e-4  # a cycle that begins later than this is late
CONVENTIONS: Final = (
    "inertial axes: those of the satellite at the start, origin in its centre of mass; linear and angular momentum zero",
    "orientation triples: R = Rz Ry Rx, tool to inertial; quaternions have the scalar first",
    "orientation error: rotation vector of R_des R_actᵀ, inertial; the paper subtracts Euler angles: the same to first order",
    "satellite: attitude from measured joint increments by the momentum (eq. 7, midpoint rule on the group), position from the "
    "centre of mass of the whole, which rests",
    "singular values of the dynamic Jacobian in m/rad and rad/rad, one metre weighing as much as one radian",
)
Rows = np.ndarray[tuple[int], np.dtype[np.void]]
Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]


def sum_up(
    file: HardwareLoopFile, model: ArmModel, rows: Rows, failure: str, timing: dict[str, Any]
) -> ExperimentResult:
    """``timing``: by the wall's clock: what was granted, missed, and lateness of an empty loop; empty in lockstep."""
    seen = evaluated(rows)
    share = momentum_share(model, seen)
    figures: dict[str, Any] = {
        "final_position_error_mm": 1e3 * float(np.linalg.norm(rows["error"][-1, :3])),
        "final_attitude_error_deg": math.degrees(float(np.linalg.norm(rows["error"][-1, 3:]))),
        "least_singular_value": float(rows["least"].min()), "slowest_share": float(rows["slowed"].min()),
        "slowed_s": float(np.sum(rows["slowed"] < 1.0)) / file.loop.rate_hz,
        "damped_s": float(np.sum(rows["least"] < THRESHOLD)) / file.loop.rate_hz,
        "satellite_turned_deg": math.degrees(2.0 * math.acos(min(1.0, abs(float(rows["base_quat"][-1, 0]))))),
        "satellite_moved_mm": 1e3 * float(np.linalg.norm(rows["base_p"][-1])),
        "momentum_share": share, "gravity_m_s2": list(file.robot.gravity_m_s2), "friction": file.arm.friction,
        "sensor_noise_Nm": file.robot.torque_noise_Nm, "sensor_offset_Nm": file.robot.torque_offset_Nm,
    }  # fmt: skip
    tables = [_course_table(rows, figures)]
    if file.computer is not None:
        table, figures["computer"] = computer_table(seen["t"], seen["evaluation"])
        tables.append(table)
    if file.printed is not None:
        tables.insert(0, printed_table(model, np.radians(file.start.joints_deg), file.printed))
    if timing:
        table, figures["timing"] = _timing(rows, 1.0 / file.loop.rate_hz, timing)
        tables.append(table)
    conventions = (
        *CONVENTIONS,
        _mount(file),
        *_differences(file),
        "" if timing else "lockstep: no time of evaluation, no lateness; see --realtime",
    )
    return ExperimentResult(
        rows["t"].copy(), series_of(model, rows), figures, _criteria(file, model, rows, seen, figures),
        tuple(line for line in conventions if line), tuple(tables), failure,
    )  # fmt: skip


def evaluated(rows: Rows) -> Rows:
    """Those whose own reading satellite, tool and law belong to: all, unless a computer takes its time."""
    found: Rows = rows[rows["answers"] == rows["t"]]
    return found


def momentum_share(model: ArmModel, rows: Rows) -> float | None:
    """Largest momentum of satellite and arm together over the largest that the arm alone has; the greater of the linear and the
    angular share. Velocities are differences over two cycles of what was recorded, the satellite's poses and the joints' angles:
    nothing of the loop's own velocities. Where cycles were lost there are no such differences, and nothing is judged."""
    dynamics, shares, period = Dynamics(model), [], step_s(rows)
    whole_steps = np.abs(np.diff(rows["t"]) - period) < 0.5 * period
    for i in 1 + np.flatnonzero(whole_steps[1:] & whole_steps[:-1]):
        row = rows[i]
        q = model.configuration(row["angles"], row["base_p"], row["base_quat"])
        v = velocities_by_differences(rows[i - 1], row, rows[i + 1])
        h, alone = dynamics.momentum(q, v), dynamics.arm_momentum(q, v[N_BASE:])
        # Angular about the satellite: it moves, and its way would only add what the linear part already shows.
        about = h[3:] - np.cross(row["base_p"], h[:3])
        shares.append([np.linalg.norm(part) for part in (h[:3], about, alone[:3], alone[3:])])
    if not shares:
        return None
    whole, arm = np.split(np.array(shares).max(axis=0), 2)
    return float((whole / np.where(arm > 0.0, arm, 1.0)).max())


def computer_table(t: Floats, takes: Floats) -> tuple[Table, dict[str, Any]]:
    """Of evaluations that began at ``t`` and took their time, s; a stall is one of more than twice the median."""
    median = float(np.median(takes))
    stalls = takes > STALL * median
    kept = {
        "evaluations": int(t.size), "median_ms": 1e3 * median, "mean_without_stalls_ms": 1e3 * float(takes[~stalls].mean()),
        "rate_hz": float((t.size - 1) / (t[-1] - t[0])) if t.size > 1 else 0.0, "stalls": int(stalls.sum()),
        "longest_ms": 1e3 * float(takes.max()),
    }  # fmt: skip
    line = (
        f"{kept['evaluations']}", f"{kept['mean_without_stalls_ms']:.1f} ms", f"{kept['rate_hz']:.1f} Hz", f"{kept['stalls']}",
        f"{kept['longest_ms']:.0f} ms",
    )  # fmt: skip
    head = ("evaluations", "mean, stalls apart", "rate of all", "stalls", "longest")
    return ("The computer", head, (line,)), kept


def momentum_bound(file: HardwareLoopFile, rows: Rows) -> float:
    return MOMENTUM_BOUND + max(file.robot.acceleration_rad_s2) * step_s(rows) ** 2


def step_s(rows: Rows) -> float:
    """Between two rows, as a rule: the loop's period, or the arm's where that is longer."""
    return float(np.median(np.diff(rows["t"])))


def velocities_by_differences(before: np.void, row: np.void, after: np.void) -> Floats:
    """(6 + n) of the satellite in its own axes at ``row``, and of the joints."""
    turn = np.zeros(3)
    way_between(np.array(before["base_quat"]), np.array(after["base_quat"]), turn)
    R_base_inertial = matrix_from_quat(np.array(row["base_quat"])).T
    way = R_base_inertial @ (after["base_p"] - before["base_p"])
    moved = np.concatenate([way, R_base_inertial @ turn, after["angles"] - before["angles"]])
    return np.asarray(moved / (after["t"] - before["t"]))


def printed_table(model: ArmModel, joints: Floats, printed: PoseTable) -> Table:
    """The start pose as printed against that of the joint angles: as it stands, angles listed the other way, and with the sign of
    that one joint turned that fits best, one metre weighing as much as one radian."""
    other: tuple[str, ...] = ("zyx", "xyz") if printed.order == "zyx" else ("xyz", "zyx")
    cases = [("joint angles of this run", joints)]
    turned = [
        (f"sign of {name} turned", joints * np.where(np.arange(model.n) == i, -1.0, 1.0))
        for i, name in enumerate(model.joints)
    ]
    cases.append(min(turned, key=lambda case: min(sum(_residual(model, case[1], printed, order)) for order in other)))
    rows = []
    for what, angles in cases:
        away, *turns = (_residual(model, angles, printed, order) for order in other)
        rows.append(
            (
                what,
                f"{1e3 * away[0]:.2f} mm",
                f"{math.degrees(away[1]):.2f} deg",
                f"{math.degrees(turns[0][1]):.2f} deg",
            )
        )
    head = (
        "start pose, printed less computed",
        "position",
        f"orientation, as {other[0]}",
        f"orientation, as {other[1]}",
    )
    return "The printed start", head, tuple(rows)


def _residual(model: ArmModel, joints: Floats, printed: PoseTable, order: str) -> tuple[float, float]:
    """m, rad."""
    pose = Dynamics(model).tool_pose(model.configuration(joints))
    a, b, c = np.radians(printed.orientation_deg if order == "zyx" else printed.orientation_deg[::-1])
    away = float(np.linalg.norm(pose[:3] - np.array(printed.position_m)))
    return away, angle_between(matrix_from_quat(pose[3:]), matrix_from_abc(a, b, c))


def _mount(file: HardwareLoopFile) -> str:
    gx, gy, gz = file.robot.gravity_m_s2
    return f"on the ground: base held, gravity ({gx:g}, {gy:g}, {gz:g}) m/s2 in the satellite's axes" + (
        "; torque sensors see drive friction" if file.arm.friction else ""
    )


def _differences(file: HardwareLoopFile) -> tuple[str, ...]:
    """Of computer and arm from a loop without delay and an arm as believed."""
    out = []
    if file.computer is not None:
        out.append(
            "a computer beside the arm evaluates; its time is drawn, by the scenario's seed. Satellite, tool and error are those "
            "of the readings that it took; encoders, torques and rates are recorded in every cycle"
        )
    if file.true_arm is not None:
        out.append(
            f"the arm has the masses of {file.true_arm.model}, elastic joints and rotors; loop and analysis believe in "
            f"{file.arm.model}"
        )
    return tuple(out)


def left_over(file: HardwareLoopFile, first: Floats) -> Floats:
    """(6) what the gains leave of an error after the whole time: each axis falls exponentially."""
    gains = np.array([*file.law.position_gain_per_s, *file.law.attitude_gain_per_s])
    return np.asarray(np.exp(-gains * file.duration_s) * first)


def _goal_criteria(file: HardwareLoopFile, rows: Rows, figures: dict[str, Any]) -> tuple[Criterion, Criterion]:
    way, turn = figures["final_position_error_mm"], figures["final_attitude_error_deg"]
    if file.loop.goal == "reach":
        return (
            Criterion("way to the goal at the end", way, POSITION_BOUND_MM, unit="mm"),
            Criterion("turn to the goal at the end", turn, ATTITUDE_BOUND_DEG, unit="deg"),
        )
    left = left_over(file, rows["error"][0])
    return (
        Criterion("way left at the end", way, POSITION_BOUND_MM + LEFT * 1e3 * float(np.linalg.norm(left[:3])), unit="mm"),
        Criterion(
            "turn left at the end", turn, ATTITUDE_BOUND_DEG + LEFT * math.degrees(np.linalg.norm(left[3:])), unit="deg"
        ),
    )  # fmt: skip


def _course_table(rows: Rows, figures: dict[str, Any]) -> Table:
    told = []
    for part in (0.0, 0.05, 0.1, 0.25, 0.5, 1.0):
        row = rows[min(round(part * (len(rows) - 1)), len(rows) - 1)]
        position, angle = 1e3 * np.linalg.norm(row["error"][:3]), np.degrees(np.linalg.norm(row["error"][3:]))
        told.append(
            (
                f"{row['t']:.1f} s",
                f"{position:.4g} mm",
                f"{angle:.4g} deg",
                f"{row['least']:.3f}",
                f"{row['slowed']:.2f}",
            )
        )
    head = ("time", "way to the goal", "turn to the goal", "least singular value", "share of the wished rates")
    return f"Course (slowed for {figures['slowed_s']:.2f} s, damped for {figures['damped_s']:.2f} s)", head, tuple(told)


def _timing(rows: Rows, period: float, timing: dict[str, Any]) -> tuple[Table, dict[str, Any]]:
    work, late, empty = rows["evaluation"], rows["lateness"][1:], timing["empty"]
    kept: dict[str, Any] = {
        "granted": timing["granted"], "cycles": len(rows), "missed": int(timing["missed"]),
        "evaluation_us": _spread_us(work), "lateness_us": _spread_us(late), "lateness_empty_us": _spread_us(empty),
        "late_share": float(np.mean(late > LATE_S)), "late_share_empty": float(np.mean(empty > LATE_S)),
        "overrun_share": float(np.mean(late > period)), "overrun_share_empty": float(np.mean(empty > period)),
    }  # fmt: skip

    def told(name: str, values: Floats) -> tuple[str, ...]:
        return name, *(f"{value:.0f} us" for value in _spread_us(values).values())

    head = ("", "median", "p99", "largest")
    lines = (told("evaluation", work), told("lateness", late), told("lateness of an empty loop", empty))
    caption = f"Time: {kept['missed']} cycles of {len(rows)} lost; {timing['granted']}; the paper's loop took 25 ms and stalled"
    return (caption, head, lines), kept


def _spread_us(values: Floats) -> dict[str, float]:
    median, p99, largest = (1e6 * float(np.quantile(values, share)) for share in (0.5, 0.99, 1.0))
    return {"median": median, "p99": p99, "max": largest}


def series_of(model: ArmModel, rows: Rows) -> tuple[Series, ...]:
    """What the log has of the rows; encoders, commanded rates and lateness are the facility's own."""
    names = tuple(name.lower() for name in model.joints)

    def per_joint(name: str, meaning: str, unit: str, field: str) -> Series:
        return Series(name, meaning, tuple((joint, unit) for joint in names), rows[field])

    def pose(name: str, meaning: str) -> Series:
        return Series(name, meaning, POSE, np.hstack([rows[f"{name}_p"], rows[f"{name}_quat"]]))

    way = (("x", "m"), ("y", "m"), ("z", "m"), ("rx", "rad"), ("ry", "rad"), ("rz", "rad"))
    velocity = tuple((f"v{k}", "m/s") for k in "xyz") + tuple((f"w{k}", "rad/s") for k in "xyz")
    law = np.stack([rows["least"], rows["slowed"]], axis=1)
    loop = np.stack([rows["t"], rows["evaluation"], rows["answers"]], axis=1)
    columns = (("t", "s"), ("evaluation", "s"), ("answers", "s"))
    return (
        Series(
            "loop",
            "the loop's own time, how long it computed, and the time of the reading that it answers",
            columns,
            loop,
        ),
        per_joint("rates", "joint rates, differentiated and filtered", "rad/s", "rates"),
        per_joint("torque", "net joint torques, sensors", "N m", "torques"),
        pose("base", "pose of the satellite, inertial axes"),
        Series("base_velocity", "of the satellite, in its own axes", velocity, rows["base_velocity"]),
        pose("tool", "pose of the tool, inertial axes"),
        Series("error", "way to the goal, inertial axes; the turn as rotation vector", way, rows["error"]),
        Series(
            "law",
            "least singular value; share of the wished rates that speed limits allow",
            (("least", ""), ("slowed", "")),
            law,
        ),
    )


def _criteria(
    file: HardwareLoopFile, model: ArmModel, rows: Rows, seen: Rows, figures: dict[str, Any]
) -> tuple[Criterion, ...]:
    margin = np.minimum(rows["angles"] - model.lower, model.upper - rows["angles"]).min()
    speed = (np.maximum(np.abs(rows["commanded"]), np.abs(rows["rates"])) / model.speed).max()
    change = np.abs(np.diff(rows["commanded"], axis=0)) * file.loop.rate_hz
    step = (change / np.array(file.robot.acceleration_rad_s2)).max() if len(rows) > 1 else 0.0
    return (
        *_goal_criteria(file, rows, figures),
        Criterion("momentum, over the arm's own", figures["momentum_share"], momentum_bound(file, seen)),
        Criterion("least distance from a joint's end", math.degrees(margin), 0.0, "at least", "deg"),
        Criterion("largest joint rate, over its limit", float(speed), 1.0),
        Criterion("largest change of a command, over the joint's acceleration", float(step), 1.0 + 1e-9),
    )
