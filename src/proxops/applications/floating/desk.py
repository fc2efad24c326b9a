"""The control channel of a live micro-gravity run: pushes of the virtual hand, status, stop."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, Final

from proxops.applications.floating.module_hand import Hand
from proxops.core.channel import CONTROL_NAME
from proxops.core.errors import BadInput, Refused
from proxops.core.vocabulary import Severity
from proxops.facility.control import Control, ControlSettings
from proxops.facility.request_fields import number_of
from proxops.touch.push import Push

SOON_S: Final = 0.008  # a push begins two cycles after it was asked for
MOST_NS, SHORTEST_S, LONGEST_S = 20.0, 0.02, 0.5


class FloatDesk:
    """``serve`` every cycle. Pushes are in world axes at the middle of the module."""

    def __init__(self, hand: Hand, now: Callable[[], float], control: str | None, *, virtual: bool = True) -> None:
        self._hand, self._now, self._virtual = hand, now, virtual
        self.stop_asked = False
        self.failure = ""  # an error of ours that ended the run
        self.pushes = 0
        verbs = {"status": self._status, "push": self._push, "shut_down": lambda a: self.safe_stop()}
        self._control = Control(ControlSettings(control or CONTROL_NAME), self, verbs)
        self.name, self.sockets = self._control.name, self._control.sockets

    @property
    def mode_name(self) -> str:
        return "STOPPING" if self.stop_asked else "FLOATING"

    def safe_stop(self, by: str = "") -> None:
        """The arm comes to rest and the run ends."""
        self.stop_asked = True

    def tell(self, severity: Severity, code: str, text: str) -> None:
        print(f"{severity.name.lower()}: {code}: {text}", file=sys.stderr)

    def fail(self, where: str, error: Exception) -> None:
        """An error of ours ends the run like a stop, by its name."""
        self.failure = f"{where}: {type(error).__name__}: {error}"
        self.tell(Severity.ERROR, "internal_error", self.failure)
        self.safe_stop()

    def serve(self, t: float) -> None:
        self._control.serve_stops()
        self._control.serve()

    def close(self) -> None:
        self._control.close()

    def _status(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"mode": self.mode_name, "t_s": round(self._now(), 3), "pushes": self.pushes}

    def _push(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if not self._virtual:
            raise Refused("push: the force sensor of this run is a real one: push the module itself")
        x, y, z = (number_of(arguments, key) for key in ("x_Ns", "y_Ns", "z_Ns"))
        size, lasts = math.hypot(x, y, z), number_of(arguments, "duration_s")
        if not 0.0 < size <= MOST_NS:
            raise BadInput("push", value=f"{size:g} N s", bound=f"above 0, at most {MOST_NS:g} N s")
        if not SHORTEST_S <= lasts <= LONGEST_S:
            raise BadInput("push: duration", value=f"{lasts:g} s", bound=f"{SHORTEST_S:g} … {LONGEST_S:g} s")
        at = self._now() + SOON_S
        self._hand.add(Push(at, (x, y, z), size, lasts))
        self.pushes += 1
        return {"at_s": at}
