"""Time columns of outside tables, in the forms laboratories write them, as exact UTC nanoseconds.

Numbers go through decimal arithmetic, never through a float: a float of Unix seconds is good to 240 ns only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Final

from proxops.core.clock import GPS_EPOCH_UNIX_S, GPS_MINUS_UTC_S, parse_utc_ns, utc_from_gps_ns
from proxops.core.errors import BadInput

WEEK_S: Final = 604_800
EARLIEST_GPS_NS: Final = (1_483_228_800 - GPS_EPOCH_UNIX_S + GPS_MINUS_UTC_S) * 1_000_000_000
"""2017-01-01: GPS minus UTC has been 18 s since then and was less before."""
LATEST_NS: Final = 2**63 - 1


@dataclass(frozen=True)
class TimeForm:
    """A way to write an instant: how the cells of its columns become UTC nanoseconds."""

    name: str
    bound: str
    read: Callable[[list[str]], int]


def _scaled(text: str, unit: str) -> int:
    """Exact nanoseconds from a decimal number in ``unit``."""
    try:
        value = Decimal(text.strip()) * Decimal(10) ** {"s": 9, "ms": 6, "us": 3, "ns": 0}[unit]
    except InvalidOperation:
        raise ValueError("not a number") from None
    if not value.is_finite() or abs(value) > LATEST_NS:
        raise ValueError("out of range")
    return int(value.to_integral_value())


def _unix(unit: str, cells: list[str]) -> int:
    return _scaled(cells[0], unit)


def _since_gps_epoch(unit: str, cells: list[str]) -> int:
    return _gps(_scaled(cells[0], unit))


def _gps(gps_ns: int) -> int:
    if gps_ns < EARLIEST_GPS_NS:
        raise ValueError("before 2017, when GPS minus UTC was not 18 s")
    return utc_from_gps_ns(gps_ns)


def _week_and_seconds(cells: list[str]) -> int:
    week, tow = int(cells[0]), _scaled(cells[1], "s")
    if week < 0 or not 0 <= tow < WEEK_S * 1_000_000_000:
        raise ValueError("out of range")
    return _gps(week * WEEK_S * 1_000_000_000 + tow)


def _utc(cells: list[str]) -> int:
    """ISO 8601, or a number whose size tells seconds from nanoseconds."""
    text = cells[0].strip().replace(",", ".")
    if not re.fullmatch(r"[+-]?[\d.]+([eE][+-]?\d+)?", text):
        return parse_utc_ns(text)
    for unit, low, high in (("s", 10**8, 10**11), ("ns", 10**17, 10**19)):
        if low <= abs(Decimal(text)) < high:
            return _scaled(text, unit)
    raise ValueError("neither Unix seconds nor nanoseconds")


def _forms() -> dict[str, TimeForm]:
    forms = [TimeForm("utc", "ISO 8601 in UTC, Unix seconds or Unix nanoseconds", _utc)]
    for unit in ("ns", "us", "ms", "s"):
        forms += [
            TimeForm(f"utc_{unit}", f"Unix time in {unit}", partial(_unix, unit)),
            TimeForm(f"gps_{unit}", f"{unit} since 1980-01-06, from 2017 on", partial(_since_gps_epoch, unit)),
        ]
    forms.append(TimeForm("gps_week", f"week number, and seconds of week in [0, {WEEK_S})", _week_and_seconds))
    return {form.name: form for form in forms}


FORMS: Final = _forms()
_NAMES: Final = {
    **{name: name for name in FORMS if name != "gps_week"},
    **{name: "utc" for name in ("time_utc", "utc_time", "utc_iso", "timestamp", "datetime", "time")},
    **{f"unix_{unit}": f"utc_{unit}" for unit in ("ns", "us", "ms", "s")},
}
_ORDER: Final = ("utc_ns", "gps_ns", "utc_us", "gps_us", "utc", "utc_ms", "gps_ms", "utc_s", "gps_s")
_TOW: Final = ("gps_tow_s", "gps_tow", "tow_s")


def plain(header: str) -> str:
    """Column name without unit and group: ``clock.utc_ns [ns]`` -> ``utc_ns``."""
    return header.partition("[")[0].strip().lower().rpartition(".")[2]


def find_time(header: list[str], column: str | None, form: str | None, where: str) -> tuple[TimeForm, list[int]]:
    """Form and column numbers of the time: those asked for, or the most exact that the header offers."""
    names = [plain(name) for name in header]
    if form is not None and form not in FORMS:
        raise BadInput("no such form of time", value=repr(form), bound=", ".join(FORMS))
    if column is not None:
        return _asked(header, names, column, form, where)
    for wanted in _ORDER if form is None else (form,):
        for place, name in enumerate(names):
            if _NAMES.get(name) == wanted:
                return FORMS[wanted], [place]
    tow = next((names.index(name) for name in _TOW if name in names), None)
    if "gps_week" in names and tow is not None and form in (None, "gps_week"):
        return FORMS["gps_week"], [names.index("gps_week"), tow]
    known = ", ".join([*_NAMES, "gps_week with gps_tow_s"])
    found = ", ".join(header)
    raise BadInput("no column with a time", where=where, value=found, bound=known, way_out="name the column")


def _asked(
    header: list[str], names: list[str], column: str, form: str | None, where: str
) -> tuple[TimeForm, list[int]]:
    if column in header:
        place = header.index(column)
    elif plain(column) in names:
        place = names.index(plain(column))
    else:
        raise BadInput("no such column", where=where, value=repr(column), bound=", ".join(header))
    if names[place] == "gps_week" or form == "gps_week":
        tow = next((names.index(name) for name in _TOW if name in names), None)
        if tow is None:
            raise BadInput("a GPS week needs its seconds", where=where, bound=" or ".join(_TOW))
        return FORMS["gps_week"], [place, tow]
    return FORMS[form or _NAMES.get(names[place], "utc")], [place]


def read_time(form: TimeForm, cells: list[str], where: str) -> int:
    """UTC nanoseconds of one row; BadInput with the place, the value and the bound."""
    value = ", ".join(map(repr, cells))
    try:
        utc_ns = form.read(cells)
    except (ValueError, ArithmeticError, BadInput) as reason:
        said = reason.what if isinstance(reason, BadInput) else str(reason)
        raise BadInput(f"bad time ({said})", where=where, value=value, bound=form.bound) from None
    if not 0 <= utc_ns <= LATEST_NS:
        raise BadInput("bad time (out of range)", where=where, value=value, bound=form.bound)
    return utc_ns
