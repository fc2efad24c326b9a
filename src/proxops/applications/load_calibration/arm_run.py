"""The arm of the FZI cell, driven along a calibration motion by the facility."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from proxops.applications.load_calibration.drive import CalibrationDrive, Recorded
from proxops.applications.load_calibration.motion import SPEED_UP_S, flange_pose
from proxops.arms.model import ArmModel, Floats
from proxops.core.clock import Clock
from proxops.core.errors import Refused
from proxops.core.force_source import ForceSource
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.loop import Loop, Stopped
from proxops.lab.driven_cell import DrivenArm, driven_cell
from proxops.lab.links.arm_position import ArmPositionLink
from proxops.lab.virtual_arm import ArmTraits, VirtualArm
from proxops.touch.force_watch import StreamTraits

CELL: Final = "fzi"


def arm_traits(model: ArmModel) -> ArmTraits:
    return ArmTraits(model.joints, model.lower, model.upper, model.speed, model.speed / SPEED_UP_S)


def driven(
    model: ArmModel, q: Floats, rng: np.random.Generator, sensor: Callable[[VirtualArm], ForceSource], stream: StreamTraits,
    clock: Clock,
) -> Recorded:  # fmt: skip
    """Move the arm of the FZI cell, which is virtual, along ``q`` by the facility. Refused, with the arm at rest, by whatever is
    wrong with the sensor or the arm, and by Ctrl-C."""
    traits = arm_traits(model)
    cell = driven_cell(DrivenArm(traits, q[0], partial(flange_pose, model), np.eye(4)), CELL)
    link = ArmPositionLink.virtual(cell, traits, clock, rng)
    source = sensor(link.arm)
    loop = Loop(build(cell, clock, seed=0, record=None, link=link))
    drives: list[CalibrationDrive] = []

    def work() -> None:
        desk = loop.hall.desk
        desk.drives(True)
        try:
            loop.until(Mode.READY, "drives on")
            drives.append(CalibrationDrive(link, source, stream, q))
            desk.begin(drives[0])
            loop.until(Mode.READY, "calibration")
        except Stopped:
            pass

    ran = loop.run(work)
    why = "interrupted" if loop.asked else (drives[0].fault if drives else "") or str(ran.stop or "")
    if why:
        raise Refused(f"load calibration: {why}")
    return drives[0].recorded(ran.missed)
