"""What floats and what pushes it, from the scenario: judged before anything moves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.floating.detectors import judge_detector
from proxops.applications.floating.tables import SETTLE_S, FloatFile
from proxops.core.errors import BadInput
from proxops.core.floating_object import FloatingScene, TurnLimitTable
from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array, matrix_from_rotation_vector, quat_from_matrix
from proxops.space.floating_solid import mass_properties
from proxops.space.turn_limit import packed_limit, tilt_and_twist
from proxops.touch.push import Push

RATE_HZ: Final = round(1.0 / PERIOD_S)
COUNTER_SHARE: Final = 0.5  # of a push's impulse: ASSUMED, the scale of figure 4 cannot be read


def judge_numbers(file: FloatFile, joints: int) -> None:
    """What no single key shows, for an arm of so many joints."""
    if len(file.hand.acceleration_rad_s2) != joints or len(file.hand.jerk_rad_s3) != joints:
        raise BadInput("hand.acceleration_rad_s2, hand.jerk_rad_s3: one number for each joint", bound=str(joints))
    if file.plan.physics_hz % RATE_HZ:
        raise BadInput(
            "plan.physics_hz", value=file.plan.physics_hz, bound=f"multiples of {RATE_HZ}, the hall's cycles a second"
        )
    if file.sensor.source == "virtual" and file.sensor.rate_hz != RATE_HZ:
        raise BadInput(
            "sensor.rate_hz: the virtual sensor reads once a cycle", value=file.sensor.rate_hz, bound=f"{RATE_HZ}",
            way_out='leave it out, or source = "network"',
        )  # fmt: skip
    judge_detector(file.detector, file.sensor)
    if file.impedance is not None and len(file.impedance.stiffness_Nm_rad) not in (1, joints):
        raise BadInput(
            "impedance.stiffness_Nm_rad: one number, or one for each joint", value=list(file.impedance.stiffness_Nm_rad),
            bound=f"1 or {joints} numbers",
        )  # fmt: skip
    if file.sensor.source == "network" and (file.joint_torques is not None or file.impedance is not None):
        raise BadInput(
            "joint_torques, impedance: of the virtual arm, but the force sensor is a real one", value="network",
            way_out='leave them out, or sensor.source = "virtual"',
        )  # fmt: skip
    for k, push in enumerate(file.push):
        if not push.impulse_Ns and not any(push.twist_Nms):
            raise BadInput(f"push {k + 1}: neither impulse_Ns nor twist_Nms", value=0, bound="one of them")


def pushes_of(file: FloatFile) -> tuple[Push, ...]:
    """All that the scenario has."""
    return tuple(_push(file, k) for k in range(len(file.push)))


def _push(file: FloatFile, k: int) -> Push:
    """The k-th one, if there is somebody to push and somebody to feel it."""
    table, key, end = file.push[k], f"push {k + 1}", SETTLE_S + file.flight_s
    if file.sensor.source == "network":
        raise BadInput(
            f"{key}: the force sensor is a real one, no virtual hand reaches it", way_out="leave the pushes out"
        )
    if not SETTLE_S <= table.at_s <= end - 1e-3 * table.duration_ms:
        raise BadInput(
            f"{key}.at_s: the module does not float then", value=table.at_s, bound=f"{SETTLE_S:g} … {end:g} s"
        )
    if table.impulse_Ns > 0.0 and not any(table.direction):
        raise BadInput(f"{key}.direction: none", value=list(table.direction), bound="a vector")
    return Push(
        table.at_s, table.direction, table.impulse_Ns, table.duration_ms * 1e-3, _counter_share(file, k), lever_m=table.lever_m,
        twist_Nms=table.twist_Nms,
    )  # fmt: skip


def _counter_share(file: FloatFile, k: int) -> float:
    """Scripted for a stiff arm, as the paper measured it; one that gives way answers by itself."""
    given = file.push[k].counter_share
    if file.impedance is None:
        return COUNTER_SHARE if given is None else given
    if given:
        raise BadInput(
            f"push {k + 1}.counter_share: the arm of [impedance] answers by itself", value=given, bound="0",
            way_out="leave it out",
        )  # fmt: skip
    return 0.0


def scene_of(file: FloatFile, T_world_object: Array, fixture: Array, source: Path) -> tuple[FloatingScene, Array]:
    """And the module's mass centre in its own frame. The module begins where the arm holds it: its own place and turn in the file
    are added to that. ``fixture``: direction of the arm's flange in the module's axes."""
    offset = matrix_from_rotation_vector(np.radians(file.object.turn_deg))
    if any(file.object.place_m) or not np.allclose(offset, np.eye(3)):
        raise BadInput(
            "object.place_m, object.turn_deg: the arm says where the module is", value=list(file.object.place_m),
            way_out="leave them out and use hand.start_deg, hand.grip_m",
        )  # fmt: skip
    q = quat_from_matrix(T_world_object[:3, :3].copy())
    angle = 2.0 * math.acos(min(1.0, max(-1.0, float(q[0]))))
    axis = q[1:] / max(float(np.linalg.norm(q[1:])), 1e-12)
    turn = tuple(float(x) for x in np.degrees(angle * axis))
    place = tuple(float(x) for x in T_world_object[:3, 3])
    module = file.object.model_copy(update={"place_m": place, "turn_deg": turn})
    scene = FloatingScene((module,), file.obstacle, file.box, source, _limit(file.turn_limit, fixture, q))
    return scene, mass_properties(scene, 0)[0]


def _limit(table: TurnLimitTable | None, fixture: Array, q_world_object: Array) -> TurnLimitTable | None:
    """With its axis; it must have room for the attitude at the start."""
    if table is None:
        return None
    axis = table.axis or (float(fixture[0]), float(fixture[1]), float(fixture[2]))
    whole = table.model_copy(update={"axis": axis})
    tilt, twist = (math.degrees(x) for x in tilt_and_twist(q_world_object, packed_limit(whole)))
    for key, angle, most in (("tilt_deg", tilt, table.tilt_deg), ("twist_deg", abs(twist), table.twist_deg)):
        if most is not None and angle > most:
            raise BadInput(
                f"turn_limit.{key}: the module begins beyond it", value=f"{angle:.3g} deg at the start", bound=f"{most:g} deg",
                way_out="a larger one, or turn_limit.middle_turn_deg nearer to the attitude at which the arm holds the module",
            )  # fmt: skip
    return whole
