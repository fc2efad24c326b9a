"""The replay of ETS-VII's manoeuvre: the same course of the joints without and with differential gravity, side by side."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.replay.tables import ReplayFile
from proxops.arms.joint_course import LinearCourse
from proxops.arms.model import N_BASE_Q, ArmModel, Floats, load_model
from proxops.core.criterion import Criterion
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress, Series
from proxops.maths.rotation import angle_between, matrix_from_abc, quat_from_matrix
from proxops.space.link_gravity import LinkGravity, Pull
from proxops.space.replay import Replayed, at_rest, nodes_of, orbit_from, replay, there_and_back
from proxops.space.servo_joints import ServoGains, judge_gains

KEPT: Final = 1e-9  # of the arm's peak momentum: what drift may be; rounding leaves 1e-13
# Of the momentum gained: trapezia over 0.1 s err by (0.1 s)²/12 of the torque's bend and its jumps at nodes.
BALANCED: Final = 1e-6
SUMMED: Final = 1e-9  # of the torque: rounding only
STEPS: Final = 1e-9  # rad, halving the steps changes the attitude by less
SERVED: Final = 1e-6  # of the arm's peak momentum: RK4 under kicks of servos, milliseconds
FOLLOWED_DEG: Final = 2.0  # soft servos lag while a ramp sets in
SETTLED_DEG: Final = 1e-3  # after the ramps the servos hold: what is left is the way that they took
PARTS: Final = (("roll", "rad"), ("pitch", "rad"), ("yaw", "rad"))
MOMENTA: Final = (("px", "N s"), ("py", "N s"), ("pz", "N s"), ("lx", "N m s"), ("ly", "N m s"), ("lz", "N m s"))
PLACE: Final = (("x", "m"), ("y", "m"), ("z", "m"))


def run(experiment: Experiment, progress: Progress) -> ExperimentResult:
    """Both runs and their checks."""
    file = experiment.file
    assert isinstance(file, ReplayFile)
    model = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    course = _course(model, file)
    roll, pitch, yaw = np.radians(file.attitude_deg)
    q = at_rest(model, course(file.start_s, False)[0], quat_from_matrix(matrix_from_abc(yaw, pitch, roll)))
    orbit = orbit_from(1e3 * file.orbit.radius_km, file.start_s, turns=file.orbit.up == "orbit")
    gravity = LinkGravity(model, orbit, file.orbit.begin_s, Pull(file.orbit.pull))
    servo = _servo(file)
    if servo is not None:
        judge_gains(model, q[N_BASE_Q:], servo)
    t = np.linspace(file.start_s, file.end_s, round(file.duration_s / file.every_s) + 1)
    progress("without gravity gradient", 0.0, 3.0 * file.duration_s)
    free = replay(model, course, t, q, file.step_s, orbit, None, servo)
    progress("with gravity gradient", file.duration_s, 3.0 * file.duration_s)
    pulled = replay(model, course, t, q, file.step_s, orbit, gravity, servo)
    progress("checks", 2.0 * file.duration_s, 3.0 * file.duration_s)
    if servo is not None:
        prescribed = replay(model, course, t, q, file.step_s, orbit, gravity)
        served = _served(free, pulled, prescribed)
        return _result(model, file, t, pulled.joints, free, pulled, served, _served_criteria(file, served))
    fine = replay(model, course, t[[0, -1]], q, 0.5 * file.step_s, orbit, gravity)
    back = there_and_back(model, course, file.start_s, file.end_s, q, file.step_s)
    joints = np.array([course(float(now), False)[0] for now in t])
    checks = _checks(t, free, pulled, fine, back)
    return _result(model, file, t, joints, free, pulled, checks, _criteria(file, checks))


def _result(
    model: ArmModel, file: ReplayFile, t: Floats, joints: Floats, free: Replayed, pulled: Replayed, checks: dict[str, float],
    criteria: tuple[Criterion, ...],
) -> ExperimentResult:  # fmt: skip
    return ExperimentResult(
        t, _series(model, joints, free, pulled), {**_figures(t, free, pulled), **checks}, criteria, _conventions(file),
        (_table(t, free, pulled), _said(t, free, pulled)),
    )  # fmt: skip


def _servo(file: ReplayFile) -> ServoGains | None:
    if file.servo is None:
        return None
    s = file.servo
    return ServoGains(np.array(s.p_Nm_rad), np.array(s.d_Nms_rad), 1e-3 * s.period_ms, 1.0 / s.command_hz)


def _served(free: Replayed, pulled: Replayed, prescribed: Replayed) -> dict[str, float]:
    """What the servos change, and what they must keep."""
    peak = _largest(free.arm)
    return {
        "arm_peak_momentum": peak,
        "momentum_drift_of_peak": _largest(free.momentum) / peak,
        "linear_with_gravity_of_peak": float(np.linalg.norm(pulled.momentum[:, :3], axis=1).max()) / peak,
        "joints_off_course_deg": math.degrees(float(np.abs(pulled.joints - prescribed.joints).max())),
        "base_from_prescribed_deg": math.degrees(float(np.abs(pulled.attitude - prescribed.attitude).max())),
        "base_from_prescribed_at_end_deg": math.degrees(float(np.abs(pulled.attitude - prescribed.attitude)[-1].max())),
    }


def _served_criteria(file: ReplayFile, checks: dict[str, float]) -> tuple[Criterion, ...]:
    return (
        Criterion("without gravity: momentum, of the arm's peak", checks["momentum_drift_of_peak"], SERVED),
        Criterion("with gravity: linear momentum, of the arm's peak", checks["linear_with_gravity_of_peak"], SERVED),
        Criterion("joints from their course, worst", checks["joints_off_course_deg"], FOLLOWED_DEG, unit="deg"),
        Criterion(
            "base from that of prescribed joints, at the end", checks["base_from_prescribed_at_end_deg"], SETTLED_DEG, unit="deg",
        ),
    )  # fmt: skip


def _course(model: ArmModel, file: ReplayFile) -> LinearCourse:
    """The recorded angles in this model's signs, within its limits."""
    table = file.course
    for name in table.angles_rad:
        if name not in model.joints:
            raise BadInput("course: no such joint", value=name, bound=", ".join(model.joints))
    signed = {
        name: np.array(angles) * (-1.0 if name in table.opposite else 1.0) for name, angles in table.angles_rad.items()
    }
    course = nodes_of(model, np.array(table.t_s), signed)
    for node in course.nodes:
        model.check_joints(course(node, True)[0], f"course at {node} s")
    return course


