"""Tables of a TOML file, read strictly: an unknown key, a wrong type or an absurd value is named with what is allowed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.errors import BadInput
from proxops.core.toml_text import read_toml


class Strict(BaseModel):
    """A table: unknown keys and wrong types are errors, and nothing changes after loading."""

    # Built when it is first used: a process reads few of the tables that it imports.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, table: Any) -> Any:
        """Before anything else: a mistyped key is also a missing one, and the typing mistake is what to report."""
        for key in table if isinstance(table, dict) else ():
            if key not in (known := [field.alias or name for name, field in cls.model_fields.items()]):
                context = {"key": key, "value": table[key], "bound": ", ".join(known)}
                raise PydanticCustomError("unknown_key", "unknown key", context)
        return table


def within(low: float, high: float) -> BeforeValidator:
    """Range of a number, both ends allowed; the complaint names both, whatever is wrong with the value."""

    def check(value: Any) -> Any:
        context = {"bound": f"{_short(low)} … {_short(high)}"}
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise PydanticCustomError("number", "not a number", context)
        if not low <= value <= high:  # NaN, too
            raise PydanticCustomError("range", "out of range", context)
        return value

    return BeforeValidator(check)


def _unit(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    length = math.hypot(*vector)
    if not 1e-6 <= length <= 1e6:
        raise PydanticCustomError("direction", "no direction", {"bound": "a vector of length 1e-6 … 1e6"})
    return vector[0] / length, vector[1] / length, vector[2] / length


def _short(number: float) -> str:
    """As people write it: whole numbers in full."""
    return str(int(number)) if number == int(number) else f"{number:g}"


# Strict: "6.0" and true are not numbers, 1 is not a truth value.
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Whole = Annotated[int, Field(strict=True)]
Truth = Annotated[bool, Field(strict=True)]
Share = Annotated[Finite, within(0, 1)]
Triple = tuple[Finite, Finite, Finite]
Direction = Annotated[Triple, AfterValidator(_unit)]  # of length one once it is read

WORDS: Final = {  # pydantic's own complaints, in ours
    "missing": "is missing",
    "float_type": "not a number",
    "int_type": "not a whole number",
    "bool_type": "neither true nor false",
    "literal_error": "not one of the choices",
    "union_tag_invalid": "not one of the choices",
    "union_tag_not_found": "is missing",
}

Table = TypeVar("Table", bound=Strict)


def read_table(text: str, kind: type[Table], source: Path) -> Table:
    """The file's text as a table of this kind."""
    return judge_table(read_toml(text, source), kind, source)


def judge_table(values: dict[str, Any], kind: type[Table], source: Path) -> Table:
    """Values as a table of this kind."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise _complaint(error, source) from None


def _complaint(error: ValidationError, source: Path) -> BadInput:
    first = error.errors()[0]
    # Of a union pydantic names the branch as well: "function-before[…]" is no key.
    place = [part for part in first["loc"] if not (isinstance(part, str) and "[" in part)]
    context, value = first.get("ctx", {}), first["input"]
    if "key" in context:  # a check of a whole table says which of its keys it means
        place.append(context["key"])
        value = context["value"]
    elif first["type"].startswith("union_tag"):
        place.append("kind")
        value = context.get("tag")
    elif first["type"] == "missing":
        value = None
    bound = context.get("bound") or context.get("expected") or context.get("expected_tags") or ""
    what = WORDS.get(first["type"], first["msg"])
    return BadInput(f"{_key(place)}: {what}", where=str(source), value=value, bound=str(bound))


def _key(place: list[str | int]) -> str:
    """``motion 3 (approach).to_m``: rows of an array are counted from 1 and carry their kind."""
    words: list[str] = []
    for i, part in enumerate(place):
        if isinstance(part, int):
            words[-1] += f" {part + 1}"
        elif i >= 2 and isinstance(place[i - 1], int) and any(isinstance(key, str) for key in place[i + 1 : i + 2]):
            words[-1] += f" ({part})"
        else:
            words.append(part)
    return ".".join(words)
