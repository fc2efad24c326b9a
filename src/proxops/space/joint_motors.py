"""Motors of an arm's joints between the torque they are told and the one they give: late by whole cycles, and with ripple.

    τ(k) = τ_told(k − n) + a sin(m q(k))          n cycles late; amplitude a, m periods in one turn of the joint

Ripple (cogging, commutation, teeth of a gear) belongs to places of the rotor, so it runs with the joint's angle: at a rate ω
its frequency is m ω / 2π, and a joint at rest feels a constant torque. The torque is held over a cycle, ripple included. Before
the first command has arrived the motors give none."""

from __future__ import annotations

import numpy as np

from proxops.arms.joint_traits import friction_of
from proxops.arms.model import ArmModel, Floats
from proxops.core.joint_table import JointsTable, MotorTable
from proxops.space.free_floating import JointHardware, hardware_of


class JointMotors:
    """``give`` once per cycle."""

    def __init__(self, n: int, table: JointsTable | None) -> None:
        """As a scenario has them; without a table they give what they are told."""
        self._ideal, motor = table is None or table.motor is None, (table and table.motor) or MotorTable()
        self._under_way = np.zeros((motor.delay_cycles + 1, n))  # a ring: a row for each cycle of delay, one to write
        self._cycle, self._amplitude, self._periods = 0, motor.ripple_n_m, motor.ripple_per_turn

    def give(self, told: Floats, joints: Floats) -> Floats:
        """(n) N m at the joints' true angles."""
        if self._ideal:
            return told
        ring = self._under_way
        ring[self._cycle % len(ring)] = told
        self._cycle += 1
        out: Floats = ring[self._cycle % len(ring)] + self._amplitude * np.sin(self._periods * joints)
        return out


def hardware_by(craft: ArmModel, friction: bool, table: JointsTable | None) -> JointHardware:
    """Of the craft. ``friction``: as the URDF has it, if the table says nothing."""
    if table is None or table.friction is None:
        return hardware_of(craft, friction=friction)
    return hardware_of(craft, friction=friction_of(table.friction, craft))
