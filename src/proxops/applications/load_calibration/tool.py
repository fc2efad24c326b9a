"""A tool on a virtual arm as a virtual force sensor under it reads it: the truth of a calibration.

Rigid bodies are Pinocchio's: the formula that identification uses (touch/tool_load.py) has no part in this. Amplifiers average
over their period, so a reading is the mean since the one before: made half a period before it is stamped.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.load_calibration.motion import CalibrationMotion, FlangeKinematics
from proxops.arms.model import ArmModel, Floats
from proxops.core.force_source import ForceSample, wrench_of
from proxops.lab.virtual_arm import VirtualArm
from proxops.sensors.force_torque import ForceTorqueSensor, SensorTraits
from proxops.touch.force_watch import StreamTraits
from proxops.touch.tool_load import GRAVITY, ToolLoad

OFFSET: Final = wrench_of(5.0, 0.2)  # largest constant error of the virtual sensor
DRIFT: Final = wrench_of(0.05, 0.002)  # largest, per second


def drawn_traits(rng: np.random.Generator) -> SensorTraits:
    """A virtual sensor with errors of its own."""
    offset, drift = OFFSET * rng.uniform(-1, 1, 6), DRIFT * rng.uniform(-1, 1, 6)
    return SensorTraits(offset=offset, drift=drift)


def stream_of(traits: SensorTraits) -> StreamTraits:
    """What is expected of its readings."""
    return StreamTraits(traits.range, traits.noise, traits.resolution, traits.rate_hz)


class VirtualTool:
    """A ``ForceSource``. ``biases``: the sensor's true ones, one for each reading."""

    def __init__(self, model: ArmModel, arm: VirtualArm, truth: ToolLoad, sensor: ForceTorqueSensor) -> None:
        self._arm, self.sensor = arm, sensor
        self._course, self._row, self._held = FlangeKinematics(model), np.empty(16), HeldTool(truth)
        self._t, self._angles, self._rates = arm.t, arm.angles.copy(), arm.rates.copy()
        self.biases: list[Floats] = []

    def latest(self, t: float) -> ForceSample | None:
        """One reading for each cycle of the arm."""
        arm = self._arm
        passed = arm.t - self._t
        if passed > 0.0 or not self.biases:
            acceleration = (arm.rates - self._rates) / passed if passed > 0.0 else arm.accelerations
            self.sensor.read(
                arm.t, self._wrench(0.5 * (arm.angles + self._angles), 0.5 * (arm.rates + self._rates), acceleration)
            )
            self.biases.append(self.sensor.bias)
            self._t, self._angles, self._rates = arm.t, arm.angles.copy(), arm.rates.copy()
        return self.sensor.latest(t)

    def _wrench(self, angles: Floats, rates: Floats, accelerations: Floats) -> Floats:
        row = self._row
        self._course.put(angles, rates, accelerations, row)
        return self._held.wrench(row[3:7], row[7:10], row[10:13], row[13:])


class HeldTool:
    """What a tool puts on the sensor under it, by Pinocchio's spatial inertia: minus what the sensor has to hold it with."""

    def __init__(self, truth: ToolLoad) -> None:
        import pinocchio

        self._body = pinocchio.Inertia(truth.mass, truth.com, truth.inertia)

    def wrench(self, q: Floats, w: Floats, alpha: Floats, a: Floats) -> Floats:
        """(6) of one row of a ``CalibrationMotion``."""
        import pinocchio

        R = pinocchio.Quaternion(*q).toRotationMatrix()
        v = pinocchio.Motion(np.zeros(3), w)  # an observer who moves along with the sensor's origin: only its a counts
        spatial = pinocchio.Motion(a - R.T @ GRAVITY, alpha)
        out: Floats = -(self._body * spatial + v.cross(self._body * v)).vector
        return out


def true_wrenches(truth: ToolLoad, motion: CalibrationMotion) -> Floats:
    """(n, 6) that the tool puts on the sensor along a motion."""
    held = HeldTool(truth)
    rows = zip(motion.attitude, motion.w, motion.alpha, motion.a, strict=True)
    return np.array([held.wrench(*row) for row in rows])
