"""The way to the robots of a cell, whatever is behind it: set-points in, what the axes report out, drives, faults.

A link never judges a set-point: that is the guard's business. Controllers behind it may fault, as real ones do.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.lab.links.fault import LinkFault


class Link(Protocol):
    """Robots that are commanded by axis positions (m, rad), once a cycle. None of this waits."""

    rate: NDArray[np.float64]  # of the axes, as reported with ``read``
    positioning_error: NDArray[np.float64]  # true minus reported axes: known of virtual robots, NaN of real ones

    def read(self) -> NDArray[np.float64]:
        """Axes at the beginning of this cycle."""
        ...

    def write(self, setpoint: NDArray[np.float64]) -> LinkFault | None:
        """Send the set-point of this cycle; what is wrong with the link or its controllers, every cycle until it is mended."""
        ...

    def drives_on(self) -> None:
        """Begin to open the brakes: ``all_on`` follows. Clears faults."""
        ...

    def drives_off(self) -> None:
        """Brake what still moves, hard, and close the brakes."""
        ...

    @property
    def drift(self) -> NDArray[np.float64] | None:
        """Of robots without a position loop: by how much the last cycle has led them elsewhere than to their set-point (m, rad);
        None of others."""
        ...

    @property
    def all_on(self) -> bool: ...
    @property
    def any_on(self) -> bool: ...
    @property
    def standing(self) -> NDArray[np.float64]:
        """Where the axes are held when nobody commands them."""
        ...
