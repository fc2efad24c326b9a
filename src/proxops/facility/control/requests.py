"""Control requests, whatever way they come: judged, carried out, answered.

A request carries a sequence number and a time to live, so that a click made while nobody listened is not carried out later.
Nothing that a request says ends the tick: what the desk refuses is answered, and an error of ours stops the hall by name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from proxops.core.channel import ASKER_LENGTH, CONTROL_VERSION, REPLY_BYTES
from proxops.core.clock import monotonic_ns
from proxops.core.errors import EXIT_BAD_INPUT, EXIT_STOPPED, BadInput, ProxopsError, Refused
from proxops.core.vocabulary import Severity
from proxops.facility.control.fields import integer_of, number_of, text_of
from proxops.facility.control.roles import LEAST, Role

AGE: Final = "age_ms"  # put among the arguments of every request: since it was sent, whatever the sender wrote there
DESCRIPTOR: Final = "fd"  # put there when an open file came with the request, and never else
FUTURE_MS: Final = 1000.0  # clocks of one machine agree: whoever is further ahead is wrong

Verb = Callable[[dict[str, Any]], object]
Reply = dict[str, Any]
Stamp = tuple[int, int]  # sequence number, moment of sending in ns


class Served(Protocol):
    """What every end of the channel can do, whatever else its verbs are."""

    @property
    def mode_name(self) -> str: ...
    def safe_stop(self, by: str = "") -> None: ...
    def tell(self, severity: Severity, code: str, text: str) -> None: ...
    def fail(self, where: str, error: Exception) -> None: ...


@dataclass(eq=False)
class Asker:
    """Whoever sits at one connection: what it may, and the number of its newest request."""

    name: str
    role: Role
    newest: int = -1


class Requests:
    """``answer`` one request. ``with_file``: verbs that take an open file, which is theirs once they return."""

    def __init__(
        self, desk: Served, verbs: Mapping[str, Verb], with_file: frozenset[str] = frozenset(),
        now_ns: Callable[[], int] = monotonic_ns,
    ) -> None:  # fmt: skip
        self._desk, self._verbs, self._with_file, self._now_ns = desk, verbs, with_file, now_ns
        self._told = False  # a refusal, in this cycle

    def begin_cycle(self) -> None:
        """One refusal a cycle goes into the events: a flood of them is no reason to fill the log."""
        self._told = False

    def answer(self, data: bytes, asker: Asker, fd: int | None = None, stamp: Stamp | None = None) -> bytes:
        """The reply's text. ``stamp``: number and moment of sending, where a seal vouches for them and not the text."""
        reply: Reply = {}
        try:
            request = parsed(data)
            if isinstance(request.get("sequence"), int):
                reply["sequence"] = request["sequence"]
            result, fd = self._carry_out(request, asker, fd, stamp), None
            return _text({**reply, "ok": True, "result": result, "mode": self._desk.mode_name})
        except ProxopsError as error:
            return _text({**reply, "ok": False, "exit": error.exit_code, "error": str(error)})
        except Exception as error:  # an error of ours may not end the tick, nor be lost: the hall stops and names it
            self._desk.fail("control request", error)
            told = f"internal error: {type(error).__name__}: {error}"[:200]
            return _text({**reply, "ok": False, "exit": EXIT_STOPPED, "error": told})
        finally:
            if fd is not None:
                os.close(fd)

    def _carry_out(self, request: dict[str, Any], asker: Asker, fd: int | None, stamp: Stamp | None) -> object:
        if request.get("do") == "safe_stop":  # never too old, out of order or of the wrong version
            self._desk.safe_stop(asker_of(request))
            if fd is not None:
                os.close(fd)
            return None
        verb, arguments = self._check(request, asker, stamp)
        if fd is not None:
            if verb not in self._with_file:
                raise BadInput(f"{verb} takes no file")
            arguments[DESCRIPTOR] = fd
        try:
            return self._verbs[verb](arguments)
        except ProxopsError as error:
            if not self._told:
                self._told = True
                self._desk.tell(Severity.WARNING, f"refused.{verb}", str(error))
            raise

    def _check(self, request: dict[str, Any], asker: Asker, stamp: Stamp | None) -> tuple[str, dict[str, Any]]:
        """Version, age, order, verb, role; all before anything is done."""
        if request.get("proxops") != CONTROL_VERSION:
            raise BadInput(
                "control request of another version",
                value=repr(request.get("proxops"))[:80], bound=f'"proxops": {CONTROL_VERSION}',
            )  # fmt: skip
        sequence, sent_ns = stamp or (integer_of(request, "sequence"), integer_of(request, "sent_ns"))
        age_ms, ttl_ms = (self._now_ns() - sent_ns) / 1e6, number_of(request, "ttl_ms")
        if age_ms < -FUTURE_MS:
            raise Refused(f"request {sequence} comes from the future: {-age_ms:.0f} ms ahead of the facility's clock")
        if age_ms > ttl_ms:
            raise Refused(f"request {sequence} is too old: {age_ms:.0f} ms, time to live {ttl_ms:.0f} ms")
        if sequence <= asker.newest:
            raise Refused(f"request {sequence} of {asker.name} is not newer than {asker.newest}")
        verb, arguments = text_of(request, "do"), request.get("with", {})
        if verb not in self._verbs or not isinstance(arguments, dict):
            raise BadInput("no such request", value=repr(verb)[:80], bound=", ".join(self._verbs))
        asker.newest = sequence
        _permit(verb, asker)
        given = {key: value for key, value in arguments.items() if key != DESCRIPTOR}
        return verb, {**given, AGE: age_ms}


def _permit(verb: str, asker: Asker) -> None:
    least = LEAST.get(verb, Role.MAINTAIN)
    if asker.role < least:
        raise Refused(f"{verb} needs the role {least.name.lower()}, {asker.name} has {asker.role.name.lower()}")


def parsed(data: bytes) -> dict[str, Any]:
    """A request as a table."""
    try:
        request = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"control request cannot be read: {str(error)[:80]}") from None
    if not isinstance(request, dict):
        raise BadInput(
            "control request of another version", value=repr(request)[:80], bound=f'"proxops": {CONTROL_VERSION}'
        )
    return request


def asker_of(request: dict[str, Any]) -> str:
    """Who asks for a stop, as far as it says so; nothing that it says can be in the way of the stop."""
    arguments = request.get("with")
    by = arguments.get("by") if isinstance(arguments, dict) else request.get("by")
    return "".join(c for c in by if c.isprintable())[:ASKER_LENGTH] if isinstance(by, str) else ""


def _text(reply: Reply) -> bytes:
    text = json.dumps(reply).encode()
    if len(text) <= REPLY_BYTES:
        return text
    head = {key: reply[key] for key in ("sequence",) if key in reply}
    return json.dumps({**head, "ok": False, "exit": EXIT_BAD_INPUT, "error": "the answer is too long"}).encode()
