"""What is told of the bridge every cycle: its groups in the pool, and the status datagram to the client."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from proxops.bridge.relative import in_client_frame, relative_of_ports
from proxops.core.bridge_datagram import status_body
from proxops.core.messages import POSE
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone
from proxops.facility.bridge_port import BridgePort
from proxops.facility.bridged import Bridged
from proxops.facility.facility import Facility
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.rules import Rule

NAN: Final = math.nan
NO_POSE: Final = (NAN,) * 7
NO_NUMBERS: Final = (NAN,) * 6
U32: Final = 0xFFFFFFFF


@kernel
def _in_client_frame(anchor: Array, port1: Array, port2: Array, scale: float, poses: Array) -> None:
    """Actual poses of chaser and target (2, 7) in the client's frame, as on the wire."""
    relative = np.empty(7)
    relative_of_ports(port1, port2, relative)
    in_client_frame(anchor, relative, scale, poses[0], poses[1])


class BridgeTelemetry:
    """Reads the bridge when it has the hall, and says that it has not when it has not."""

    def __init__(self, facility: Facility, port: BridgePort) -> None:
        self._f, self._port = facility, port
        pool = facility.pool
        self._write = pool.writer("bridge")
        self._poses = pool.run("commanded_relative", count=3 * len(POSE))  # and what is shown, and what is asked
        self._actual1, self._actual2 = pool.run("actual_port1"), pool.run("actual_port2")
        self._in_client_frame = np.zeros((2, 7))
        self._counters: tuple[int, ...] = (0,) * 6
        self._numbers: tuple[float, ...] = NO_NUMBERS
        self.publish()

    def publish(self) -> None:
        """Fill the bridge's part of the pool."""
        b = self._f.motion
        if not isinstance(b, Bridged):
            self._counters, self._numbers = (0, 0, 0, 0, self._port.refused & U32, 0), NO_NUMBERS
            self._write(
                Phase.IDLE, Standstill.NOT_SELECTED, InputState.EMPTY, Zone.GREEN, Zone.GREEN, 0, 0, 0, -1,
                *self._counters, *self._numbers, NAN, NAN, NAN,
            )  # fmt: skip
            self._poses[:] = NAN
            return
        if self._f.mode is Mode.HALTING:
            b.note_limit()
        f = b.filter
        self._counters = (
            f.taken & U32, f.lost & U32, f.extrapolated_count & U32, f.stale & U32, self._port.refused & U32, f.doubled & U32,
        )  # fmt: skip
        self._numbers = (*b.left, b.commanded_clearance_m, b.actual_clearance_m, b.yellow_m)
        self._write(
            b.phase, b.cause, f.state, b.commanded_zone, b.actual_zone, b.converged, b.rule, b.placed,
            b.sample.sequence if b.sample else -1, *self._counters, *self._numbers, b.phi, *b.cost_and_pace,
        )  # fmt: skip
        b.tell_poses(self._poses)

    def answer(self) -> None:
        """The status of this cycle, to the client; in lockstep there is nobody to send it to."""
        if self._port.listening:
            self._port.answer(self.status())

    def status(self) -> bytes:
        """The status of this cycle but for its address."""
        facility, clock = self._f, self._f.clock
        b = facility.motion
        if not isinstance(b, Bridged):
            red = facility.rule_number == Rule.COLLISION_ZONE
            return status_body(
                False, facility.guard.moving, False, Phase.IDLE, InputState.EMPTY, Zone.GREEN,
                Zone.RED if red else Zone.GREEN, Standstill.ACTUAL_RED if red else Standstill.NOT_SELECTED,
                facility.mode, facility.rule_number, 0, 0, clock.utc_ns(), clock.tick,
                self._numbers, NO_POSE, NO_POSE, self._counters,
            )  # fmt: skip
        sample = b.sample
        chaser: Sequence[float] = NO_POSE
        target: Sequence[float] = NO_POSE
        if sample is not None:
            _in_client_frame(
                sample.T_client_target, self._actual1, self._actual2, self._port.scale, self._in_client_frame
            )
            chaser, target = self._in_client_frame.tolist()
        return status_body(
            b.converged, facility.guard.moving or facility.mode is Mode.HALTING,
            sample is not None and sample.velocity is not None, b.phase, b.filter.state, b.commanded_zone,
            b.actual_zone, b.cause, facility.mode, b.rule, sample.sequence if sample else 0,
            sample.sent_ns if sample else 0, clock.utc_ns(), clock.tick, self._numbers, chaser, target, self._counters,
        )  # fmt: skip
