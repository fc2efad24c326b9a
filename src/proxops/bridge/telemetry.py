"""What is told of the bridge every cycle: its groups in the pool, and the status datagram for the client."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from proxops.bridge.bridged import Bridged
from proxops.bridge.hall_state import HallState
from proxops.bridge.input_filter import U32
from proxops.bridge.port import BridgePort
from proxops.bridge.relative import in_client_frame, relative_of_ports, unit_quat
from proxops.bridge.roles import turn_half
from proxops.core.bridge_datagram import status_body
from proxops.core.messages import POSE
from proxops.core.pool import Pool
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.rules import Rule

NAN: Final = math.nan
NO_POSE: Final = (NAN,) * 7
NO_NUMBERS: Final = (NAN,) * 6


@kernel
def _in_client_frame(
    anchor: Array, commanded: Array, port1: Array, port2: Array, scale: float, exchanged: bool, poses: Array
) -> None:
    """Actual poses of chaser and target (2, 7) in the client's frame, as on the wire: the target where the client has it.
    ``anchor`` is T_client_port2 as it was sent, ``commanded`` T_port2_port1."""
    relative = np.empty(7)
    if not exchanged:
        relative_of_ports(port1, port2, relative)
        in_client_frame(anchor, relative, scale, poses[0], poses[1])
        return
    in_client_frame(anchor, commanded, scale, poses[1], poses[0])  # port 1, which is the target, as it was sent
    T_client_port1 = np.empty(7)
    T_client_port1[0:3] = poses[1, 0:3]
    unit_quat(poses[1], 3, T_client_port1[3:7])
    relative_of_ports(port2, port1, relative)
    in_client_frame(T_client_port1, relative, scale, poses[0], poses[1])
    for body in range(2):
        turn_half(-poses[body, 3:7], poses[body, 3:7])  # back: two half turns are -1


class BridgeTelemetry:
    """Reads the bridge's motion while it has the hall, and says that it has not when it has not. Changes nothing."""

    def __init__(self, state: HallState, pool: Pool, port: BridgePort) -> None:
        self._state, self._port = state, port
        self._write = pool.writer("bridge")
        self._poses = pool.run("commanded_relative", count=3 * len(POSE))  # and what is shown, and what is asked
        self._actual1, self._actual2 = pool.run("actual_port1"), pool.run("actual_port2")
        self._in_client_frame = np.zeros((2, 7))
        self._counters: tuple[int, ...] = (0,) * 6
        self._numbers: tuple[float, ...] = NO_NUMBERS

    def publish(self, bridged: Bridged | None) -> None:
        """Fill the bridge's part of the pool."""
        if bridged is None:
            self._publish_idle()
            return
        f, z = bridged.hearing.filter, bridged.zones
        sample = bridged.hearing.sample
        self._counters = f.counters(self._port.refused)
        self._numbers = (*bridged.left, z.commanded_clearance_m, z.actual_clearance_m, z.yellow_m)
        self._write(
            bridged.phase, bridged.cause, f.state, z.commanded, z.actual, bridged.converged, bridged.rule, bridged.placed,
            sample.sequence if sample else -1, *self._counters, *self._numbers, bridged.coupling.phi,
            *bridged.coupling.cost_and_pace.tolist(),
        )  # fmt: skip
        bridged.tell_poses(self._poses)

    def _publish_idle(self) -> None:
        self._counters, self._numbers = (0, 0, 0, 0, self._port.refused & U32, 0), NO_NUMBERS
        self._write(
            Phase.IDLE, Standstill.NOT_SELECTED, InputState.EMPTY, Zone.GREEN, Zone.GREEN, 0, 0, 0, -1,
            *self._counters, *self._numbers, NAN, NAN, NAN,
        )  # fmt: skip
        self._poses[:] = NAN

    def status(self, bridged: Bridged | None) -> bytes:
        """The status of this cycle but for its address; numbers are those that were published last."""
        state, clock = self._state, self._state.clock
        if bridged is None:
            red = state.rule_number == Rule.COLLISION_ZONE
            return status_body(
                False, state.guard.moving, False, Phase.IDLE, InputState.EMPTY, Zone.GREEN,
                Zone.RED if red else Zone.GREEN, Standstill.ACTUAL_RED if red else Standstill.NOT_SELECTED,
                state.mode, state.rule_number, 0, 0, clock.utc_ns(), clock.tick,
                self._numbers, NO_POSE, NO_POSE, self._counters,
            )  # fmt: skip
        sample, z = bridged.hearing.sample, bridged.zones
        chaser: Sequence[float] = NO_POSE
        target: Sequence[float] = NO_POSE
        if sample is not None:
            _in_client_frame(
                sample.T_client_target, sample.relative, self._actual1, self._actual2, self._port.scale,
                self._port.exchanged, self._in_client_frame,
            )  # fmt: skip
            chaser, target = self._in_client_frame.tolist()
        return status_body(
            bridged.converged, state.guard.moving or state.mode is Mode.HALTING,
            sample is not None and sample.velocity is not None, bridged.phase, bridged.hearing.filter.state, z.commanded,
            z.actual, bridged.cause, state.mode, bridged.rule, sample.sequence if sample else 0,
            sample.sent_ns if sample else 0, clock.utc_ns(), clock.tick, self._numbers, chaser, target, self._counters,
        )  # fmt: skip
