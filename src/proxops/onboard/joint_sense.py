"""What flight software makes of encoder readings and of friction in the joints, as a scenario has it."""

from __future__ import annotations

from collections.abc import Callable

from proxops.arms.model import ArmModel, Floats
from proxops.core.joint_table import JointsTable
from proxops.onboard.friction_compensation import compensation_by
from proxops.onboard.joint_rates import rates_by


class JointSense:
    """``angles``: the first reading, at time zero. ``model``: has the friction that is compensated, where the table has none of
    its own. Without a table rates are known as they are and nothing is added to a law's torques."""

    def __init__(self, table: JointsTable | None, model: ArmModel, angles: Floats) -> None:
        table = table or JointsTable()
        self._rates = rates_by(table.encoder, angles)
        self._compensation = compensation_by(table.friction, model)

    def rates(self, t: float, angles: Floats, true: Floats) -> Floats:
        """(n) rad/s at ``t``, from readings, once in a cycle; or the true ones."""
        return true if self._rates is None else self._rates.step(angles, t)

    def told(self, torques: Floats, rates: Floats, demanded: Callable[[], Floats]) -> Floats:
        """(n) N m for the motors: a law's ``torques`` and what is added against friction, by ``rates`` or those ``demanded``."""
        if self._compensation is None:
            return torques
        return torques + self._compensation.torques(demanded() if self._compensation.by_demand else rates)
