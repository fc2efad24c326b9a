"""The responder: the process that owns the links to the robots, and the watchdog over the facility's set-points.

``python -m proxops.facility.responder`` is started by ``lab.links.remote.RemoteHall``. It steps the controllers once for each
fresh set-point. When the facility dies, freezes or is late it takes over, brakes by its own clock, closes the brakes, tells why
in a ring of its own that the recorder reads, and ends once the facility is gone and the robots stand. Nothing that can be typed
ends it.
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import select
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import monotonic_ns
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring, bytes_of
from proxops.core.vocabulary import Severity
from proxops.facility.cadence import Cadence
from proxops.facility.realtime import WATCHDOG_PRIORITY, enter_real_time
from proxops.lab.any_cell import AnyCell
from proxops.lab.links.exchange import (
    CAUSE_TEXT,
    Flag,
    Setpoint,
    SetpointWriter,
    Watch,
    WatchdogCause,
    read_setpoint,
    setpoint_dtype,
    state_dtype,
)
from proxops.lab.links.virtual import VirtualHall
from proxops.safety.watchdog import SetpointVerdict, Watchdog

EXITING: Final = 4  # PF_EXITING of Linux' sched.h, in the flags of /proc/PID/stat
AT_REST: Final = 1e-4  # m/s or rad/s of a servo that has come to rest
SETTLING_S: Final = 2.0  # after the set-point rests the brakes close, whatever the servos say
DEAF_TO: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)


class Responder:
    """Controllers, watchdog and what is told of them; time is handed in. ``over`` once there is nothing left to do."""

    def __init__(
        self, hall: VirtualHall, cell: AnyCell, patience_ns: int, states: Ring, events: Ring, now_ns: int
    ) -> None:
        self._hall, self._states, self._events = hall, states, events
        self.dog = Watchdog(
            cell.guarded.acceleration, patience_ns, now_ns, hall.standing, cell.file.link.stall_ns, cell.period_ns
        )
        self._cell = cell
        self._record, self._event = np.zeros(1, state_of(cell)), np.zeros(1, EVENT_DTYPE)
        self._record_bytes, self._event_bytes = bytes_of(self._record), bytes_of(self._event)
        state = self._record[0]
        state["positioning_error"], state["patience_s"] = hall.positioning_error, patience_ns * 1e-9
        self._newest: Setpoint | None = None  # for numbers and stamps
        self._took_ns = self._next_ns = 0  # when it took over; when the next cycle of braking is due
        self._settled_ns = 0
        self._gone = self._parted = False
        self._publish(now_ns)

    @property
    def period_ns(self) -> int:
        return self._cell.period_ns

    # --- the facility's messages
    def take(self, data: bytes, now_ns: int) -> None:
        """One packet. Lateness is judged first: a set-point that was sent beyond the bound rescues no motion."""
        message = read_setpoint(data, self._cell.n_axes)
        if message is None:
            self.dog.refused[SetpointVerdict.NOT_OURS] += 1
            return
        too_late = self.dog.lateness(message.sequence, message.sent_ns, now_ns, message.axes)
        if too_late is not WatchdogCause.NONE and self._hall.any_on:
            self._take_over(too_late, now_ns)
        fresh = self.dog.judge(message.sequence, message.sent_ns, now_ns) is SetpointVerdict.FRESH
        if fresh:
            self._obey(message, now_ns)
        self._publish(now_ns)

    def _obey(self, message: Setpoint, now_ns: int) -> None:
        news = self._newest is None or message.request != self._newest.request
        self._newest = message
        if Flag.FAREWELL in message.flags and not self._parted:
            self._parted = True
            self._take_over(WatchdogCause.FAREWELL, now_ns)
        if self.dog.watch is Watch.WATCHING:
            if news:
                self._switch(on=Flag.DRIVES in message.flags)
            self.dog.follow(message.axes)
            self._step()
        elif self.dog.watch is Watch.STANDING and news and Flag.DRIVES in message.flags:
            self._tell(Severity.INFO, "watchdog.resumed", "watchdog: drives wanted on anew, watching again", now_ns)
            self.dog.begin_anew(self._hall.standing)
            self._switch(on=True)
            self._step()
        elif self.dog.cause is WatchdogCause.SILENT:
            self.dog.cause = WatchdogCause.LATE
            late = (now_ns - self._took_ns + self.dog.silence_ns) * 1e-6
            self._tell(
                Severity.WARNING, "watchdog.late", f"watchdog: set-points again after {late:.1f} ms, refused", now_ns
            )

    def _switch(self, *, on: bool) -> None:
        if on:
            self._hall.drives_on()
        else:
            self._hall.drives_off()

    # --- time that passes
    def due_ns(self) -> int | None:
        """When ``pass_time`` wants to be called next; None: not before a message comes."""
        if self.dog.watch is not Watch.WATCHING:
            return self._next_ns
        return self.dog.deadline_ns if self._hall.any_on else None

    def pass_time(self, now_ns: int, cause: WatchdogCause = WatchdogCause.SILENT) -> None:
        """Take over if it is time to; brake by our own clock once we have. ``cause`` names what the facility looks like."""
        if self._hall.any_on and self.dog.overdue(now_ns):
            self._take_over(cause, now_ns)
        if self.dog.watch is not Watch.WATCHING and now_ns >= self._next_ns:
            late = (now_ns - self._next_ns) // self._cell.period_ns
            self._next_ns += self._cell.period_ns * max(1, late)  # no bursts after a delay of our own
            self._brake(now_ns)
            self._publish(now_ns)

    def suspect(self, now_ns: int, looks: Callable[[], WatchdogCause]) -> None:
        """Three cycles of silence in motion: take over if the facility ``looks`` dead or stopped, whatever patience a living one
        has."""
        if self.dog.doubtful(now_ns) and self._hall.any_on:
            cause = looks()
            if cause is not WatchdogCause.SILENT:
                self._take_over(cause, now_ns)

    def lose(self, now_ns: int) -> None:
        """The facility is gone."""
        if self._gone:
            return
        self._gone = True
        if self.dog.watch is Watch.WATCHING:
            self._take_over(WatchdogCause.GONE, now_ns)
        elif not self._parted and self.dog.cause is not WatchdogCause.GONE:
            self.dog.cause = WatchdogCause.GONE
            self._tell(Severity.ERROR, "watchdog.gone", "watchdog: facility gone", now_ns)

    @property
    def over(self) -> bool:
        return self.dog.watch is Watch.STANDING and (self._gone or self._parted)

    def _take_over(self, cause: WatchdogCause, now_ns: int) -> None:
        dog = self.dog
        if dog.watch is not Watch.WATCHING:
            return
        seen = cause in (WatchdogCause.GONE, WatchdogCause.STOPPED) and bool(dog.rate.any())
        bound_ns = min(dog.bound_ns, dog.doubt_ns) if seen else dog.bound_ns
        seconds = dog.take_over(cause, now_ns)
        self._record[0]["patience_s"] = bound_ns * 1e-9
        self._took_ns = self._next_ns = now_ns
        self._settled_ns = now_ns + round((seconds + SETTLING_S) * 1e9)
        words = f"{CAUSE_TEXT[cause]}, last set-point {dog.sequence} {dog.silence_ns * 1e-6:.1f} ms ago"
        words += f", bound {bound_ns * 1e-6:g} ms; braking from {_fastest(self._cell, dog.rate)}"
        words += f", to rest in {seconds:.2f} s, {_place(self._cell, dog.rest)}"
        calm = not self._hall.any_on or (cause is WatchdogCause.FAREWELL and not dog.rate.any())
        self._tell(Severity.INFO if calm else Severity.ERROR, "watchdog.takeover", f"watchdog: {words}", now_ns)

    def _brake(self, now_ns: int) -> None:
        dog, hall = self.dog, self._hall
        if dog.watch is Watch.BRAKING:
            settled = dog.brake() and bool((np.abs(hall.rate) < AT_REST).all())
            if settled or now_ns >= self._settled_ns:
                hall.drives_off()
        self._step()
        if dog.watch is Watch.BRAKING and not hall.any_on:
            dog.stand()
            seconds = (now_ns - self._took_ns) * 1e-9
            words = f"standstill after {seconds:.2f} s, brakes closed, {_place(self._cell, hall.standing)}"
            self._tell(Severity.INFO, "watchdog.standstill", f"watchdog: {words}", now_ns)

    def _step(self) -> None:
        self._hall.write(self.dog.setpoint)
        self._record[0]["cycle"] += 1

    # --- what is told
    def _publish(self, now_ns: int) -> None:
        state, dog, hall, heard = self._record[0], self.dog, self._hall, self._newest
        if heard is not None:
            state["sequence"], state["request"] = heard.sequence, heard.request
        state["time_ns"], state["sent_ns"] = now_ns, dog.last_ns
        state["watch"], state["cause"], state["silent_s"] = dog.watch, dog.cause, dog.silence_ns * 1e-9
        state["refused"], state["gaps"], state["held_up"] = sum(dog.refused.values()), dog.gaps, dog.held_up
        state["drive"], state["setpoint"] = hall.drives, dog.setpoint
        state["actual"], state["rate"], state["standing"] = hall.actual, hall.rate, hall.standing
        state["fault"], state["fault_axis"], state["fault_value"], state["fault_bound"] = hall.standing_fault
        self._states.push(self._record_bytes)
        self._events.heartbeat += 1

    def _tell(self, severity: Severity, name: str, text: str, now_ns: int) -> None:
        """One event, by the facility's clock carried on; it belongs before the facility's next cycle."""
        heard = self._newest
        utc_ns, tick = (heard.utc_ns + now_ns - heard.sent_ns, heard.tick + 1) if heard else (0, 0)
        self._event[0] = (utc_ns, tick, int(severity), name.encode(), text.encode()[:400])
        self._events.push(self._event_bytes)


def state_of(cell: AnyCell) -> np.dtype[np.void]:
    """What is told of a cell's controllers every cycle."""
    return state_dtype(cell.n_axes, len(cell.controllers))


