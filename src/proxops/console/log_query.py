"""What stands in the address of a request of the log viewer, checked: absurd values are refused in words."""

from __future__ import annotations

import math
from typing import Final

from starlette.requests import Request

from proxops.core.errors import BadInput
from proxops.ground.log_window import FAR_S

NAMES: Final = 64


def text(request: Request, name: str) -> str:
    given = request.query_params.get(name, "")
    if not given:
        raise BadInput(f"{name} is missing in the request")
    return given


def run_id(request: Request) -> str:
    return text(request, "id")


def number(request: Request, name: str, least: float, most: float) -> float:
    """A number within bounds; NaN is within none."""
    given = text(request, name)
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise BadInput(name, value=repr(given[:40]), bound=f"{least:g} to {most:g}")
    return value


def span(request: Request) -> tuple[float, float]:
    """From and to, s since the first record."""
    t0, t1 = number(request, "t0", -FAR_S, FAR_S), number(request, "t1", -FAR_S, FAR_S)
    if not t0 < t1:
        raise BadInput("the span of time is empty", value=f"{t0} to {t1} s", bound="t0 before t1")
    return t0, t1


def names(request: Request) -> list[str]:
    """Of variables, or of differences of two."""
    found = list(dict.fromkeys(name for name in text(request, "names").split(",") if name))
    if not 0 < len(found) <= NAMES:
        raise BadInput("names of variables", value=len(found), bound=f"1 to {NAMES}")
    return found