def _checks(t: Floats, free: Replayed, pulled: Replayed, fine: Replayed, back: Floats) -> dict[str, float]:
    """What the runs must agree with, as plain figures."""
    peak = _largest(free.arm)
    gained = pulled.momentum[-1, 3:] - pulled.momentum[0, 3:]
    pushed = np.trapezoid(pulled.torque, t, axis=0)
    return {
        "arm_peak_momentum": peak,
        "momentum_drift_of_peak": _largest(free.momentum) / peak,
        "centre_drift_m": float(np.abs(free.centre).max()),
        "linear_with_gravity_of_peak": float(np.linalg.norm(pulled.momentum[:, :3], axis=1).max()) / peak,
        "gain_against_torque": float(np.linalg.norm(gained - pushed) / np.linalg.norm(gained)),
        "links_against_whole": float(np.abs(pulled.torque - pulled.whole).max() / np.abs(pulled.whole).max()),
        "halved_steps_rad": angle_between(fine.turn[-1], pulled.turn[-1]),
        "same_way_back_rad": angle_between(np.eye(3), np.ascontiguousarray(back)),
    }


def _largest(momentum: Floats) -> float:
    """The greater of linear (N s) and angular (N m s) over all rows."""
    return float(np.linalg.norm(momentum.reshape(-1, 2, 3), axis=2).max())


def _criteria(file: ReplayFile, checks: dict[str, float]) -> tuple[Criterion, ...]:
    whole = Criterion("with gravity: links' torques add up to the whole body's", checks["links_against_whole"], SUMMED)
    return (
        Criterion("without gravity: momentum, of the arm's peak", checks["momentum_drift_of_peak"], KEPT),
        Criterion("without gravity: the mass centre stays", checks["centre_drift_m"], KEPT, unit="m"),
        Criterion("without gravity: the same way back leaves the base as it was", checks["same_way_back_rad"], STEPS, unit="rad"),
        Criterion("with gravity: angular momentum gained is the torque's integral", checks["gain_against_torque"], BALANCED),
        *([whole] if file.orbit.pull == "all" else []),  # torques without the tidal forces are not the whole
        Criterion("with gravity: linear momentum, of the arm's peak", checks["linear_with_gravity_of_peak"], KEPT),
        Criterion("attitude with halved steps", checks["halved_steps_rad"], STEPS, unit="rad"),
    )  # fmt: skip