def _fastest(cell: AnyCell, rate: NDArray[np.float64]) -> str:
    """Speed of the rail, where there is one, and of the fastest axis of the arms."""
    slides = np.zeros(rate.size, bool)
    for one in cell.controllers:
        slides[one.axes] = one.slides
    words = [f"{speed:.3f} m/s (rail)" for speed in rate[slides]]
    words += [f"{math.degrees(np.abs(rate[~slides]).max()):.1f} deg/s (fastest arm axis)"]
    return ", ".join(words)


def _place(cell: AnyCell, q: NDArray[np.float64]) -> str:
    words = []
    for one in cell.controllers:
        if one.slides:
            words.append(f"{one.name} at {q[one.axes][0] * 1e3:.2f} mm")
        else:
            words.append(f"{one.name} at {' '.join(f'{angle:.3f}' for angle in np.degrees(q[one.axes]))} deg")
    return ", ".join(words)


# ---------------------------------------------------------------------- the process
def looks(facility: int) -> WatchdogCause:
    """How the facility's process looks from outside when it is silent."""
    if os.getppid() != facility:
        return WatchdogCause.GONE
    try:
        state, _, _, _, _, _, flags = Path(f"/proc/{facility}/stat").read_text().rpartition(")")[2].split()[:7]
    except OSError:  # no /proc here, or gone this very moment: silence is all that is known
        return WatchdogCause.SILENT
    if int(flags) & EXITING or state in "ZX":  # giving back its memory may take longer than our patience
        return WatchdogCause.GONE
    return WatchdogCause.STOPPED if state in "Tt" else WatchdogCause.SILENT


