"""A hall with a bridge in lockstep, and a client that says what a test wants; every cycle the promises are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from setpoint_limits import keeps_limits

from proxops.bridge.bridged import Bridged
from proxops.bridge.client_place import LOCKSTEP
from proxops.bridge.settings import BridgeSettings
from proxops.core.bridge_datagram import BridgeCommand, BridgeStatus, finish_status, pack_command, unpack_status
from proxops.core.clock import LockstepClock
from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.vocabulary import Mode, Phase, Zone
from proxops.facility.build import build
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose
from proxops.maths.quaternion import length
from proxops.maths.rotation import Array, angle_between, matrix_from_quat
from proxops.safety.rules import Rule

HEARD = 25  # cycles after which a new pose has reached the clutch
IDENTITY = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def at(x: float, y: float = 0.0, z: float = 0.0, yaw_deg: float = 0.0) -> tuple[float, ...]:
    """A chaser's pose (wire order) with the target in the origin, turned about z."""
    half = math.radians(yaw_deg) / 2.0
    return x, y, z, 0.0, 0.0, math.sin(half), math.cos(half)


@kernel
def shown_off(hall: HallRecord, q: Array, pose: Array) -> tuple[float, float]:
    """By how much the ports of the axes ``q`` miss the relative ``pose`` (packed): m, rad."""
    T_lab_port1, T_lab_port2 = port_poses(hall, q)
    shown = compose(inverse_pose(T_lab_port2), T_lab_port1)
    return length(shown[:3, 3] - pose[:3]), angle_between(shown[:3, :3], matrix_from_quat(pose[3:]))


class BridgeHall:
    """``send`` and ``cycle``; limits of set-points and the relative pose are checked in every cycle."""

    def __init__(
        self, cell: Cell, settings: BridgeSettings | None = None, seed: int = 0, bind: tuple[str, int] | None = None
    ) -> None:
        self.cell, self.clock = cell, LockstepClock()
        self.hall = build(cell, self.clock, seed=seed, record=None, bridge=settings or BridgeSettings(), bridge_at=bind)
        self.facility, self.desk = self.hall.facility, self.hall.desk
        end = self.desk.bridge
        assert end is not None
        self.end, self.port = end, end.port
        self._arriving: tuple[tuple[bytes, tuple[str, int]], ...] = ()
        self.facility.duties.attach("client", poll=self._arrive)
        self.sequence = 0
        hall = cell.hall[0]
        self._speed, self._acceleration = hall["speed"] * (1 + 1e-6), hall["acceleration"] * (1 + 1e-6) + 1e-9
        self._shown = self.facility.pool.run("shown_relative")  # of the present cycle, whichever that is
        self.desk.drives(True)
        self._q, self._v = self.facility.guard.setpoint.copy(), np.zeros(13)
        while self.facility.mode is not Mode.READY:
            self.cycle()
        self.desk.select("bridge")

    @property
    def bridge(self) -> Bridged:
        assert isinstance(self.facility.motion, Bridged)
        return self.facility.motion

    @property
    def phase(self) -> Phase:
        return self.bridge.phase

    @property
    def status(self) -> BridgeStatus:
        return unpack_status(finish_status(self.end.status(), True, self.port.refusal))

    def cycle(self, packets: Sequence[bytes] = ()) -> None:
        """One tick with these datagrams of one sender; then what was sent to the robots is judged."""
        self.cycle_of(*((data, LOCKSTEP) for data in packets))

    def cycle_of(self, *packets: tuple[bytes, tuple[str, int]]) -> None:
        """Likewise, each with its sender."""
        self._arriving = packets
        self.facility.tick()
        self._check()

    def _arrive(self) -> None:
        for data, sender in self._arriving:
            self.port.take(data, sender)
        self._arriving = ()

    def _check(self) -> None:
        q = self.facility.guard.setpoint
        kept = keeps_limits(q, self._q, self._v, self._speed, self._acceleration, PERIOD_S)
        assert kept or self.facility.mode in (Mode.STANDBY, Mode.RELEASING)
        motion, stop = self.facility.motion, self.facility.stop
        assert stop is None or stop.rule is not Rule.COLLISION_ZONE, stop
        if isinstance(motion, Bridged):
            assert motion.zones.actual is not Zone.RED
            if motion.phase in (Phase.CONVERGING, Phase.FOLLOWING):
                self._check_relative()

    def _check_relative(self) -> None:
        """The set-point shows the clutch's pose to 1e-9, always."""
        off_m, off_rad = shown_off(self.cell.hall, self.facility.guard.setpoint, self._shown)
        assert off_m < 1e-9
        assert off_rad < 1e-9

    def packet(self, chaser: tuple[float, ...], target: tuple[float, ...] = IDENTITY, **more: object) -> bytes:
        self.sequence += 1
        command = BridgeCommand(self.sequence, self.sequence * PERIOD_NS, chaser, target, **more)  # type: ignore[arg-type]
        return pack_command(command)

    def follow(self, path: Callable[[float], tuple[float, ...]], seconds: float) -> None:
        """A client that sends ``path(t)`` every cycle."""
        for k in range(round(seconds / PERIOD_S)):
            self.cycle([self.packet(path(k * PERIOD_S))])

    def hold(self, chaser: tuple[float, ...], seconds: float) -> None:
        self.follow(lambda t: chaser, seconds)

    def silence(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD_S)):
            self.cycle()

    def until(self, phase: Phase, chaser: tuple[float, ...], patience_s: float = 60.0) -> float:
        """Hold until the bridge is in ``phase``; how long it took. One that is there already is first given time to hear of
        this pose: a hall that follows another one has not come here."""
        heard = HEARD if self.phase is phase else 0
        for k in range(round(patience_s / PERIOD_S)):
            if self.phase is phase and k >= heard:
                return k * PERIOD_S
            self.cycle([self.packet(chaser)])
        raise AssertionError(
            f"{self.phase.name} ({self.bridge.cause.name}) after {patience_s} s, expected {phase.name}"
        )

    def close(self) -> None:
        self.hall.close()


@cache
def parked_cell() -> Cell:
    """The shipped hall whose robots stand at home where they show 5 m: joined once for all tests that begin there. The real
    home is 1.9 m of the rail and half a turn of a wrist away from anything it could show."""
    hall = BridgeHall(load_cell())
    hall.until(Phase.FOLLOWING, at(5.0))
    posture = hall.facility.guard.setpoint.copy()
    hall.close()
    return replace(hall.cell, home=posture)
