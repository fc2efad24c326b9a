"""A failure of our own, or of code that we call, as a stop: what failed, with what error, and where."""

from __future__ import annotations

import traceback
from pathlib import Path

from proxops.safety.rules import Rule, Stop


def failure(part: str, error: Exception) -> Stop:
    """The stop that an exception in ``part`` of the facility becomes."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    said = " ".join(str(error).split())[:200]
    return Stop(Rule.INTERNAL_ERROR, detail=f"{part}: {type(error).__name__}: {said}{at}")
