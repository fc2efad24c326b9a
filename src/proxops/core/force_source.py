"""Where forces come from: one reading of a six-axis sensor, and what the facility asks of any sensor, modelled or real."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
AXES: Final = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")
UNITS: Final = ("N", "N", "N", "N m", "N m", "N m")


def wrench_of(force: float, torque: float) -> Floats:
    """The same on all three axes of each: N, N m."""
    return np.array([force] * 3 + [torque] * 3)


class ForceSample(NamedTuple):
    """``wrench``: force (N) and torque (N m) on the tool from outside, its own weight and inertia included, about the
    sensor's origin in the sensor's axes. Nothing but NaN when the sensor says so."""

    t: float  # s, when it was measured
    wrench: Floats
    sequence: int  # counts the sensor's readings, those included that never arrived


class ForceSource(Protocol):
    """A sensor as its user sees it."""

    def latest(self, t: float) -> ForceSample | None:
        """The newest reading that has arrived by ``t``; None before the first. The same one again until there is another."""
        ...


class ForceStream(Protocol):
    """A sensor of which every reading is wanted, once."""

    def arrived(self, t: float) -> Sequence[ForceSample]:
        """What has arrived since the last call, oldest first, by ``t``; bounded in number, empty if there is nothing new."""
        ...

    def close(self) -> None:
        """It is not asked again."""
        ...
