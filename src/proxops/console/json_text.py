"""JSON for pages. It knows no NaN: a number that is not finite is null, for whoever tells it and wherever it stands."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.responses import JSONResponse


def json_text(value: Any) -> str:
    """``value`` as JSON. Nearly always all is finite; only what is not costs a second walk."""
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, ensure_ascii=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value


class JsonAnswer(JSONResponse):
    """An answer over HTTP."""

    def render(self, content: Any) -> bytes:
        return json_text(content).encode("utf-8", "replace")
