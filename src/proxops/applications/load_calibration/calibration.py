"""What a tool on the virtual force sensor weighs, found from a motion of the arm. The truth is known and told beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from proxops.applications.load_calibration.arm_run import driven
from proxops.applications.load_calibration.identification import identified
from proxops.applications.load_calibration.motion import HOME_DEG, calibration_motion
from proxops.applications.load_calibration.record import CalibrationSamples
from proxops.applications.load_calibration.result import Calibration, SensorTruth
from proxops.applications.load_calibration.tool import VirtualTool, drawn_traits, stream_of
from proxops.arms.model import load_model
from proxops.core.clock import LockstepClock
from proxops.core.tool_load_file import ToolLoadFile
from proxops.ground.row_stream import RowStream
from proxops.lab.virtual_arm import VirtualArm
from proxops.sensors.force_torque import ForceTorqueSensor, SensorTraits
from proxops.touch.tool_load import ToolLoad, load_of

EXCITATIONS: Final = {"full": 1.0, "small": 0.03}  # share of the full swing
ARM: Final = ("lwr_4plus", "flange")


def calibrate(
    tool: ToolLoadFile, excitation: float, seed: int, where: str = "", log: RowStream | None = None
) -> Calibration:
    """In lockstep. BadInput names what is wrong with the tool or what the motion does not show."""
    load, model = load_of(tool, where), load_model(*ARM)
    q = calibration_motion(model, excitation).q
    arm_rng, sensor_rng = np.random.default_rng(seed).spawn(2)
    traits, hung, out = drawn_traits(sensor_rng), list[VirtualTool](), list[Calibration]()

    def hang(arm: VirtualArm) -> VirtualTool:
        hung.append(VirtualTool(model, arm, load, ForceTorqueSensor(traits, sensor_rng)))
        return hung[0]

    def found(recorded: CalibrationSamples) -> Calibration:
        done = identified(tool.name, model, recorded, traits.noise)
        biases = np.array(hung[0].biases)[np.isin(recorded.stamp, done.t)]
        out.append(replace(done, truth=SensorTruth(load, biases.mean(axis=0))))
        return out[0]

    driven(model, q, arm_rng, hang, stream_of(traits), LockstepClock(), log, found)
    return out[0]


def rehearse() -> None:
    """A moment on the virtual sensor: all that the loop calls is compiled before a clock runs."""
    model, load = load_model(*ARM), ToolLoad(1.0, np.zeros(3), 0.01 * np.eye(3))
    rng, traits = np.random.default_rng(0), SensorTraits()

    def hang(arm: VirtualArm) -> VirtualTool:
        return VirtualTool(model, arm, load, ForceTorqueSensor(traits, rng))

    driven(model, model.angles(HOME_DEG, "home")[None], rng, hang, stream_of(traits), LockstepClock())
