"""How the craft stand to each other: computed in orbit, and as the hall showed it. Poses are rows x y z qw qx qy qz.

The scenario's mass centres are nominal; a dispersed mission has its own, some millimetres off, and so has a pose computed here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from proxops.applications.mission.report.mission_run import MissionRun, P, Rows, V
from proxops.bridge.roles import exchange_pose
from proxops.core.messages import PERIOD_S, QUATERNION
from proxops.core.vocabulary import MissionEnd
from proxops.ground.pose_rows import composed, distance_and_angle, relative
from proxops.ground.recorded import Floats
from proxops.lab.cell import Cell

POSE: Final = ("x", "y", "z", *QUATERNION)
SLOPE_S: Final = 1.0  # over which rates are taken from what the hall showed: its noise is 0.1 mm, a rate 10 mm/s


class ContactConditions(NamedTuple):
    """The docking interfaces against each other (m, rad, s): the chaser's from the target's, in the target's frame."""

    gap: float
    lateral: float
    tilt: float
    roll: float
    closing_rate: float
    lateral_rate: float
    angular_rate: float


def lvlh_axes(run: MissionRun, rows: Rows) -> Floats:
    """R_eci_lvlh (rows, 3, 3)."""
    p, v = run.table("orbit", P, rows), run.table("orbit", V, rows)
    z = -p / np.linalg.norm(p, axis=1, keepdims=True)
    h = np.cross(p, v)
    y = -h / np.linalg.norm(h, axis=1, keepdims=True)
    return np.stack([np.cross(y, z), y, z], axis=2)


def matrices(q: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4)."""
    w, v = q[:, 0, None, None], q[:, 1:]
    cross = np.zeros((len(q), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]], cross[:, [1, 2, 0], [2, 0, 1]] = v, -v
    out: Floats = np.eye(3) + 2.0 * (w * cross + cross @ cross)
    return out


def body_in_lvlh(run: MissionRun, body: str, rows: Rows) -> Floats:
    """R_lvlh_target or R_lvlh_chaser (rows, 3, 3)."""
    R_eci_body = matrices(run.table(f"{body}_attitude", QUATERNION, rows))
    out: Floats = np.einsum("nki,nkj->nij", lvlh_axes(run, rows), R_eci_body)
    return out


def computed_pose(run: MissionRun, rows: Rows) -> Floats:
    """T_target_chaser of the body frames, with the nominal mass centres."""
    d = np.einsum("nij,nj->ni", lvlh_axes(run, rows), run.table("relative", P, rows))
    q_t, q_c = (run.table(f"{body}_attitude", QUATERNION, rows) for body in ("target", "chaser"))
    centres = relative(np.hstack([np.zeros_like(d), q_t]), np.hstack([d, q_c]))
    target, chaser = np.array(run.file.target.mass_centre_m), np.array(run.file.chaser.mass_centre_m)
    pose = composed(centres, _shift(-chaser, len(rows)))
    return composed(_shift(target, len(rows)), pose)


def _shift(p: Floats, count: int) -> Floats:
    return np.tile(np.concatenate([p, [1.0, 0.0, 0.0, 0.0]]), (count, 1))


def hall_pose(run: MissionRun, rows: Rows) -> Floats:
    """T_target_chaser that the hall truly showed; NaN where it did not show the mission."""
    shown = run.log.values("bridge.converged")[rows] == 1
    truth = run.table("hall_truth", POSE, rows)
    if run.file.bridge.chaser_on == 2:
        for T_port2_port1 in truth:
            exchange_pose(T_port2_port1.copy(), T_port2_port1)
    return np.where(shown[:, None], truth, np.nan)


def between_interfaces(run: MissionRun, pose: Floats) -> Floats:
    """(n, 3) m, chaser's docking interface from the target's in the target's frame, of poses T_target_chaser."""
    chaser = np.array(run.file.chaser.interface_m)
    out: Floats = composed(pose, _shift(chaser, len(pose)))[:, :3] - np.array(run.file.target.interface_m)
    return out


