"""The force of a docking's contact: the sensor's reading without load and bias, watched and within limits."""

from __future__ import annotations

import numpy as np

from proxops.applications.docking.bench import DockingBench
from proxops.applications.docking.hardware import DockingHardware, ToolMotion
from proxops.facility.facility import Facility
from proxops.maths.rotation import Array
from proxops.safety.rules import Rule, Stop
from proxops.touch.force_limits import ForceLimits, LoadVerdict
from proxops.touch.force_watch import ForceWatch
from proxops.touch.relative_motion import wrench_at
from proxops.touch.zeroing import Zeroing


class FeltForce:
    """``wrench`` (6) on the chaser at the ball's centre in client axes: the newest there was; ``fresh``: in this cycle."""

    def __init__(self, bench: DockingBench, facility: Facility, hardware: DockingHardware) -> None:
        limits = bench.file.limits
        self._bench, self._facility, self.hardware = bench, facility, hardware
        self._watch = ForceWatch(bench.stream)
        self._limits = ForceLimits(limits.retract_N, limits.stop_N, limits.retract_Nm, limits.stop_Nm)
        self._zero = Zeroing(np.zeros(6), time_constant_s=1.0, drift_goes_on=True)
        self._motion, self._tip = ToolMotion(), bench.pair[0]["tip"]
        self.wrench, self.fresh = np.zeros(6), True

    @property
    def bias(self) -> Array:
        return self._zero.bias

    def rezero(self) -> None:
        """Nothing touches: what is read now is none."""
        self._zero.rezero()

    def step(self, t: float, sensor: tuple[Array, Array], attitude: Array, free_flight: bool) -> Stop | None:
        """One cycle. ``sensor``: pose and twist of port 1 in the lab; ``attitude``: the chaser's, from the client."""
        f = self._facility
        reading = self.hardware.touch(t, f.actual, f.actual_rate, f.link.positioning_error)
        fault = self._watch.step(t, self.hardware.sensor.latest(t))
        load = self._motion.load(*sensor, self._bench.load)
        if fault:
            return Stop(Rule.FORCE_SENSOR, detail=fault)
        self.fresh = reading is not None  # not long enough for a fault: the last one is held, nothing is learnt from it
        if reading is not None:
            external = self._zero.step(reading - load, free_flight)
            self.wrench = wrench_at(external, attitude, self._tip)
        return None

    def verdict(self) -> LoadVerdict:
        """On the newest wrench."""
        return self._limits.judge(self.wrench)
