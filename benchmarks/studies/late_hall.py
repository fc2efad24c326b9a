"""A hall that is nothing but late: for studies of the loop that go to the limits of what a delay allows.

It shows the commanded poses a delay later, on the cubic through the four nodes about a moment, and touches there with the true
law. The force goes through a sensor with noise and a dead zone that works on the true force (below D it reads zero, as
``sensors/force_torque``); the pose is told with a stamp that is off by a constant, which is the error of a delay as believed.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import quat_inverse, quat_product, turned
from proxops.maths.rotation import Array
from proxops.space.contact_pair import Pair, contact_wrench
from proxops.touch.docking_loop import Felt

NODES: Final = 64  # of the ring: delays up to a quarter of a second at 4 ms


@kernel
def _shown(nodes: Array, newest: int, ticks: float, tip: Array, ball: Array, twist: Array) -> None:
    """``ball`` (7): ball and attitude at a moment in ticks; ``twist`` (6): its velocity and rate. Client axes. On the cubic
    through four nodes, two on either side of the moment where there are as many."""
    first = min(math.floor(ticks) - 1, newest - 3)
    u = ticks - first
    w = (
        -(u - 1) * (u - 2) * (u - 3) / 6,
        u * (u - 2) * (u - 3) / 2,
        -u * (u - 1) * (u - 3) / 2,
        u * (u - 1) * (u - 2) / 6,
    )
    s = (
        -(3 * u * u - 12 * u + 11) / 6,
        (3 * u * u - 10 * u + 6) / 2,
        -(3 * u * u - 8 * u + 3) / 2,
        (3 * u * u - 6 * u + 2) / 6,
    )
    ball[:], slope = 0.0, np.zeros(7)
    for j in range(4):
        node = nodes[(first + j) % NODES]
        for i in range(7):
            ball[i] += w[j] * node[i]
            slope[i] += s[j] / PERIOD_S * node[i]
    norm = math.sqrt(ball[3] ** 2 + ball[4] ** 2 + ball[5] ** 2 + ball[6] ** 2)
    for i in range(3, 7):
        ball[i] /= norm
        slope[i] /= norm
    rate, arm = quat_product(slope[3:7], quat_inverse(ball[3:7])), turned(ball[3:7], tip)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        ball[i] += arm[i]
        twist[i] = slope[i] + 2.0 * (rate[1 + j] * arm[k] - rate[1 + k] * arm[j])
        twist[3 + i] = 2.0 * rate[1 + i]


class LateHall:
    """``true``: bodies with the law that the hardware has. ``command`` (7): the first pose of the port, come to with
    ``velocity`` (m/s)."""

    def __init__(
        self, true: Pair, delay_s: float, command: Array, velocity: Array, noise_n: float, dead_n: float, skew_s: float,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self._true, self._late, self._skew = true, delay_s / PERIOD_S, skew_s / PERIOD_S
        self._noise_n, self._dead_n, self._rng = noise_n, dead_n, rng
        self._nodes, self._newest = np.empty((NODES, 7)), -1
        self._nodes[:] = command
        self._nodes[:, :3] += (np.arange(NODES)[:, None] - NODES) * PERIOD_S * velocity
        self.wrench = np.zeros(6)  # as it truly is
        self.peak_n = 0.0

    def feel(self, command: Array) -> Felt:
        """Takes the pose of this cycle and tells what the sensors say in it."""
        self._newest += 1
        self._nodes[self._newest % NODES] = command
        ball, twist, tip = np.empty(7), np.empty(6), self._true[0]["tip"]
        now = self._newest - self._late
        _shown(self._nodes, self._newest, now, tip, ball, twist)
        contact_wrench(self._true, ball, twist, self.wrench)
        self.peak_n = max(self.peak_n, float(np.linalg.norm(self.wrench[:3])))
        read = self.wrench.copy()
        read[:3] = np.where(np.abs(read[:3]) < self._dead_n, 0.0, read[:3])
        read[:3] += self._noise_n * self._rng.standard_normal(3)
        _shown(self._nodes, self._newest, now + self._skew, tip, ball, twist)
        return Felt(ball, twist, read, False)
