"""What a tool on a force sensor weighs, found from a motion of the arm.

With the virtual sensor the truth is known and told beside the result; a user's own sensor comes over UDP while the arm moves by
the wall's clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from proxops.applications.load_calibration.arm_run import driven
from proxops.applications.load_calibration.drive import RATE_HZ
from proxops.applications.load_calibration.identification import identified, noise_at_rest
from proxops.applications.load_calibration.motion import calibration_motion
from proxops.applications.load_calibration.result import Calibration, Truth
from proxops.applications.load_calibration.tool import VirtualTool
from proxops.arms.model import load_model
from proxops.core.clock import Clock, LockstepClock
from proxops.core.force_source import ForceSource, wrench_of
from proxops.core.tool_load_file import ToolLoadFile
from proxops.lab.virtual_arm import VirtualArm
from proxops.sensors.force_torque import ForceTorqueSensor, SensorTraits
from proxops.touch.force_watch import StreamTraits
from proxops.touch.tool_load import ToolLoad, load_of

EXCITATIONS: Final = {"full": 1.0, "small": 0.03}  # share of the full swing
ARM: Final = ("lwr_4plus", "flange")
OFFSET: Final = wrench_of(5.0, 0.2)  # largest constant error of the virtual sensor, drawn from the seed
DRIFT: Final = wrench_of(0.05, 0.002)  # largest, per second
RANGE: Final = wrench_of(2500.0, 400.0)  # of a user's sensor: what no reading reaches
ANY_NOISE: Final = wrench_of(1e-9, 1e-9)  # of a user's sensor: every axis of it rustles


def calibrate(tool: ToolLoadFile, excitation: float, seed: int, where: str = "") -> Calibration:
    """On the virtual sensor, in lockstep. BadInput names what is wrong with the tool or what the motion does not show."""
    load, model = load_of(tool, where), load_model(*ARM)
    q = calibration_motion(model, excitation).q
    arm_rng, sensor_rng = np.random.default_rng(seed).spawn(2)
    offset, drift = OFFSET * sensor_rng.uniform(-1, 1, 6), DRIFT * sensor_rng.uniform(-1, 1, 6)
    traits, hung = SensorTraits(offset=offset, drift=drift), list[VirtualTool]()

    def hang(arm: VirtualArm) -> VirtualTool:
        hung.append(VirtualTool(model, arm, load, ForceTorqueSensor(traits, sensor_rng)))
        return hung[0]

    stream = StreamTraits(traits.range, traits.noise, traits.resolution, traits.rate_hz)
    recorded = driven(model, q, arm_rng, hang, stream, LockstepClock())
    done = identified(tool.name, model, recorded, traits.noise)
    biases = np.array(hung[0].biases)[np.isin(recorded.stamp, done.t)]
    return replace(done, truth=Truth(load, biases.mean(axis=0)))


def calibrate_sensor(
    name: str, excitation: float, seed: int, source: ForceSource, rate_hz: float, clock: Clock
) -> Calibration:
    """On a user's own sensor, whose noise is what it shows while the arm stands. ``seed``: of the encoders."""
    model = load_model(*ARM)
    q = calibration_motion(model, excitation).q
    stream = StreamTraits(RANGE, ANY_NOISE, np.zeros(6), rate_hz)
    recorded = driven(model, q, np.random.default_rng(seed), lambda arm: source, stream, clock)
    return identified(name, model, recorded, noise_at_rest(recorded))


def rehearse() -> None:
    """A moment on the virtual sensor: all that the loop calls is compiled before a clock runs."""
    model, load = load_model(*ARM), ToolLoad(1.0, np.zeros(3), 0.01 * np.eye(3))
    rng = np.random.default_rng(0)

    def hang(arm: VirtualArm) -> VirtualTool:
        return VirtualTool(model, arm, load, ForceTorqueSensor(SensorTraits(), rng))

    home, stream = calibration_motion(model).q[:1], StreamTraits(RANGE, ANY_NOISE, np.zeros(6), RATE_HZ)
    driven(model, home, rng, hang, stream, LockstepClock())
