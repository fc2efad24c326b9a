"""The facility's end of a link whose controllers live in another process, the responder. Nothing in it waits.

Every cycle one set-point goes out and the newest state is taken. A responder that is gone, or has not answered for
``SILENCE_STALLS``, is a lost link: controllers without one stop by themselves, real ones by their time-out.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.child import child_command, child_environment
from proxops.core.clock import Clock, monotonic_ns
from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring, bytes_of
from proxops.lab.any_cell import AnyCell
from proxops.lab.links.exchange import (
    AT_REST_NS,
    CAUSE_TEXT,
    SETPOINT_SLOTS,
    STATE_SLOTS,
    Flag,
    Setpoint,
    SetpointWriter,
    Watch,
    WatchdogCause,
    patience_ns,
    setpoint_dtype,
    state_dtype,
)
from proxops.lab.links.fault import LinkFault, Trouble
from proxops.lab.links.virtual import Drive, fault_of

EVENT_SLOTS: Final = 256
READY_S: Final = 60.0  # a machine that has compiled nothing yet takes some seconds
FAREWELL_S: Final = 10.0  # patience with the responder at the end: braking from full speed takes 2.6 s
SILENCE_STALLS: Final = 2.5
"""Longest silence of a responder that lives, in motion, in stalls of the cell. The facility cannot reach the robots past it, so
less patience wins nothing; one that is dead is noticed at once."""
ON, OFF = int(Drive.ON), int(Drive.OFF)


@dataclass(frozen=True)
class LinkTrouble:
    """The watchdog has taken over, or nobody answers; ``value`` and ``bound`` in s."""

    trouble: Trouble
    text: str
    value: float
    bound: float
    number: int = 0

    def __str__(self) -> str:
        return self.text


class RemoteHall:
    """Controllers behind a responder. ``start`` begins the process, ``wait_ready`` waits for it, ``close`` ends it."""

    drift = None

    def __init__(
        self, cell: AnyCell, wire: socket.socket, rings: tuple[Ring, Ring, Ring], process: subprocess.Popen[bytes]
    ) -> None:
        self._controllers, n = cell.controllers, cell.n_axes
        silence_ns = min(round(SILENCE_STALLS * cell.file.link.stall_ns), AT_REST_NS)
        self._wire, self._process, self._silence_ns = wire, process, silence_ns
        self._setpoints, self.states, self.events = rings
        self._clock: Clock | None = None
        self._record = np.zeros(1, state_dtype(n, len(self._controllers)))
        self._bytes, state = bytes_of(self._record), self._record[0]
        self._state: np.void = state
        self._drive: NDArray[np.int64] = state["drive"]
        self.actual: NDArray[np.float64] = state["actual"]
        self.rate: NDArray[np.float64] = state["rate"]
        self.standing: NDArray[np.float64] = state["standing"]
        self.positioning_error: NDArray[np.float64] = state["positioning_error"]
        self._writer, self._head = SetpointWriter(n), 0
        self._sequence = self._answered = self._request = 0
        self._flags = Flag(0)
        self._sent_ns = self._unanswered_ns = 0  # the last set-point; the first that waits for an answer, 0: none does
        self._written, self._bound_ns = np.full(n, np.nan), silence_ns
        self._severed = False  # nobody is at the other end
        self._fault: LinkFault | None = None

    # --- the process
    @classmethod
    def start(cls, cell: AnyCell, seed: int) -> RemoteHall:
        """Begin the responder with virtual controllers. It gets the very cell as it is in memory, over a private pipe."""
        setpoints = Ring.create("setpoints", setpoint_dtype(cell.n_axes), SETPOINT_SLOTS)
        states = Ring.create("link", state_dtype(cell.n_axes, len(cell.controllers)), STATE_SLOTS)
        events = Ring.create("watchdog", EVENT_DTYPE, EVENT_SLOTS)
        wire, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        wire.setblocking(False)
        command = child_command("proxops.facility.responder", "--wire", theirs.fileno(), "--setpoints", setpoints.path)
        command += ["--states", str(states.path), "--events", str(events.path), "--facility", str(os.getpid())]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, pass_fds=(theirs.fileno(),),
            env=child_environment(),
        )  # fmt: skip
        theirs.close()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(pickle.dumps((cell, seed, patience_ns(cell.file.link.patience_cycles, cell.period_ns))))
        return cls(cell, wire, (setpoints, states, events), process)

    def wait_ready(self, clock: Clock) -> None:
        """Wait until the responder tells where the robots stand; BadInput when it cannot. ``clock`` stamps what it will tell."""
        deadline = time.monotonic() + READY_S
        while not self.states.head:
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = self.last_words() or "it did not start in time"
                self.close()
                raise BadInput(
                    f"the responder is not there: {said.splitlines()[-1]}", way_out="start the facility again"
                )
            time.sleep(0.002)
        self._clock = clock
        self.read()

    @property
    def pid(self) -> int:
        """Process number, for displays and tests."""
        return self._process.pid

    def last_words(self) -> str:
        """What the process said before it ended; empty while it runs and when all went well."""
        if self._process.stderr is None or self._process.poll() is None:
            return ""
        with self._process.stderr as stream:
            self._process.stderr = None
            return stream.read().decode("utf-8", "replace").strip()

    def farewell(self) -> None:
        """Nothing more will come: the responder brakes what still moves, closes the brakes and ends. Does not wait."""
        self._flags |= Flag.FAREWELL
        if self._clock is not None:
            self._send(self.standing)

    def close(self) -> int:
        """Wait for the end of the responder; its exit code (0: the robots stand). One that hangs is ended."""
        with contextlib.suppress(OSError):  # it may be gone: it is waited for all the same
            if self._wire.fileno() >= 0:
                self.farewell()
        self._wire.close()
        try:
            code = self._process.wait(FAREWELL_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        for ring in (self._setpoints, self.states, self.events):
            ring.close()
        return code

    # --- port of the tick
    def read(self) -> NDArray[np.float64]:
        """Actual axes as the responder told them last (m, rad). A view: it changes with the next ``read``."""
        head = self.states.head
        if head != self._head:
            self._bytes[:] = self.states.newest_bytes(head)
            self._head, heard = head, int(self._state["sequence"])
            if heard > self._answered:
                self._answered = heard
                self._unanswered_ns = 0 if heard >= self._sequence else self._sent_ns
        return self.actual

    def write(self, setpoint: NDArray[np.float64]) -> LinkFault | None:
        """Hand over the set-points. What stands in the way is returned every cycle."""
        self._bound_ns = AT_REST_NS if np.array_equal(setpoint, self._written) else self._silence_ns
        self._written[:] = setpoint
        self._send(setpoint)
        self._fault = self._trouble()
        return self._fault

    def _send(self, setpoint: NDArray[np.float64]) -> None:
        clock, now = self._clock, monotonic_ns()
        assert clock is not None
        self._sequence += 1
        utc_ns = clock.utc_ns() + now - clock.now_ns()  # of now, not of the cycle's beginning
        message = Setpoint(self._flags, self._sequence, now, clock.tick, utc_ns, self._request, setpoint)
        self._sent_ns, self._unanswered_ns = now, self._unanswered_ns or now
        self._setpoints.push(self._writer.fill(message))
        try:
            self._severed = not self._wire.recv(1)
        except BlockingIOError:
            pass  # somebody is there, and says nothing
        except OSError:
            self._severed = True  # reset by a death, or closed by us

    def _trouble(self) -> LinkFault | None:
        if self._sent_ns - self._unanswered_ns >= self._bound_ns:
            self.read()  # the answer may have come while this very process was held up
        silence_ns = self._sent_ns - self._unanswered_ns if self._unanswered_ns else 0
        stands = self._fault is not None and self._fault.trouble is Trouble.LOST and silence_ns >= self._silence_ns
        if self._severed or stands or silence_ns >= self._bound_ns:
            self.rate[:] = 0.0
            return self._lost(silence_ns * 1e-9)
        state = self._state
        if not self._heard:
            return None
        if state["watch"] != Watch.WATCHING:
            cause = CAUSE_TEXT[WatchdogCause(int(state["cause"]))]
            return LinkTrouble(Trouble.WATCHDOG, cause, float(state["silent_s"]), float(state["patience_s"]))
        if state["fault"]:
            axis, value, bound = int(state["fault_axis"]), float(state["fault_value"]), float(state["fault_bound"])
            return fault_of(self._controllers, int(state["fault"]), axis, value, bound)
        return None

    def _lost(self, silence_s: float) -> LinkFault:
        """The same fault as long as it stands: it is told once."""
        if self._fault is not None and self._fault.trouble is Trouble.LOST:
            return self._fault
        if self._severed:
            return LinkTrouble(Trouble.LOST, f"the responder is gone, exit code {self._process.poll()}", 0.0, 0.0)
        return LinkTrouble(Trouble.LOST, "the responder does not answer", silence_s, self._bound_ns * 1e-9)

    # --- drives
    @property
    def _heard(self) -> bool:
        """The newest wish about drives has reached the responder."""
        return bool(self._state["request"] == self._request)

    def drives_on(self) -> None:
        """Close the contactors and open the brakes; takes 0.2 s. Clears faults, and what the watchdog had against it."""
        self._request += 1
        self._flags |= Flag.DRIVES

    def drives_off(self) -> None:
        """Brake whatever still moves, then close the brakes."""
        self._request += 1
        self._flags &= ~Flag.DRIVES

    @property
    def _lost_now(self) -> bool:
        return self._fault is not None and self._fault.trouble is Trouble.LOST

    @property
    def all_on(self) -> bool:
        return self._heard and not self._lost_now and bool((self._drive == ON).all())

    @property
    def any_on(self) -> bool:
        if self._lost_now:
            return False
        return bool((self._drive != OFF).any()) or (not self._heard and Flag.DRIVES in self._flags)
