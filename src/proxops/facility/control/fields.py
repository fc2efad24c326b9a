"""Fields of a control request, each judged before it is used."""

from __future__ import annotations

from typing import Any, Final

from proxops.core.errors import BadInput

NUMBER_LIMIT: Final = 1e19  # a time in ns is the largest number that a request carries


def text_of(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise BadInput(f"{key} must be a text", value=repr(value)[:80])
    return value


def integer_of(table: dict[str, Any], key: str) -> int:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) <= NUMBER_LIMIT:
        raise BadInput(f"{key} must be a whole number", value=repr(value)[:80])
    return value


def number_of(table: dict[str, Any], key: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= NUMBER_LIMIT:
        raise BadInput(f"{key} must be a finite number", value=repr(value)[:80])
    return float(value)


def flag_of(table: dict[str, Any], key: str) -> bool:
    value = table.get(key)
    if not isinstance(value, bool):
        raise BadInput(f"{key} must be true or false", value=repr(value)[:80])
    return value
