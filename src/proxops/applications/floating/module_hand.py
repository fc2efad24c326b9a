"""The module on the flange as a force sensor between the two feels it: a hand's push, its own weight, its inertia."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.compliant_arm import TouchedArm, touched_arm
from proxops.applications.floating.flange_load import FlangeLoad, at_flange
from proxops.applications.floating.tables import FloatSensorTable
from proxops.core.channel import LOOPBACK
from proxops.core.force_source import ForceSample, ForceStream
from proxops.lab.redundant_arm import SrsArm
from proxops.maths.rotation import Array
from proxops.sensors.force_torque import ForceTorqueSensor
from proxops.sensors.virtual_force_sensor import put_fault
from proxops.touch.force_port import ForcePort
from proxops.touch.push import Push

NO_PUSH: Final = np.zeros(6)
NO_PUSH.flags.writeable = False


class Hand:
    """Pushes, scripted and live, world axes about the module's frame."""

    def __init__(self, pushes: tuple[Push, ...]) -> None:
        self.pushes = list(pushes)

    def add(self, push: Push) -> None:
        """A live one. Those long over are forgotten."""
        self.pushes = [old for old in self.pushes if old.over_s > push.at_s - 60.0] + [push]

    def wrench(self, t: float) -> Array:
        """At a time; ``NO_PUSH`` itself while nobody pushes."""
        total: Array = NO_PUSH
        for push in self.pushes:
            if push.at_s <= t < push.over_s:
                total = total + push.wrench(t)
        return total


class VirtualModule:
    """What the virtual sensor reads with the arm in its true motion. A ``ForceSource`` and a ``ForceStream``."""

    def __init__(
        self, arm: SrsArm, T_world_base: Array, T_flange_object: Array, touched: TouchedArm, sensor: ForceTorqueSensor, hand: Hand
    ) -> None:  # fmt: skip
        self._arm, self._T_world_base = arm, T_world_base
        self._p_flange_object = T_flange_object[:3, 3].copy()
        self._load, self.sensor, self.hand = FlangeLoad(arm, T_world_base, touched.hung), sensor, hand
        self.touched = touched
        self._handed: ForceSample | None = None
        self.pushed: Array = NO_PUSH  # truly, world axes about the module's frame

    def feel(self, t: float, joints: Array, rates: Array, accelerations: Array, believed: Array) -> None:
        """One reading. ``believed``: accelerations of the joints as they were commanded."""
        own = self._load.wrench(joints, rates, accelerations)
        self.pushed = self.hand.wrench(t)
        pushed = self.pushed is not NO_PUSH
        in_flange = at_flange(self.pushed, self._load.quat, self._p_flange_object) if pushed else None
        reading = self.touched.reading(joints, rates, accelerations, believed, own, in_flange)
        self.sensor.read(t, reading)

    def put_fault(self, table: FloatSensorTable, flight_s: float) -> None:
        """The sensor's fault that the scenario states, from its time on."""
        put_fault(self.sensor, table, flight_s)

    def latest(self, t: float) -> ForceSample | None:
        return self.sensor.latest(t)

    def arrived(self, t: float) -> tuple[ForceSample, ...]:
        sample = self.sensor.latest(t)
        if sample is None or sample is self._handed:
            return ()
        self._handed = sample
        return (sample,)

    def close(self) -> None:
        """Nothing is open."""


def sensed(
    bench: FloatBench, hand: Hand, noise: np.random.Generator, load: np.random.Generator, joints: np.random.Generator
) -> tuple[ForceStream, VirtualModule | None]:  # fmt: skip
    """The force sensor of the scenario: one of the network, or a virtual one with what hangs on it."""
    table = bench.file.sensor
    if table.source == "network":
        return ForcePort((LOOPBACK, table.port)), None
    sensor = ForceTorqueSensor(bench.sensor.traits, noise)
    touched = touched_arm(bench.file, bench.model, bench.T_world_base, load, joints)
    module = VirtualModule(bench.arm, bench.T_world_base, bench.T_flange_object, touched, sensor, hand)
    return module, module
