"""What the bridge knows of its client: packets through the input filter into the estimate of the commanded relative pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from proxops.bridge.estimate import ESTIMATE_DTYPE, closing, hear
from proxops.bridge.input_filter import InputFilter, Sample
from proxops.core.vocabulary import InputState
from proxops.maths.rotation import Array, matrix_from_quat

NO_VELOCITY: Final = np.zeros(6)


class Hearing:
    """``step`` every cycle. ``pose`` is the estimated command T_target_chaser, packed; it is worth something while ``client``."""

    def __init__(self, timeout_ns: int) -> None:
        self.filter = InputFilter(timeout_ns)
        self.estimate = np.zeros(1, ESTIMATE_DTYPE)
        self.pose = np.zeros(7)
        self.sample: Sample | None = None  # newest that went out of the filter
        self.client = False  # one is there and sends

    def step(self, arrived: Sequence[Sample], now_ns: int) -> Sample | None:
        """The sample of this cycle, if there is one; it is in the estimate then."""
        sample = self.filter.step(arrived, now_ns)
        pose, velocity = self.pose, NO_VELOCITY
        if sample is not None:
            self.sample, pose = sample, sample.relative
            if sample.velocity is not None:
                velocity = sample.velocity
        dry = self.filter.state is InputState.DRY
        self.client = hear(
            self.estimate, pose, velocity, sample is not None, velocity is not NO_VELOCITY, dry, self.filter.gone, self.pose
        )  # fmt: skip
        return sample

    @property
    def closing(self) -> tuple[float, float]:
        """Speed (m/s) at which the command closes in on the target, and at which it turns (rad/s)."""
        return closing(self.estimate)


def sun_of(sample: Sample) -> Array | None:
    """Direction to the sun that a sample carries, in the chaser's frame; None where it carries none."""
    if sample.sun is None:
        return None
    R_client_target = matrix_from_quat(sample.T_client_target[3:7])
    R_target_chaser = matrix_from_quat(sample.relative[3:7])
    sun: Array = (R_client_target @ R_target_chaser).T @ sample.sun
    return sun
