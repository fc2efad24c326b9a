"""The newest that every sensor has seen, and nothing older: what pages are shown, each at its own pace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proxops.console.sight import HungSight


@dataclass(frozen=True)
class Hung:
    """``serial`` tells a newer one from what a page has already."""

    serial: int
    sight: HungSight


class Gallery:
    """By sensor and kind of what it sees. A sensor that hands out the same bytes again and again is frozen: ``same`` counts."""

    def __init__(self) -> None:
        self.newest: dict[tuple[str, str], Hung] = {}
        self._serial = 0
        self._facts: dict[str, tuple[int, dict[str, Any]]] = {}

    def hang(self, sight: HungSight, moment_ms: float) -> None:
        """A new one takes the place of the one before. ``moment_ms``: of its exposure, by our clock."""
        before = self.newest.get(sight.key)
        again = before is not None and before.sight.payload == sight.payload
        same = before.sight.facts["same"] + 1 if before and again else 0
        utc_ns, facts = self._facts.get(sight.sensor, (None, {}))
        self._put(sight.with_facts(at_ms=moment_ms, same=same, **(facts if utc_ns == sight.utc_ns else {})))

    def learn(self, sensor: str, utc_ns: int, facts: dict[str, Any]) -> None:
        """Facts of the exposure at that time: they may come before or after what was seen."""
        self._facts[sensor] = utc_ns, facts
        for hung in list(self.newest.values()):
            if hung.sight.sensor == sensor and hung.sight.utc_ns == utc_ns:
                self._put(hung.sight.with_facts(**facts))

    def clear(self) -> None:
        """Other sensors."""
        self.newest.clear()
        self._facts.clear()

    def _put(self, sight: HungSight) -> None:
        self._serial += 1
        self.newest[sight.key] = Hung(self._serial, sight.with_facts(serial=self._serial))
