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
from proxops.lab.coordinates import HallRecord
from proxops.lab.hall_motion import port_motion
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_inverse, turned
from proxops.maths.rotation import Array
from proxops.sensors.force_torque import ForceTorqueSensor
from proxops.sensors.virtual_force_sensor import sensor_traits
from proxops.space.contact_pair import Pair, contact_wrench
from proxops.touch.relative_motion import seen_from, wrench_at
from proxops.touch.tool_load import GRAVITY, load_wrench, true_load


class ToolMotion:
    """Motion of the sensor (it sits in port 1, with its axes) as a load feels it: accelerations from cycle to cycle."""

    def __init__(self) -> None:
        self._before, self._begun = np.zeros(6), False  # twist of the cycle before

    def load(self, pose: Array, twist: Array, parameters: Array) -> Array:
        """One cycle on, with ``pose`` and ``twist`` of port 1 in the lab: wrench of the tool's own weight and inertia on the
        sensor."""
        wrench = moved_load(pose, twist, self._begun, self._before, parameters, GRAVITY)
        self._begun = True
        return wrench


@kernel
def moved_load(pose: Array, twist: Array, begun: bool, before: Array, parameters: Array, gravity: Array) -> Array:
    """Of the change from the twist ``before`` to this one, which it becomes; without one before there is no acceleration."""
    change = (twist - before) / PERIOD_S if begun else np.zeros(6)
    before[:] = twist
    q_port_lab = quat_inverse(pose[3:7])
    w, alpha, a = turned(q_port_lab, twist[3:6]), turned(q_port_lab, change[3:6]), turned(q_port_lab, change[0:3])
    return load_wrench(parameters, pose[3:7], w, alpha, a, gravity)


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
        self._closed = pair["latch"]["on"]
        self._motion = ToolMotion()

    @property
    def latched(self) -> bool:
        return bool(self._closed[0])

    def touch(self, t: float, axes: Array, rate: Array, error: Array) -> Array | None:
        """What the sensor reads with the robots at ``axes`` (reported; truly off by ``error``) and ``rate``; None: nothing
        sent."""
        put_ports(
            self._hall, axes, error, self._skew, rate, self.pair, self._capture, self._poses, self._twists, self.pose, self.twist,
        )  # fmt: skip
        load = self._motion.load(self._poses[0], self._twists[0], self._load)
        self.depth = put_sensed(self.pair, self.pose, self.twist, self.wrench, load)
        return self.sensor.read(t, load)


@kernel
def put_ports(
    hall: HallRecord, axes: Array, error: Array, skew_s: float, rate: Array, pair: Pair, capture_m: float, poses: Array,
    twists: Array, pose: Array, twist: Array,
) -> None:  # fmt: skip
    """Both ports as they truly are, in the lab; ``pose``, ``twist``: of the ball from the client. Closes the latch of ``pair``
    if the ball is within ``capture_m`` of its seat (0: there is none)."""
    port_motion(hall, axes + error + skew_s * rate, rate, poses, twists)
    r = pair[0]
    seen_from(poses[0], twists[0], poses[1], twists[1], r.tip, pose, twist)
    if r.latch.on or capture_m <= 0.0:
        return
    if math.hypot(math.hypot(pose[0] - r.drogue[0].seat_x, pose[1]), pose[2]) <= capture_m:
        r.latch.on = 1
        for i in range(7):
            r.latch.rest[i] = pose[i]


@kernel
def put_sensed(pair: Pair, pose: Array, twist: Array, wrench: Array, sensed: Array) -> float:
    """``wrench`` of the contact at the ball, client axes; ``sensed``, the load's wrench, plus the contact's at the sensor.
    Returns the depth, m."""
    deep = contact_wrench(pair, pose, twist, wrench)
    in_port = wrench_at(wrench, quat_inverse(pose[3:7]), np.zeros(3))
    in_port[3:] += cross(pair[0].tip, in_port[:3])
    for i in range(6):
        sensed[i] = in_port[i] + sensed[i]
    return deep


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
