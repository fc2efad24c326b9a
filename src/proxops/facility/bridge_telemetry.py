"""What is told of the bridge every cycle: its group in the pool, and the status datagram to the client."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.bridge.relative import in_client_frame, relative_of_ports
from proxops.core.bridge_datagram import BridgeStatus
from proxops.core.datagram import Refusal
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone
from proxops.facility.bridge_port import BridgePort
from proxops.facility.bridged import Bridged
from proxops.facility.facility import Facility
from proxops.maths.pose import pack_pose

NAN: Final = math.nan
NO_POSE: Final = (NAN,) * 7


class BridgeTelemetry:
    """Reads the bridge when it has the hall, and says that it has not when it has not."""

    def __init__(self, facility: Facility, port: BridgePort) -> None:
        self._f, self._port = facility, port
        pool = facility.pool
        self._write = pool.writer("bridge")
        self._commanded, self._shown = pool.run("commanded_relative"), pool.run("shown_relative")
        self._asked = pool.run("asked_port1")
        self._actual1, self._actual2 = pool.run("actual_port1"), pool.run("actual_port2")
        self._relative, self._chaser, self._target = np.zeros(7), np.zeros(7), np.zeros(7)
        self._T = np.eye(4)
        self._idle()

    @property
    def _bridged(self) -> Bridged | None:
        return self._f.motion if isinstance(self._f.motion, Bridged) else None

    def _idle(self) -> None:
        self._write(
            Phase.IDLE, Standstill.NOT_SELECTED, InputState.EMPTY, Zone.GREEN, Zone.GREEN, 0, 0, 0, -1,
            0, 0, 0, 0, self._port.refused & 0xFFFFFFFF, 0, *(NAN,) * 9,
        )  # fmt: skip
        self._commanded[:] = self._shown[:] = self._asked[:] = NAN

    def publish(self) -> None:
        """Fill the bridge's part of the pool."""
        b = self._bridged
        if b is None:
            self._idle()
            return
        f = b.filter
        self._write(
            b.phase, b.cause, f.state, b.commanded_zone, b.actual_zone, b.converged, b.rule, b.placed,
            b.sample.sequence if b.sample else -1, f.taken & 0xFFFFFFFF, f.lost & 0xFFFFFFFF,
            f.extrapolated_count & 0xFFFFFFFF, f.stale & 0xFFFFFFFF, self._port.refused & 0xFFFFFFFF,
            f.doubled & 0xFFFFFFFF, *b.left, b.commanded_clearance_m, b.actual_clearance_m, b.yellow_m, b.phi, b.cost,
            b.pace,
        )  # fmt: skip
        b.tell_poses(self._commanded, self._shown, self._T)
        if b.placed:
            pack_pose(self._T, self._asked)
        else:
            self._asked[:] = NAN

    def answer(self) -> None:
        """The status of this cycle, to the client."""
        self._port.answer(self._status())

    def _status(self) -> BridgeStatus:
        facility, b, clock = self._f, self._bridged, self._f.clock
        if b is None or b.sample is None:
            phase, cause = (Phase.IDLE, Standstill.NOT_SELECTED) if b is None else (b.phase, b.cause)
            zone = Zone.GREEN if b is None else b.actual_zone
            clearance = NAN if b is None else b.actual_clearance_m
            return BridgeStatus(
                phase, InputState.EMPTY, Zone.GREEN, zone, cause, facility.mode, facility.rule_number, Refusal.NONE,
                0, 0, clock.utc_ns(), clock.tick, NAN, NAN, NAN, NAN, clearance, NAN, NO_POSE, NO_POSE,
                refused=self._port.refused,
            )  # fmt: skip
        relative_of_ports(self._actual1, self._actual2, self._relative)
        in_client_frame(b.sample.T_client_target, self._relative, self._port.scale, self._chaser, self._target)
        f = b.filter
        return BridgeStatus(
            b.phase, f.state, b.commanded_zone, b.actual_zone, b.cause, facility.mode, b.rule, Refusal.NONE,
            b.sample.sequence, b.sample.sent_ns, clock.utc_ns(), clock.tick, *b.left, b.commanded_clearance_m,
            b.actual_clearance_m, b.yellow_m, tuple(self._chaser.tolist()), tuple(self._target.tolist()),
            f.taken, f.lost, f.extrapolated_count, f.stale, self._port.refused, f.doubled,
            converged=b.converged, moving=facility.guard.moving or facility.mode is Mode.HALTING,
            velocities_used=b.sample.velocity is not None,
        )  # fmt: skip