def attend(responder: Responder, wire: socket.socket, setpoints: Ring, facility: int) -> None:
    """Until it is over: set-points as they come, time as it passes. An end of the wire is the facility's."""
    listening, cursor, cadence = [wire], 0, Cadence(responder.period_ns)
    while not responder.over:
        due, now_ns = responder.due_ns(), monotonic_ns()
        look_ns = cadence.wait_ns(now_ns)
        wait_ns = look_ns if due is None else min(look_ns, max(0, due - now_ns))
        gone, _, _ = select.select(listening, (), (), wait_ns * 1e-9)  # not poll: it rounds up to milliseconds
        responder.dog.wake(0 if due is None else monotonic_ns() - due)
        if setpoints.head != cursor:
            before = responder.dog.sequence
            cursor = _take_all(responder, setpoints, cursor)
            if responder.dog.sequence != before:  # what is refused tells nothing of the facility's cycles
                cadence.heard(responder.dog.last_ns)
        if gone:
            listening = []
            responder.lose(monotonic_ns())
        due, now_ns = responder.due_ns(), monotonic_ns()
        if due is not None and now_ns >= due:
            watching = responder.dog.watch is Watch.WATCHING
            responder.pass_time(now_ns, looks(facility) if watching else WatchdogCause.SILENT)
        else:
            responder.suspect(now_ns, lambda: looks(facility))


