"""Courses of joints over time, through given angles at given times."""

from __future__ import annotations

import numpy as np

from proxops.arms.model import Floats


class LinearCourse:
    """Straight between the nodes, at rest before the first and after the last: the rates jump at every node."""

    def __init__(self, t: Floats, angles: Floats) -> None:
        """``t``: (nodes) s; ``angles``: (nodes, joints) rad."""
        self._t, self._angles = t, angles
        rates = np.diff(angles, axis=0) / np.diff(t)[:, None]
        still = np.zeros((1, angles.shape[1]))
        self._rates = np.concatenate([still, rates, still])
        self.nodes: tuple[float, ...] = tuple(float(node) for node in t)

    def __call__(self, t: float, before: bool) -> tuple[Floats, Floats]:
        """Angles and rates; at a node the rates of the stretch that ends there if ``before``, else of the next one."""
        stretch = int(np.searchsorted(self._t, t, side="left" if before else "right"))
        at = max(stretch - 1, 0)
        return self._angles[at] + self._rates[stretch] * (t - self._t[at]), self._rates[stretch]

    def and_back(self, end: float) -> LinearCourse:
        """This one until ``end``, then the same backwards."""
        early = self._t < end
        t = np.append(self._t[early], end)
        angles = np.vstack([self._angles[early], self(end, True)[0]])
        return LinearCourse(np.append(t, 2.0 * end - t[-2::-1]), np.vstack([angles, angles[-2::-1]]))


class RestToRest:
    """From node to node by quintics, at rest at each: joint rates and accelerations are continuous."""

    def __init__(self, t: Floats, angles: Floats) -> None:
        self._t, self._angles = t, angles
        self.nodes: tuple[float, ...] = tuple(float(node) for node in t)

    def at(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Angles, rates, accelerations."""
        k = min(max(int(np.searchsorted(self._t, t, side="right")) - 1, 0), len(self._t) - 2)
        whole, way = self._t[k + 1] - self._t[k], self._angles[k + 1] - self._angles[k]
        x = min(max((t - self._t[k]) / whole, 0.0), 1.0)
        share = x**3 * (10.0 + x * (6.0 * x - 15.0))
        slope = 30.0 * x**2 * (1.0 - x) ** 2 / whole
        bend = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / whole**2
        return self._angles[k] + share * way, slope * way, bend * way

    def __call__(self, t: float, before: bool) -> tuple[Floats, Floats]:
        """Angles and rates; ``before`` makes no difference."""
        angles, rates, _ = self.at(t)
        return angles, rates