def _series(model: ArmModel, joints: Floats, free: Replayed, pulled: Replayed) -> tuple[Series, ...]:
    columns = (*PARTS, *PLACE, *MOMENTA)

    def of(one: Replayed) -> Floats:
        return np.hstack([one.attitude, one.place, one.momentum])

    torque = (("torque_x", "N m"), ("torque_y", "N m"), ("torque_z", "N m"))
    return (
        Series("joints", "as commanded", tuple((name, "rad") for name in model.joints), joints),
        Series("free", "base without gravity gradient; momentum about the mass centre", columns, of(free)),
        Series("pulled", "the same with it", (*columns, *torque), np.hstack([of(pulled), pulled.torque])),
    )


def _figures(t: Floats, free: Replayed, pulled: Replayed) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, one in (("free", free), ("pulled", pulled)):
        degrees = np.degrees(one.attitude)
        out[name] = {
            "extreme_deg": [float(column[np.abs(column - column[0]).argmax()]) for column in degrees.T],
            "end_deg": [float(x) for x in degrees[-1]],
            "turned_at_end_deg": math.degrees(angle_between(one.turn[0], one.turn[-1])),
        }
    out["angular_momentum_at_end"] = [float(x) for x in pulled.momentum[-1, 3:]]
    return out


def _table(t: Floats, free: Replayed, pulled: Replayed) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = []
    figures = _figures(t, free, pulled)
    for i, (angle, _) in enumerate(PARTS):
        a, b = figures["free"], figures["pulled"]
        rows.append(
            (angle, f"{a['extreme_deg'][i]:+.5f}", f"{b['extreme_deg'][i]:+.5f}", f"{a['end_deg'][i]:+.6f}",
             f"{b['end_deg'][i]:+.6f}", f"{b['end_deg'][i] - a['end_deg'][i]:+.6f}")
        )  # fmt: skip
    head = ("angle [deg]", "extreme without", "extreme with", f"at {t[-1]:g} s without", "with", "difference")
    return "Base attitude without and with gravity gradient", head, tuple(rows)


def _said(t: Floats, free: Replayed, pulled: Replayed) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Beside paper 003's words on its figure 9, which has no number in the text."""
    figures, rows = _figures(t, free, pulled), []
    for i, words in enumerate(("slightly lower with gravity gradient", "higher with gravity gradient", "–")):
        without, with_it = (abs(figures[run]["extreme_deg"][i]) for run in ("free", "pulled"))
        change = f"{with_it / without - 1.0:+.1%}" if without > 0.0 else "–"
        rows.append((PARTS[i][0], words, f"{without:.5f} → {with_it:.5f} deg", change))
    return "Greatest angle, in size, beside paper 003", ("angle", "the paper says", "here", "change"), tuple(rows)


def _conventions(file: ReplayFile) -> tuple[str, ...]:
    opposite = (
        f"Signs: this model turns {', '.join(file.course.opposite)} the other way; the recorded angles change their sign there, "
        "so that the arm moves as in the flight. Joint angles are drawn in the model's own sign."
        if file.course.opposite
        else "Signs: joint angles as recorded."
    )
    turning = "" if file.orbit.up == "orbit" else " The local frame does not turn either: x stays up for ever."
    pulls = {
        "all": "on every link the tidal force and the torque about its centre", "torques": "torques on the links alone",
        "published": "torques on the links alone, as OnOrbitROS's code has them (direction turned the other way, in world axes)",
    }  # fmt: skip
    moved = "prescribed" if file.servo is None else "under PD servos, torques held, commands in steps"
    return (
        "Attitude: base to inertial, R = Rz(yaw) Ry(pitch) Rx(roll).",
        f"Inertial axes: those of LVLH at {file.start_s:g} s, the start: x radial (up), y along the flight, z "
        f"orbit normal; they do "
        f"not turn afterwards. Circular orbit, radius {file.orbit.radius_km:g} km.{turning}",
        f"Gravity gradient: {pulls[file.orbit.pull]}. Joints: {moved}.",
        "Momentum: zero in the inertial frame at the start (the satellite does not turn with the orbit); "
        "angular momentum about the "
        "common mass centre, which starts in the origin.",
        f"Epoch: seconds of the recording; gravity gradient from {file.orbit.begin_s:g} s on in the run with it.",
        f"Model: {file.arm.model}. {opposite}",
    )