def _take_all(responder: Responder, setpoints: Ring, cursor: int) -> int:
    """All set-points that are there; the next cursor."""
    messages, cursor, _ = setpoints.read(cursor)
    for message in messages:
        responder.take(message.tobytes(), monotonic_ns())
    return cursor


def warm_up(cell: AnyCell, patience_ns: int) -> None:
    """Every path once with rings of its own, so that nothing is compiled or imported in flight."""
    rings = Ring.create("warm", state_of(cell), 4), Ring.create("warm", EVENT_DTYPE, 4)
    hall = VirtualHall(cell, np.random.default_rng(0))
    scratch, writer, now = Responder(hall, cell, patience_ns, *rings, 0), SetpointWriter(cell.n_axes), 0
    for sequence in range(1, 80):
        now += cell.period_ns
        scratch.take(bytes(writer.fill(Setpoint(Flag.DRIVES, sequence, now, 0, 0, 1, hall.standing.copy()))), now)
    for _ in range(20):
        now += cell.period_ns
        scratch.pass_time(now, looks(os.getppid()))
    for ring in rings:
        ring.close()


def main() -> int:
    """The process; 0 once the robots stand."""
    for number in DEAF_TO:
        signal.signal(number, signal.SIG_IGN)
    parser = argparse.ArgumentParser(prog="proxops.facility.responder")
    for name, kind in (("wire", int), ("setpoints", Path), ("states", Path), ("events", Path), ("facility", int)):
        parser.add_argument(f"--{name}", type=kind, required=True)
    options = parser.parse_args()
    cell, seed, patience_ns = pickle.load(sys.stdin.buffer)  # from our own parent, over a pipe that nobody else has
    states, events = Ring.attach(options.states, state_of(cell)), Ring.attach(options.events, EVENT_DTYPE)
    setpoints = Ring.attach(options.setpoints, setpoint_dtype(cell.n_axes))
    wire = socket.socket(fileno=options.wire)
    warm_up(cell, patience_ns)
    hall = VirtualHall(cell, np.random.default_rng(seed))
    enter_real_time(WATCHDOG_PRIORITY)
    attend(Responder(hall, cell, patience_ns, states, events, monotonic_ns()), wire, setpoints, options.facility)
    states.close()
    events.close()
    if os.getppid() != options.facility:
        for path in (options.setpoints, options.states):  # the events' is the recorder's to remove: it may still read
            path.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
