"""Both spacecraft of a docking from its scenario: bodies, shape, law and latch, as believed and as they are; how they start."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.applications.docking.tables import BodyTable, DockingFile
from proxops.core.errors import BadInput
from proxops.maths.quaternion import turned
from proxops.maths.rotation import Array, quat_from_rotation_vector
from proxops.space.contact_pair import BODY, PAIR_DTYPE, SIZE, P, Pair, Q, V, W, relative
from proxops.space.drogue import Drogue, depth
from proxops.touch.tool_load import check_inertia, symmetric

SMALLEST_M: Final = 0.01  # radius of gyration of a spacecraft
CREEP_M_S: Final = 1e-3  # sliding speed below which friction is taken as viscous


def bodies(file: DockingFile) -> tuple[Pair, Pair, float]:
    """With the law as it is believed, with that of the hardware as it is, and the mass of both along the axis, kg."""
    shape = file.shape
    drogue = Drogue(
        shape.kind, shape.ball_mm * 1e-3, shape.seat_m, shape.bowl_mm * 1e-3, math.radians(shape.half_angle_deg),
        shape.mouth_mm * 1e-3,
    )  # fmt: skip
    pair = np.zeros(1, PAIR_DTYPE)
    r = pair[0]
    for name, body in (("chaser", file.chaser), ("client", file.client)):
        _put_body(r[name], body, name)
    r["tip"], r["drogue"] = shape.ball_m, drogue.record
    mass = 1.0 / (1.0 / file.chaser.mass_kg + 1.0 / file.client.mass_kg)
    true = pair.copy()
    law, contact = true[0]["law"], file.contact
    k = contact.stiffness_N_mm * 1e3 * 1e-3 ** (1.0 - contact.exponent)
    law["stiffness"], law["exponent"], law["friction"], law["creep"] = k, contact.exponent, contact.friction, CREEP_M_S
    law["damping"] = 2.0 * contact.damping_ratio * math.sqrt(contact.stiffness_N_mm * 1e3 * mass)
    r["law"]["exponent"], r["law"]["creep"] = 1.0, CREEP_M_S
    if file.believed:
        r["law"]["stiffness"] = file.believed.stiffness_N_mm * 1e3
        r["law"]["damping"] = 2.0 * file.believed.damping_ratio * math.sqrt(file.believed.stiffness_N_mm * 1e3 * mass)
    for each in (pair, true):
        _put_latch(each, file, mass)
    return pair, true, mass


def _put_body(record: np.void, table: BodyTable, name: str) -> None:
    inertia = symmetric(np.array(table.inertia_kgm2))
    check_inertia(inertia, name)
    if float(np.linalg.eigvalsh(inertia)[0]) < table.mass_kg * SMALLEST_M**2:
        raise BadInput(f"{name}.inertia_kgm2: smaller than a body of this mass has", value=list(table.inertia_kgm2),
            bound=f"principal moments from {table.mass_kg * SMALLEST_M**2:.3g} kg m2 on")  # fmt: skip
    record["mass"], record["inertia"], record["inverse"] = table.mass_kg, inertia, np.linalg.inv(inertia)
    record["com"] = table.com_m


def _put_latch(pair: Pair, file: DockingFile, mass: float) -> None:
    latch = pair[0]["latch"]
    latch["rest"] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    if file.latch is None:
        return
    k = file.latch.stiffness_N_mm * 1e3
    latch["stiffness"], latch["damping"] = k, 2.0 * file.latch.damping_ratio * math.sqrt(k * mass)
    latch["turn_stiffness"] = math.degrees(file.latch.turn_stiffness_Nm_deg)
    latch["turn_damping"] = math.degrees(file.latch.turn_damping_Nms_deg)


def start_of(file: DockingFile, pair: Pair) -> tuple[Array, Array]:
    """State of both bodies, the client at rest at the origin, and the pose of the ports."""
    a, r = file.approach, pair[0]
    y = np.zeros(SIZE)
    y[BODY + Q] = 1.0
    y[BODY + P : BODY + P + 3] = r["client"]["com"]
    q = quat_from_rotation_vector(np.radians(a.attitude_deg))
    ball = np.array([file.shape.seat_m + a.gap_mm * 1e-3, a.beside_mm[0] * 1e-3, a.beside_mm[1] * 1e-3])
    w_body = np.radians(a.rate_deg_s)
    arm = turned(q, r["tip"] - r["chaser"]["com"])
    w = turned(q, w_body)
    speed = np.array([-a.speed_mm_s, a.drift_mm_s[0], a.drift_mm_s[1]]) * 1e-3
    y[P : P + 3], y[Q : Q + 4] = ball - arm, q
    y[V : V + 3], y[W : W + 3] = speed - np.cross(w, arm), w_body
    pose, twist = np.zeros(7), np.zeros(6)
    relative(pair, y, pose, twist)
    start = np.concatenate([pose[:3] - turned(q, r["tip"]), q])
    return y, start


def check_start(file: DockingFile, true: Pair, y: Array, wave_m: float) -> None:
    """BadInput if the ball begins inside of what it shall touch, or so near that the wave which finds the delay, ``wave_m``
    wide, would reach it."""
    pose, twist, normal = np.zeros(7), np.zeros(6), np.zeros(3)
    relative(true, y, pose, twist)
    deep = depth(true[0]["drogue"], pose, normal)
    if deep >= 0.0:
        raise BadInput(
            "approach: ball and hardware begin inside each other", value=f"{deep * 1e3:.2f} mm deep", bound="clear"
        )
    pose[0] -= wave_m
    if depth(true[0]["drogue"], pose, normal) >= 0.0:
        raise BadInput(
            "approach.gap_mm: the wave that finds the delay would touch", value=file.approach.gap_mm,
            bound=f"{wave_m * 1e3:g} mm more than where it touches",
        )  # fmt: skip
    away = math.hypot(pose[0] - file.shape.seat_m, pose[1], pose[2])
    if file.latch is not None and away <= file.latch.capture_mm * 1e-3:
        raise BadInput(
            "latch.capture_mm: would close at the start",
            value=file.latch.capture_mm,
            bound=f"less than {away * 1e3:.1f} mm",
        )
