"""Encoders in the joints of a free-floating arm: angles in steps of a turn."""

from __future__ import annotations

from proxops.arms.joint_traits import step_of
from proxops.arms.model import Floats
from proxops.core.joint_table import JointsTable
from proxops.lab.encoders import stepped


class JointEncoders:
    """As a scenario has them; exact without a table."""

    def __init__(self, table: JointsTable | None) -> None:
        self._step = 0.0 if table is None or table.encoder is None else step_of(table.encoder)  # rad

    def reading(self, joints: Floats) -> Floats:
        """(n) rad, of true angles."""
        return stepped(joints, self._step)
