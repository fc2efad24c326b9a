"""A push of the virtual hand, asked for over the control channel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from proxops.applications.floating.module_hand import Hand
from proxops.applications.floating.scene import COUNTER_SHARE
from proxops.core.errors import BadInput, Refused
from proxops.facility.control import Verb, number_of
from proxops.touch.push import Push

SOON_S: Final = 0.008  # a push begins two cycles after it was asked for
MOST_NS, SHORTEST_S, LONGEST_S = 20.0, 0.02, 0.5


def push_verb(hand: Hand, now: Callable[[], float], *, virtual: bool, counter_share: float = COUNTER_SHARE) -> Verb:
    """World axes, at the middle of the module. ``now``: time of the flight, s. ``counter_share``: of a stiff arm."""

    def push(arguments: dict[str, Any]) -> dict[str, Any]:
        if not virtual:
            raise Refused("push: the force sensor of this run is a real one: push the module itself")
        x, y, z = (number_of(arguments, key) for key in ("x_Ns", "y_Ns", "z_Ns"))
        size, lasts = math.hypot(x, y, z), number_of(arguments, "duration_s")
        if not 0.0 < size <= MOST_NS:
            raise BadInput("push", value=f"{size:g} N s", bound=f"above 0, at most {MOST_NS:g} N s")
        if not SHORTEST_S <= lasts <= LONGEST_S:
            raise BadInput("push: duration", value=f"{lasts:g} s", bound=f"{SHORTEST_S:g} … {LONGEST_S:g} s")
        at = now() + SOON_S
        hand.add(Push(at, (x, y, z), size, lasts, counter_share))
        return {"at_s": at}

    return push