def tilt_and_roll(pose: Floats) -> tuple[Floats, Floats]:
    """Between the docking axes, and about them (rad)."""
    R = matrices(pose[:, 3:])
    tilt = np.arctan2(np.hypot(R[:, 1, 0], R[:, 2, 0]), R[:, 0, 0])
    return tilt, np.arctan2(R[:, 2, 1] - R[:, 1, 2], R[:, 1, 1] + R[:, 2, 2])


def true_contact(run: MissionRun) -> ContactConditions | None:
    """As it was in orbit when the craft mated; None if they did not."""
    if run.end is not MissionEnd.MATED:
        return None
    last = run.truth[-1:]
    return ContactConditions(*(float(run.of(name, last)[0]) for name in ContactConditions._fields))


def hall_contact(run: MissionRun) -> ContactConditions | None:
    """As the hall showed it in that cycle; rates are the slope of the last second. None if it did not show it."""
    if run.end is not MissionEnd.MATED:
        return None
    last = int(run.truth[-1])
    rows = np.arange(max(run.cycles.start, last - round(SLOPE_S / PERIOD_S)), last + 1)
    pose = hall_pose(run, rows)
    if len(pose) < 2 or not np.isfinite(pose).all():
        return None
    place, (tilt, roll) = between_interfaces(run, pose), tilt_and_roll(pose[-1:])
    speed, rate = _slopes(place), _turning(pose)
    return ContactConditions(
        float(place[-1, 0]), float(np.hypot(*place[-1, 1:])), float(tilt[0]), float(roll[0]),
        -float(speed[0]), float(np.hypot(*speed[1:])), rate,
    )  # fmt: skip


def _slopes(values: Floats) -> Floats:
    """Per second, of columns sampled every cycle, by least squares."""
    t = np.arange(len(values)) * PERIOD_S
    t -= t.mean()
    out: Floats = t @ (values - values.mean(axis=0)) / (t @ t)
    return out


def _turning(pose: Floats) -> float:
    """Angular rate (rad/s) of poses sampled every cycle: the slope of the small rotation from the first."""
    ways = 2.0 * relative(np.tile(pose[0], (len(pose), 1)), pose)[:, 3:]
    ways = ways[:, 1:] * np.sign(ways[:, :1])
    return float(np.linalg.norm(_slopes(ways)))


class HallErrors(NamedTuple):
    """The hall against the computed pose, row for row of the truth; NaN while it shows nothing of the mission."""

    position: Floats  # m
    attitude: Floats  # rad


class Delays(NamedTuple):
    """How old the shown pose is (s), nominal: along the approach it is the rail that moves, attitudes are the arms' work."""

    rail_s: float = 0.0
    arm_s: float = 0.0


def hall_delays(cell: Cell) -> Delays:
    """Of the servos, and one cycle from command to set-point."""
    servos = cell.file.rail.servo, cell.file.robot1.servo
    return Delays(*((servo.dead_time_ms + servo.time_constant_ms) * 1e-3 + PERIOD_S for servo in servos))


NO_DELAYS: Final = Delays()


def hall_errors(run: MissionRun, delays: Delays = NO_DELAYS) -> HallErrors:
    """What the hall shows some time after a moment against what was computed for it: position after the rail's delay,
    attitude after the arms'. Computed is the pose as the bridge took it from the application: with the true mass centres,
    which the log does not tell."""
    computed = run.table("commanded_relative", POSE, run.truth)
    position, attitude = (distance_and_angle(computed, _shown_later(run, delay)) for delay in delays)
    return HallErrors(position[0], attitude[1])


def _shown_later(run: MissionRun, delay_s: float) -> Floats:
    later = run.truth + round(delay_s / PERIOD_S)
    shown = hall_pose(run, np.minimum(later, run.cycles.stop - 1))
    shown[later >= run.cycles.stop] = np.nan
    return shown


def sent_pose(run: MissionRun, rows: Rows) -> Floats:
    """T_target_chaser as the bridge took it from the application; computed here where it took none."""
    sent = run.table("commanded_relative", POSE, rows)
    untaken = np.flatnonzero(~(np.isfinite(sent).all(axis=1) & (sent[:, 3:] != 0.0).any(axis=1)))
    sent[untaken] = computed_pose(run, rows[untaken])
    return sent
