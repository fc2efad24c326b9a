"""Radiance as pictures to look at: of 8 bits, alone or many on a sheet. No camera is like that; ``sensors/camera`` has one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def eight_bit(radiance: Floats, white: float | None = None) -> NDArray[np.uint8]:
    """``white`` W/m²/sr (the brightest hundredth unless given) becomes 255; levels as a screen wants them (gamma)."""
    top = white or max(float(np.percentile(radiance, 99.0)), 1e-9)
    levels: NDArray[np.uint8] = np.round(255.0 * np.clip(radiance / top, 0.0, 1.0) ** (1 / 2.2)).astype(np.uint8)
    return levels


def contact_sheet(rows: Sequence[Sequence[Floats]], white: float | None = None, gap: int = 4) -> NDArray[np.uint8]:
    """Pictures of one size in rows (a light each) and columns (a distance each); ``white`` as above, of each picture
    by itself unless given. Grey gaps of some pixels between them."""
    height, width = rows[0][0].shape
    columns = max(len(row) for row in rows)
    sheet = np.full((len(rows) * (height + gap) - gap, columns * (width + gap) - gap), 128, np.uint8)
    for j, row in enumerate(rows):
        for i, radiance in enumerate(row):
            top, left = j * (height + gap), i * (width + gap)
            sheet[top : top + height, left : left + width] = eight_bit(radiance, white)
    return sheet
