"""How hard the hall may be touched: force and torque from outside, two levels each. At the first the robots retract, at the
second they stop. The verdict names the rule, the value, the bound and the margin; whoever commands the robots acts on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from proxops.core.errors import BadInput
from proxops.core.force_source import Floats


class Overload(IntEnum):
    """What has to be done; the greater wins."""

    NONE = 0
    RETRACT = 1
    STOP = 2


class LoadVerdict(NamedTuple):
    """``margin``: the least share of a bound that is left before the next level; negative once it is passed."""

    level: Overload
    rule: str  # empty at NONE
    value: float
    bound: float
    unit: str
    margin: float

    def __str__(self) -> str:
        if self.level is Overload.NONE:
            return f"within limits, margin {100.0 * self.margin:.0f} %"
        return f"{self.rule}: {self.value:.4g} {self.unit}, allowed {self.bound:.4g} {self.unit} ({self.level.name.lower()})"


@dataclass(frozen=True)
class ForceLimits:
    """Lengths of the force (N) and of the torque (N m) from outside."""

    retract_n: float
    stop_n: float
    retract_nm: float
    stop_nm: float

    def __post_init__(self) -> None:
        for what, retract, stop in (
            ("force", self.retract_n, self.stop_n),
            ("torque", self.retract_nm, self.stop_nm),
        ):
            if not 0.0 < retract <= stop < math.inf:
                raise BadInput(
                    f"force limits: {what}",
                    value=f"retract {retract:g}, stop {stop:g}",
                    bound="0 < retract <= stop, finite",
                )

    def judge(self, external: Floats) -> LoadVerdict:
        """``external``: wrench (6) on the tool from outside, load and bias taken off. What is no number stops."""
        fx, fy, fz, tx, ty, tz = external.tolist()
        force, torque = math.hypot(fx, fy, fz), math.hypot(tx, ty, tz)
        if not (force < self.retract_n and torque < self.retract_nm):  # also of what is no number
            return self._beyond(force, torque)
        left_n, left_nm = 1.0 - force / self.retract_n, 1.0 - torque / self.retract_nm
        if left_n <= left_nm:
            return LoadVerdict(Overload.NONE, "", force, self.retract_n, "N", left_n)
        return LoadVerdict(Overload.NONE, "", torque, self.retract_nm, "N m", left_nm)

    def _beyond(self, force: float, torque: float) -> LoadVerdict:
        """The first limit that is broken, the worst ones first."""
        for level, allowed_n, allowed_nm in (
            (Overload.STOP, self.stop_n, self.stop_nm),
            (Overload.RETRACT, self.retract_n, self.retract_nm),
        ):
            for what, value, bound, unit in (("force", force, allowed_n, "N"), ("torque", torque, allowed_nm, "N m")):
                if not value < bound:
                    return LoadVerdict(level, f"{what} limit", value, bound, unit, 1.0 - value / bound)
        raise AssertionError("a load was refused without a limit")
