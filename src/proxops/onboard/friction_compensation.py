"""Flight software adds the friction that it expects to the torques of a law: a share of Coulomb's and viscous friction.

By the measured rate it cannot help a joint that sticks, for which it expects no friction; by the demanded one it can."""

from __future__ import annotations

import numpy as np

from proxops.arms.held_base import put_friction
from proxops.arms.joint_traits import friction_of
from proxops.arms.model import ArmModel, Floats
from proxops.core.joint_table import FrictionTable


class FrictionCompensation:
    """``viscous``, ``coulomb``: what is compensated, N m s/rad and N m; ``sliding``: rad/s, below which Coulomb's part grows with
    the rate instead of jumping; ``by_demand``: goes by demanded, not by measured rates."""

    def __init__(self, viscous: Floats, coulomb: Floats, sliding: float, *, by_demand: bool) -> None:
        self._viscous, self._coulomb, self._sliding, self.by_demand = viscous, coulomb, sliding, by_demand
        self._out = np.zeros(viscous.size)

    def torques(self, rates: Floats) -> Floats:
        """(n) N m; memory is used again."""
        put_friction(rates, self._viscous, self._coulomb, self._sliding, self._out)
        return self._out


def compensation_by(table: FrictionTable | None, model: ArmModel) -> FrictionCompensation | None:
    """As a scenario has it; None if nothing is compensated."""
    if table is None or table.compensation == 0.0:
        return None
    viscous, coulomb = (table.compensation * one for one in friction_of(table, model))
    return FrictionCompensation(viscous, coulomb, table.sliding_rad_s, by_demand=table.by == "demanded")
