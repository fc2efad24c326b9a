"""What no two chips share: the unevenness of their pixels' response, and the pixels that are dead. Drawn once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.imaging_table import GreyCamera


@dataclass(frozen=True, eq=False)
class Chip:
    """``response`` (h, w) has mean 1; ``dead`` are indices into the flat picture, ``hot`` says which of those are white."""

    response: NDArray[np.float64]
    dead: NDArray[np.int64]
    hot: NDArray[np.bool_]


def make_chip(spec: GreyCamera, index: int, seed: int) -> Chip:
    """The chip of the run's imaging sensor ``index``: the same whatever is exposed, and in every process."""
    rng = np.random.default_rng((seed, index, 0, 1))  # four numbers: no exposure's (seed, sensor, number)
    uneven = spec.uneven_share * rng.standard_normal((spec.height, spec.width))
    dead = np.flatnonzero(rng.random(spec.height * spec.width) < spec.dead_share)
    return Chip(np.maximum(1.0 + uneven, 0.0), dead, rng.random(len(dead)) < 0.5)
