"""The docking hardware on the virtual robots: ball and drogue that truly touch, a latch, and the force sensor behind the
probe.

What the hall shows is what touches: true poses of the ports, their robots being off by an error that nobody knows. Robots
are stiff: the force does not push them aside."""

from __future__ import annotations

import math

import numpy as np

from proxops.applications.docking.bench import DockingBench
from proxops.core.messages import PERIOD_S
from proxops.lab.cell import Cell
from proxops.lab.hall_motion import port_motion
from proxops.maths.quaternion import cross, quat_inverse, turned
from proxops.maths.rotation import Array
from proxops.sensors.force_torque import ForceTorqueSensor
from proxops.sensors.virtual_force_sensor import sensor_traits
from proxops.space.contact_pair import Pair, contact_wrench
from proxops.touch.relative_motion import seen_from, wrench_at
from proxops.touch.tool_load import GRAVITY, load_wrench, true_load


class ToolMotion:
    """Motion of the sensor (it sits in port 1, with its axes) as a load feels it: attitude, rates, accelerations from cycle
    to cycle."""

    def __init__(self) -> None:
        self._before: Array | None = None
        self.q, self.w, self.alpha, self.a = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.zeros(3), np.zeros(3)

    def step(self, pose: Array, twist: Array) -> None:
        """``pose`` and ``twist`` of port 1 in the lab."""
        q_port_lab = quat_inverse(pose[3:7])
        change = np.zeros(6) if self._before is None else (twist - self._before) / PERIOD_S
        self._before = twist.copy()
        self.q[:] = pose[3:7]
        self.w, self.alpha, self.a = (
            turned(q_port_lab, v) for v in (twist[3:6].copy(), change[3:6].copy(), change[0:3].copy())
        )

    def load(self, parameters: Array) -> Array:
        """Wrench of the tool's own weight and inertia on the sensor."""
        return load_wrench(parameters, self.q, self.w, self.alpha, self.a, GRAVITY)


class DockingHardware:
    """``pair``: tip, drogue and the true law; bodies are not used. ``touch`` once a cycle."""

    def __init__(
        self, cell: Cell, pair: Pair, sensor: ForceTorqueSensor, load: Array, capture_m: float, skew_s: float = 0.0
    ) -> None:
        self._hall, self.pair, self.sensor, self._load, self._capture = cell.hall, pair, sensor, load, capture_m
        self._skew = skew_s  # by which forces are younger than their stamps say
        self._poses, self._twists = np.zeros((2, 7)), np.zeros((2, 6))
        self.pose, self.twist, self.wrench = np.zeros(7), np.zeros(6), np.zeros(6)  # truth, at the ball in client axes
        self.depth = -math.inf
        self._motion = ToolMotion()

    @property
    def latched(self) -> bool:
        return bool(self.pair[0]["latch"]["on"])

    def touch(self, t: float, axes: Array, rate: Array, error: Array) -> Array | None:
        """What the sensor reads with the robots at ``axes`` (reported; truly off by ``error``) and ``rate``; None: nothing
        sent."""
        r = self.pair[0]
        port_motion(self._hall, axes + error + self._skew * rate, rate, self._poses, self._twists)
        self._motion.step(self._poses[0], self._twists[0])
        seen_from(self._poses[0], self._twists[0], self._poses[1], self._twists[1], r["tip"], self.pose, self.twist)
        self._close_latch()
        self.depth = contact_wrench(self.pair, self.pose, self.twist, self.wrench)
        in_port = wrench_at(self.wrench, quat_inverse(self.pose[3:7]), np.zeros(3))
        in_port[3:] += cross(r["tip"].copy(), in_port[:3].copy())
        return self.sensor.read(t, in_port + self._motion.load(self._load))

    def _close_latch(self) -> None:
        latch, seat = self.pair[0]["latch"], self.pair[0]["drogue"][0]["seat_x"]
        if latch["on"] or self._capture <= 0.0:
            return
        away = math.hypot(self.pose[0] - seat, self.pose[1], self.pose[2])
        if away <= self._capture:
            latch["on"], latch["rest"] = 1, self.pose


def hardware_of(
    bench: DockingBench, cell: Cell, traits: np.random.Generator, noise: np.random.Generator, load: np.random.Generator,
    skew: np.random.Generator,
) -> DockingHardware:  # fmt: skip
    """As the scenario describes it, with errors drawn from these generators."""
    file = bench.file
    sensor = ForceTorqueSensor(sensor_traits(file.sensor, traits), noise)
    return DockingHardware(
        cell, bench.true, sensor, true_load(file.tool, load),
        file.latch.capture_mm * 1e-3 if file.latch else 0.0, file.loop.stamp_error_ms * 1e-3 * skew.uniform(-1.0, 1.0),
    )  # fmt: skip
