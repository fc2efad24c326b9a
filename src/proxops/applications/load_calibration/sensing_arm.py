"""The virtual arm of the FZI cell behind its link, with a force sensor on its flange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from proxops.applications.load_calibration.motion import SPEED_UP_S, flange_pose
from proxops.arms.model import ArmModel, Floats
from proxops.core.clock import Clock
from proxops.core.force_source import ForceSource
from proxops.lab.arm_cell import ArmCell
from proxops.lab.driven_cell import DrivenArm, driven_cell
from proxops.lab.links.arm_position import ArmPositionLink
from proxops.lab.virtual_arm import ArmTraits, VirtualArm

CELL: Final = "fzi"
Hang = Callable[[VirtualArm], ForceSource]
"""Put a sensor with its tool on the arm."""


@dataclass(frozen=True, eq=False)
class SensingArm:
    """Where it stands, how set-points reach it, and what its sensor says."""

    cell: ArmCell
    link: ArmPositionLink
    source: ForceSource


def sensing_arm(model: ArmModel, start: Floats, rng: np.random.Generator, hang: Hang, clock: Clock) -> SensingArm:
    """``start``: joints; ``rng``: of the encoders."""
    traits = arm_traits(model)
    cell = driven_cell(DrivenArm(traits, start, partial(flange_pose, model), np.eye(4)), CELL)
    link = ArmPositionLink.virtual(cell, traits, clock, rng)
    return SensingArm(cell, link, hang(link.arm))


def arm_traits(model: ArmModel) -> ArmTraits:
    return ArmTraits(model.joints, model.lower, model.upper, model.speed, model.speed / SPEED_UP_S)
