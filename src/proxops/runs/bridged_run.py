"""A run through the bridge: client → network → bridge → hall. In lockstep the client is called by the run, in real time it is a
process of its own with real sockets between."""

from __future__ import annotations

import subprocess
from typing import Final, Protocol, runtime_checkable

from proxops.bridge.arrivals import Arrivals
from proxops.core.child import child_command
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.installation import Installation
from proxops.facility.live import LiveFacility
from proxops.facility.loop import SHOW_EVERY_S, Announce, Loop, Progress, Ran, Stopped, no_progress
from proxops.safety.guarded_cycle import MOST

AFTER_S: Final = 1.5  # of silence after the last packet: the halt belongs to the run
CLIENT_ENDS_S: Final = 10.0  # with all that it has started


class PacketSource(Protocol):
    """Who sends packets in lockstep: ``t`` is the facility's time since it may send."""

    def advance(self, t: float) -> list[bytes]: ...
    @property
    def over(self) -> bool:
        """It will never send again."""
        ...


@runtime_checkable
class ForeseeingClient(PacketSource, Protocol):
    """One that knows now what it will send in the next cycles."""

    def foretell(self, cycle: int, most: int) -> Arrivals | None:
        """In up to ``most`` cycles from number ``cycle`` on. Each is then either ``passed`` or asked for as ever."""
        ...

    def passed(self, count: int) -> None:
        """So many of these cycles have passed unasked."""
        ...


class BridgedRun:
    """Drives on, bridge selected, packets delivered as the network has them, until the client is over and the hall stands."""

    def __init__(
        self, hall: Installation, client: PacketSource, *, bridged: bool = True, progress: Progress = no_progress
    ) -> None:
        assert hall.desk.bridge is not None
        self.loop, self._client, self._port, self._progress = Loop(hall), client, hall.desk.bridge.port, progress
        self._hall, self._clock = hall, hall.facility.clock
        self._bridged = bridged  # False: the hall stands by, packets go nowhere
        self._foreseeing = client if isinstance(client, ForeseeingClient) else None
        self._began = -1  # tick at which the client began to send
        hall.facility.duties.attach("application", poll=self._hear, ahead=self)

    def _hear(self) -> None:
        """What the client sends in this cycle."""
        if self._began < 0:
            return
        for data in self._client.advance((self._clock.tick - self._began) * PERIOD_S):
            if self._bridged:
                self._port.take(data)

    def ahead(self, most: int) -> int:
        """Lay ready what the client will send, if it knows."""
        if self._began < 0 or self._foreseeing is None:
            return 0
        self._port.arrivals = self._foreseeing.foretell(self._clock.tick + 1 - self._began, most)
        return self._port.arrivals.packets.cycles if self._port.arrivals else 0

    def passed(self, count: int) -> None:
        """So many cycles have gone by without a poll."""
        if self._foreseeing:
            self._foreseeing.passed(count)
        self._port.arrivals = None

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
        total_s, done, shown = duration_s + AFTER_S, 0, 0
        cycles, show_every = self.loop.cycles(total_s), self.loop.cycles(SHOW_EVERY_S)
        while done < cycles and facility.mode is not Mode.STOPPED and not self._client.over:
            if done >= shown:
                self._progress("run", done * PERIOD_S, total_s)
                shown = done + show_every
            done += self.loop.cycle(min(MOST, cycles - done))
        self._progress("run", done * PERIOD_S, done * PERIOD_S)
        self.let_go()

    def let_go(self) -> None:
        """Deselect the bridge and come to rest."""
        if self._hall.facility.mode in (Mode.BRIDGED, Mode.HALTING):
            self._hall.desk.select("none")
        while not self._hall.facility.still:
            self.loop.cycle()


def client_process(module: str, *words: object, fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """A client of ours in a process of its own; ``fds`` are handed to it."""
    return subprocess.Popen(child_command(module, *words), pass_fds=fds)


def serve_client(
    live: LiveFacility, client: subprocess.Popen[bytes], watcher: subprocess.Popen[bytes] | None,
    announce: Announce = lambda real_time: None,
) -> Ran:  # fmt: skip
    """Tick for a client in a process of its own until it is gone and the hall has halted. ``announce``: that it begins."""
    end = live.hall.desk.bridge
    assert end is not None

    def over() -> bool:
        return client.poll() is not None and end.port.place.silent_ns * 1e-9 > AFTER_S

    try:
        return live.run(announce, begin=lambda: live.hall.desk.select("bridge"), until=over)
    finally:
        _end(client)
        if watcher:
            watcher.wait(5)


def _end(client: subprocess.Popen[bytes]) -> None:
    """In good order, which has its time to end what it has started; a frozen one is made to."""
    client.terminate()
    try:
        client.wait(CLIENT_ENDS_S)
    except subprocess.TimeoutExpired:
        client.kill()
        client.wait()
