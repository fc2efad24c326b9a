"""Runs a scenario: application → network → bridge → hall. In lockstep in one process and the same bit for bit; in real time
with the application as a process of its own and real sockets between."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LOCKSTEP_EPOCH, LockstepClock
from proxops.core.messages import PERIOD_S
from proxops.core.scenario import Bridge, Scenario
from proxops.core.vocabulary import Mode
from proxops.facility.application import Application
from proxops.facility.build import Installation, build
from proxops.facility.control import ControlSettings
from proxops.facility.control_lock import ANY
from proxops.facility.live import LiveFacility
from proxops.facility.loop import SHOW_EVERY_S, Loop, Progress, Ran, Stopped, no_progress
from proxops.lab.cell import Cell

AFTER_S: Final = 1.5  # of silence after the last packet: the halt belongs to the run
READY_S: Final = 0.5  # the drives need 0.2 s


class Client(Protocol):
    """Who sends packets in lockstep: ``t`` is the facility's time since it may send."""

    def advance(self, t: float) -> list[bytes]: ...
    @property
    def over(self) -> bool:
        """It will never send again."""
        ...


def settings_of(b: Bridge) -> BridgeSettings:
    """The bridge's settings: those of the scenario, or what holds when it is silent."""
    default = BridgeSettings()

    def angle(value: float | None, otherwise: float) -> float:
        return otherwise if value is None else math.radians(value)

    return BridgeSettings(
        speed_m_s=b.speed_m_s or default.speed_m_s,
        acceleration_m_s2=b.acceleration_m_s2 or default.acceleration_m_s2,
        rate_rad_s=angle(b.rate_deg_s, default.rate_rad_s),
        angular_acceleration_rad_s2=angle(b.angular_acceleration_deg_s2, default.angular_acceleration_rad_s2),
        timeout_s=default.timeout_s if b.timeout_ms is None else b.timeout_ms * 1e-3,
        scale=b.scale,
        sun_weight=b.sun_weight,
        phi_rad=None if b.phi_deg is None else math.radians(b.phi_deg),
    )


def _metadata(scenario: Scenario) -> dict[str, str]:
    return {"scenario": scenario.name, "scenario_file": scenario.text, "seed": str(scenario.seed)}


def run_lockstep(
    cell: Cell,
    scenario: Scenario,
    record: Path | None,
    *,
    epoch: str = LOCKSTEP_EPOCH,
    progress: Progress = no_progress,
) -> Ran:
    """As fast as it goes. The same scenario gives the same log, bit for bit."""
    hall = build(
        cell, LockstepClock(epoch), seed=scenario.seed, record=record, bridge=settings_of(scenario.bridge),
        metadata={"clock": "lockstep", **_metadata(scenario)},
    )  # fmt: skip
    bridged = BridgedRun(hall, Application(scenario), progress=progress)
    return bridged.loop.run(lambda: bridged.run(scenario.duration_s))


class BridgedRun:
    """Drives on, bridge selected, packets delivered as the network has them, until the client is over and the hall stands."""

    def __init__(
        self, hall: Installation, client: Client, *, bridged: bool = True, progress: Progress = no_progress
    ) -> None:
        assert hall.desk.bridge is not None
        self.loop, self._client, self._port, self._progress = Loop(hall), client, hall.desk.bridge.port, progress
        self._hall, self._clock = hall, hall.facility.clock
        self._bridged = bridged  # False: the hall stands by, packets go nowhere
        self._began = -1  # tick at which the client began to send
        hall.facility.duties.attach("application", poll=self._hear)

    def _hear(self) -> None:
        """What the client sends in this cycle."""
        if self._began < 0:
            return
        for data in self._client.advance((self._clock.tick - self._began) * PERIOD_S):
            if self._bridged:
                self._port.take(data)

    def start(self) -> None:
        """Drives on, the bridge has the hall, the client begins to send."""
        self._hall.desk.drives(True)
        self.loop.until(Mode.READY, "drives on")
        if self._bridged:
            self._hall.desk.select("bridge")
        self._began = self._clock.tick

    def run(self, duration_s: float) -> None:
        """For so long and a halt after that, or until the client is over."""
        facility = self._hall.facility
        try:
            self.start()
        except Stopped:
            return
        total_s, done = duration_s + AFTER_S, 0
        show_every = self.loop.cycles(SHOW_EVERY_S)
        for done in range(self.loop.cycles(total_s)):
            if facility.mode is Mode.STOPPED or self._client.over:
                break
            if done % show_every == 0:
                self._progress("run", done * PERIOD_S, total_s)
            self.loop.cycle()
        self._progress("run", done * PERIOD_S, done * PERIOD_S)
        self.let_go()

    def let_go(self) -> None:
        """Deselect the bridge and come to rest."""
        if self._hall.facility.mode in (Mode.BRIDGED, Mode.HALTING):
            self._hall.desk.select("none")
        while not self._hall.facility.still:
            self.loop.cycle()


def run_realtime(
    cell: Cell, scenario: Scenario, record: Path, watch: Callable[[Installation], subprocess.Popen[bytes]] | None = None
) -> Ran:
    """At 250 Hz with real sockets; the client is another process. ``watch`` starts a display of its own."""
    live = LiveFacility(
        cell, record, sync=(LOOPBACK, 0), control=ControlSettings(ANY), seed=scenario.seed, bridge=settings_of(scenario.bridge),
        metadata=_metadata(scenario),
    )  # fmt: skip
    end = live.hall.desk.bridge
    assert end is not None
    host, port = end.port.address
    watcher = watch(live.hall) if watch else None
    words = [sys.executable, "-P", "-m", "proxops.facility.application", str(scenario.source), host, str(port)]
    return serve_client(live, subprocess.Popen([*words, str(READY_S)]), watcher)


def serve_client(live: LiveFacility, client: subprocess.Popen[bytes], watcher: subprocess.Popen[bytes] | None) -> Ran:
    """Tick for a client in a process of its own until it is gone and the hall has halted."""
    end = live.hall.desk.bridge
    assert end is not None

    def over() -> bool:
        return client.poll() is not None and end.port.place.silent_ns * 1e-9 > AFTER_S

    try:
        return live.run(lambda real_time: None, begin=lambda: live.hall.desk.select("bridge"), until=over)
    finally:
        client.terminate()
        client.wait(5)
        if watcher:
            watcher.wait(5)
