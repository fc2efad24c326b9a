"""The turn of a request that takes the console itself some time: whether it may still be carried out when the time has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from proxops.core.errors import Refused


@dataclass(frozen=True)
class Turn:
    """``until_s``: by ``time.monotonic``; ``demand`` refuses who no longer holds control."""

    what: str
    until_s: float
    demand: Callable[[], None]

    @property
    def left_ms(self) -> float:
        return (self.until_s - time.monotonic()) * 1e3

    def check(self) -> None:
        """Refused when it comes too late, or when control has gone to another."""
        self.demand()
        if self.left_ms <= 0.0:
            raise Refused(f"{self.what}: its turn came too late ({-self.left_ms:.0f} ms after its time to live)")
