"""Runs a scenario: application → network → bridge → hall. In lockstep in one process and the same bit for bit; in real time
with the application as a process of its own and real sockets between."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LOCKSTEP_EPOCH, LockstepClock
from proxops.core.ending import Ending
from proxops.core.messages import PERIOD_S
from proxops.core.scenario import Bridge, Scenario
from proxops.core.vocabulary import Mode
from proxops.facility.application import Application
from proxops.facility.build import Hall, build
from proxops.facility.conclusion import LEFT, how_it_ended
from proxops.facility.control import ControlSettings
from proxops.facility.control_lock import ANY
from proxops.facility.interruption import ends_asked_for
from proxops.facility.live import LiveFacility
from proxops.facility.play import Progress, let_recorder_keep_up
from proxops.facility.realtime import RealTime
from proxops.lab.cell import Cell
from proxops.safety.rules import Stop

AFTER_S: Final = 1.5  # of silence after the last packet: the halt belongs to the run
SHOW_EVERY: Final = 250
KEEP_UP_EVERY: Final = 32  # cycles between looks at the recorder's lag
READY_S: Final = 0.5  # the drives need 0.2 s


class Client(Protocol):
    """Who sends packets in lockstep: ``t`` is the facility's time since it may send."""

    def advance(self, t: float) -> list[bytes]: ...
    @property
    def over(self) -> bool:
        """It will never send again."""
        ...


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    stop: Stop | None
    cycles: int
    wall_s: float
    recorder_code: int
    real_time: RealTime | None
    alarms: tuple[str, ...]

    def figures(self) -> dict[str, Any]:
        """For the summary: what the log itself cannot tell."""
        return {
            "wall_time_s": self.wall_s,
            "times_real_time": self.cycles * PERIOD_S / self.wall_s,
            "recorder_exit_code": self.recorder_code,
            "real_time": str(self.real_time) if self.real_time else None,
            "alarms": list(self.alarms),
        }


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
    cell: Cell, scenario: Scenario, record: Path | None, *, epoch: str = LOCKSTEP_EPOCH,
    progress: Progress = lambda phase, done, expected: None,
) -> Ran:  # fmt: skip
    """As fast as it goes. The same scenario gives the same log, bit for bit."""
    clock, application = LockstepClock(epoch), Application(scenario)
    hall = build(
        cell, clock, seed=scenario.seed, record=record, bridge=settings_of(scenario.bridge),
        metadata={"clock": "lockstep", **_metadata(scenario)},
    )  # fmt: skip
    began, ended = time.monotonic(), LEFT
    runner = LockstepRun(hall, clock, application)
    with ends_asked_for(runner.interrupt):  # until all is closed
        try:
            runner.run(scenario.duration_s, progress)
            ended = how_it_ended(hall.facility.stop, runner.asked)
        except Exception as error:
            ended = Ending.of_error(error)
            hall.facility.emergency_brake(error)  # an error of ours may not leave the robots moving
            raise
        finally:
            code = hall.close(ended)
    alarms = tuple(hall.facility.events.raised)
    return Ran(hall.facility.stop, clock.tick, time.monotonic() - began, code, None, alarms)


class LockstepRun:
    """Drives on, bridge selected, packets delivered as the network has them, until the client is over and the hall stands."""

    def __init__(self, hall: Hall, clock: LockstepClock, client: Client, *, bridged: bool = True) -> None:
        assert hall.desk.bridge is not None
        self.hall, self._clock, self._client, self.bridge = hall, clock, client, hall.desk.bridge
        self._bridged = bridged  # False: the hall stands by, packets go nowhere
        self._began = -1  # tick at which the client began to send
        self._interrupted = False
        self.asked = ""  # the signal that ended it, if one has

    def interrupt(self, by: str) -> None:
        """Ask for a safe stop before the next cycle."""
        self._interrupted, self.asked = True, by

    def cycle(self) -> None:
        """One tick of everything."""
        facility = self.hall.facility
        facility.lateness = self._clock.advance()
        self.bridge.begin_cycle()
        if self._began >= 0:
            facility.attempt("application", self._hear)
        facility.tick()
        self.bridge.end_cycle()
        if self._clock.tick % KEEP_UP_EVERY == 0:
            let_recorder_keep_up(self.hall)

    def _hear(self) -> None:
        """What the client sends in this cycle."""
        for data in self._client.advance((self._clock.tick - self._began) * PERIOD_S):
            if self._bridged:
                self.bridge.port.take(data)

    def start(self) -> None:
        """Drives on, the bridge has the hall, the client begins to send."""
        facility, desk = self.hall.facility, self.hall.desk
        desk.drives(True)
        while facility.mode is not Mode.READY:
            self.cycle()
        if self._bridged:
            desk.select("bridge")
        self._began = self._clock.tick

    def run(self, duration_s: float, progress: Progress) -> None:
        facility, desk = self.hall.facility, self.hall.desk
        self.start()
        total = round((duration_s + AFTER_S) / PERIOD_S)
        done = 0
        for done in range(total):
            if facility.mode is Mode.STOPPED or self._client.over:
                break
            if done % SHOW_EVERY == 0:
                progress("run", done, total)
            if self._interrupted:
                self._interrupted = False
                desk.safe_stop(self.asked)
            self.cycle()
        progress("run", done, done)
        if facility.mode in (Mode.BRIDGED, Mode.HALTING):
            desk.select("none")
        while not facility.still:
            self.cycle()


def run_realtime(
    cell: Cell, scenario: Scenario, record: Path, watch: Callable[[Hall], subprocess.Popen[bytes]] | None = None
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
    end, facility = live.hall.desk.bridge, live.hall.facility
    assert end is not None

    def over() -> bool:
        return client.poll() is not None and end.port.place.silent_ns * 1e-9 > AFTER_S

    began = time.monotonic()
    try:
        served = live.run(lambda real_time: None, bridged=True, until=over)
    finally:
        client.terminate()
        client.wait(5)
        if watcher:
            watcher.wait(5)
    return Ran(
        facility.stop, served.cycles, time.monotonic() - began, served.recorder_code, served.real_time,
        tuple(facility.events.raised),
    )  # fmt: skip
