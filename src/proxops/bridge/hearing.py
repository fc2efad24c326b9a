"""What the bridge knows of its client: packets through the input filter into the estimate of the commanded relative pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxops.bridge.estimate import ESTIMATE_DTYPE, Estimate, closing, hear
from proxops.bridge.filter_machine import DRY, Filter, silent_ns, step
from proxops.bridge.input_filter import InputFilter
from proxops.bridge.packet_history import History
from proxops.bridge.sample import FLAGS, PacketBlock, Sample
from proxops.core.bridge_datagram import VELOCITIES_VALID
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_quat


@kernel
def listen(
    filter: Filter, history: History, packets: PacketBlock, now_ns: int, estimate: Estimate, pose: Array
) -> tuple[bool, bool]:
    """One cycle: its packets through the filter into the estimate. Whether one went through, and whether a client is there."""
    f = filter[0]
    fresh = step(filter, history, packets, 0, now_ns)
    with_velocity = f.last_head[FLAGS] & VELOCITIES_VALID != 0
    gone = silent_ns(filter) > f.timeout_ns
    return fresh, hear(estimate, f.last[0:7], f.last[14:20], fresh, with_velocity, f.state == DRY, gone, pose)


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
        filter_ = self.filter
        fresh, self.client = listen(
            filter_.machine, filter_.history, filter_.block(arrived), now_ns, self.estimate, self.pose
        )
        if not fresh:
            return None
        self.sample = filter_.last
        return self.sample

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
