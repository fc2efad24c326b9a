"""What a scenario says of an arm's joints (``[joints]``), for the arm at hand: coefficients, checks, and a line for the report.

Truth (``space/joint_motors.py``), measurement (``sensors/joint_encoders.py``) and flight software (``onboard/joint_sense.py``)
take their parts from here."""

from __future__ import annotations

import math

import numpy as np

from proxops.arms.model import ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.core.joint_table import Coefficient, EncoderTable, FrictionTable, JointsTable, MotorTable
from proxops.maths.low_pass import low_pass_share


def friction_of(table: FrictionTable, craft: ArmModel) -> tuple[Floats, Floats]:
    """(n) viscous, (n) Coulomb: the table's, else the URDF's."""
    viscous = _each(table.viscous_n_m_s, craft.damping, "joints.friction.viscous_n_m_s")
    return viscous, _each(table.coulomb_n_m, craft.friction, "joints.friction.coulomb_n_m")


def step_of(encoder: EncoderTable) -> float:
    """rad; 0 for exact angles."""
    return 2.0 * math.pi / 2**encoder.bits if encoder.bits is not None else 0.0


def check_joints(table: JointsTable | None, craft: ArmModel, dt: float) -> None:
    """BadInput for joints that this arm cannot have, before anything moves. Dampings: ``check_damping``."""
    if table is None:
        return
    encoder, motor = table.encoder, table.motor
    if table.friction is not None:
        friction_of(table.friction, craft)
    turns = (encoder is not None and encoder.bits is not None) or (motor is not None and motor.ripple_n_m > 0.0)
    straight = [joint for joint in range(craft.n) if craft.pin.joints[joint + 2].shortname().startswith("JointModelP")]
    if turns and straight:
        raise BadInput(
            "joints: encoder steps and ripple are counted in turns", where=str(craft.source),
            value=craft.joints[straight[0]], bound="revolute and continuous joints",
        )  # fmt: skip
    if motor is not None and np.any(motor.ripple_n_m > craft.effort):
        weakest = int(np.argmin(craft.effort))
        raise BadInput(
            f"joints.motor.ripple_n_m: more than {craft.joints[weakest]} can give", value=f"{motor.ripple_n_m:g} N m",
            bound=f"at most {craft.effort[weakest]:g} N m",
        )  # fmt: skip
    if encoder is not None and encoder.bits is not None and encoder.rate == "differences":
        jump = step_of(encoder) / dt * low_pass_share(encoder.cutoff_hz or math.inf, dt)
        slowest = int(np.argmin(craft.speed))
        if jump > craft.speed[slowest]:
            raise BadInput(
                f"joints.encoder.bits: one step in one cycle looks faster than {craft.joints[slowest]} can turn",
                value=f"{encoder.bits} bits, {jump:.3g} rad/s", bound=f"at most {craft.speed[slowest]:.3g} rad/s",
                way_out="more bits, a lower cutoff_hz or a lower rate_hz",
            )  # fmt: skip


def joints_told(table: JointsTable, friction: bool) -> str:
    """For a report. ``friction``: as the URDF has it, if the table says nothing."""
    encoder, motor = table.encoder or EncoderTable(rate="true"), table.motor or MotorTable()
    angles = "exact" if encoder.bits is None else f"in steps of 360 deg/2^{encoder.bits}"
    rates = "true" if encoder.rate == "true" else "by differences of two readings"
    below = "" if encoder.cutoff_hz is None else f", below {encoder.cutoff_hz:g} Hz"
    late = f"{motor.delay_cycles} cycle{'s' * (motor.delay_cycles != 1)} late" if motor.delay_cycles else "at once"
    ripple = f"{motor.ripple_n_m:g} N m, {motor.ripple_per_turn:g} periods a turn" if motor.ripple_n_m else "none"
    return (
        f"Joints: angles {angles}, rates {rates}{below}; torques act {late}, ripple {ripple}; friction "
        f"{_friction_told(table.friction, friction)}."
    )


def _friction_told(table: FrictionTable | None, friction: bool) -> str:
    if table is None:
        return "as in the URDF" if friction else "none"
    viscous, coulomb = (
        "as in the URDF" if one is None else f"{one} {unit}"
        for one, unit in ((table.viscous_n_m_s, "N m s/rad"), (table.coulomb_n_m, "N m"))
    )
    share = f"{100.0 * table.compensation:g} % of it compensated by the {table.by} rate"
    return f"viscous {viscous}, Coulomb {coulomb}, {share if table.compensation else 'not compensated'}"


def _each(given: Coefficient | None, model: Floats, key: str) -> Floats:
    """(n)"""
    if given is None:
        return model
    values = np.asarray(given, dtype=np.float64)
    if values.shape not in ((), model.shape):
        raise BadInput(f"{key}: one number, or one for each joint", value=values.size, bound=f"1 or {model.size}")
    if np.any(values < 0.0):
        raise BadInput(f"{key}: friction that drives", value=values.min(), bound="0 or more")
    return np.broadcast_to(values, model.shape).copy()
