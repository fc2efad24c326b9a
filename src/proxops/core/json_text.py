"""JSON that did not come from this very process: in a log, beside one."""

from __future__ import annotations

import json
from typing import Any

from proxops.core.errors import BadInput


def read_json(text: str, what: str, where: str) -> Any:
    """Its value; BadInput names ``what`` it should have been."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as reason:  # RecursionError: a thousand brackets
        raise BadInput(f"cannot read {what}: {reason}", where=where) from None
