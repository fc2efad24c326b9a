"""What a page may send, checked before anything is done with it. Whatever else comes is an error that names itself."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from proxops.core.errors import BadInput

SIZE_LIMIT: Final = 16_384  # bytes of one message
Hertz = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=100.0)]
Moment = Annotated[float, Field(allow_inf_nan=False, ge=-1e15, le=1e15)]


class PageMessage(BaseModel):
    """Unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Greeting(PageMessage):
    """The first message of a page."""

    kind: Literal["hello"]
    version: int
    name: Annotated[str, Field(max_length=200)]


class Ping(PageMessage):
    """Answered with our clock."""

    kind: Literal["ping"]
    at: Moment


class FrameSeen(PageMessage):
    """The page has taken a frame."""

    kind: Literal["seen"]
    frame: Annotated[int, Field(ge=0, le=2**32)]


class SensorLooks(PageMessage):
    """How often a second the page wishes to see what which sensor sees; all others it does not look at."""

    kind: Literal["look"]
    at: Annotated[dict[Annotated[str, Field(max_length=40)], Hertz], Field(max_length=32)]


class SightSeen(PageMessage):
    """The page has taken what a sensor saw."""

    kind: Literal["sighted"]
    serial: Annotated[int, Field(ge=0, le=2**53)]


class Request(PageMessage):
    """Something to be done. ``sent_ms`` is the earliest that our clock can have said when it was asked."""

    kind: Literal["do"]
    sequence: Annotated[int, Field(ge=1, le=2**53)]
    sent_ms: Moment
    ttl_ms: Annotated[float, Field(gt=0, le=5000, allow_inf_nan=False)]
    do: Annotated[str, Field(max_length=40)]
    arguments: Annotated[dict[str, Any], Field(alias="with", max_length=16)]


AnyMessage = Greeting | Ping | FrameSeen | SensorLooks | SightSeen | Request
Said = Annotated[AnyMessage, Field(discriminator="kind")]
_SAID: Final[TypeAdapter[AnyMessage]] = TypeAdapter(Said)


def understood(data: str | bytes) -> AnyMessage:
    """The message, or BadInput in few words."""
    if len(data) > SIZE_LIMIT:
        raise BadInput("message too long", value=len(data), bound=f"{SIZE_LIMIT} bytes")
    try:
        return _SAID.validate_python(json.loads(data))
    except (ValueError, RecursionError, ValidationError) as error:
        first = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise BadInput(f"message cannot be understood: {first}"[:200]) from None
