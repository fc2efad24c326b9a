"""A row of a floating run: one for each cycle, doubles only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import copy_to
from proxops.touch.joint_plan import put_object

Floats = NDArray[np.float64]


def row_dtype(n: int) -> np.dtype[np.void]:
    """What one cycle leaves behind. SI, world axes; the sensor's wrenches in its own."""
    return np.dtype(
        [
            ("t", "f8"), ("stage", "f8"), ("phase", "f8"), ("measured", "f8", (n,)), ("setpoint", "f8", (n,)),
            ("rates", "f8", (n,)),
            ("pose", "f8", (7,)), ("velocity", "f8", (6,)), ("shown", "f8", (7,)), ("read", "f8", (6,)), ("residual", "f8", (6,)),
            ("felt", "f8", (6,)), ("outside", "f8", (6,)), ("applied", "f8", (6,)), ("pushed", "f8", (6,)),
            ("energy", "f8"), ("touching", "f8"), ("turned", "f8"), ("following", "f8"), ("ahead_s", "f8"), ("arm_angle", "f8"),
            ("work", "f8"), ("lateness", "f8"),
        ]
    )  # fmt: skip


def _place(name: str) -> int:
    """Number of a column's first double in a row, of an arm without joints: each joint has three before all but the first."""
    columns = row_dtype(0).fields
    assert columns is not None
    return int(columns[name][1]) // np.dtype(np.float64).itemsize


JOINTS, SHOWN, APPLIED = _place("measured"), _place("shown"), _place("applied")


@kernel
def keep_row(
    row: Floats, measured: Floats, setpoint: Floats, rates: Floats, T_world_base: Floats, lengths: Floats, signs: Floats,
    angles: Floats, T_flange_object: Floats, applied: Floats,
) -> None:  # fmt: skip
    """Axes, what the arm shows at its true ``angles`` and what is ``applied``, into a row of ``row_dtype``."""
    n = measured.shape[0]
    for i in range(n):
        row[JOINTS + i], row[JOINTS + n + i], row[JOINTS + 2 * n + i] = measured[i], setpoint[i], rates[i]
    shown = 3 * n + SHOWN
    put_object(T_world_base, lengths, signs, angles, T_flange_object, row[shown : shown + 7])
    copy_to(applied, row[3 * n + APPLIED :])
