"""Smooth curves through measured joint angles, with rates and accelerations: a polynomial (paper 004), and a penalised spline.

The spline is of the fifth degree on equal knots, so that accelerations are smooth too. Knots follow the sampling: there are at
least three samples for two of them, lest the curve goes through every sample and swings between them. Its roughness (third
differences of the coefficients) is weighted by generalised cross-validation, once for each joint; ``left_out`` tells by how much
the curve misses a sample that it has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DEGREE: Final = 5
ROUGHNESS: Final = 3  # order of the differences that are penalised
WEIGHTS: Final = np.logspace(-12, 8, 61)
LEAST_WEIGHT: Final = 1e-11  # always there, so that stretches without samples have a curve: the one that bends least
SAMPLES_PER_KNOT: Final = 1.5
AT_ONCE: Final = 2048  # rows of the hat matrix


@dataclass(frozen=True, eq=False)
class Smooth:
    """A curve and its derivatives at asked times, (m, n) each."""

    angles: Floats
    rates: Floats
    accelerations: Floats


class PolynomialFit:
    """Least squares, one polynomial per column of ``y`` (k, n) over ``t`` (k)."""

    def __init__(self, t: Floats, y: Floats, degree: int = DEGREE) -> None:
        self._curves = [Polynomial.fit(t, column, degree) for column in y.T]

    def at(self, t: Floats) -> Smooth:
        parts = [[curve.deriv(k)(t) if k else curve(t) for curve in self._curves] for k in range(3)]
        return Smooth(*(np.stack(part, axis=1) for part in parts))


class SplineFit:
    """Penalised B-spline, one per column of ``y`` (k, n) over ``t`` (k); ``spacing`` of knots in units of ``t``, wider where the
    samples are too far apart for it. ``left_out``: (k, n) sample less what the curve through all others has there."""

    def __init__(self, t: Floats, y: Floats, spacing: float) -> None:
        self._begin = float(t[0])
        wide = max(spacing, SAMPLES_PER_KNOT * float(np.median(np.diff(t))))
        count = max(1, round((float(t[-1]) - self._begin) / wide))
        self.spacing = (float(t[-1]) - self._begin) / count
        self._size = count + DEGREE
        middle = y.mean(axis=0)  # taken out, lest residuals of a millionth drown in the rounding of large sums
        gram, right = self._normal(t, y - middle)
        differences = np.diff(np.eye(self._size), ROUGHNESS, axis=0)
        power = ((y - middle) ** 2).sum(axis=0)
        found, self.weights, self._leverage = _cross_validated(gram, differences.T @ differences, right, power, t.size)
        self.coefficients = found + middle  # the splines add up to one
        self._samples = t, y

    def at(self, t: Floats) -> Smooth:
        parts = []
        for k in range(3):
            first, values = self._basis(t, k)
            parts.append(sum(values[:, i, None] * self.coefficients[first + i] for i in range(DEGREE + 1)))
        return Smooth(*parts)

    @cached_property
    def left_out(self) -> Floats:
        """Residual over one less the sample's own share in it: exact for a linear fit, without fitting it again. It takes as long
        as the fit, and not everybody asks."""
        (t, y), (modes, shrink) = self._samples, self._leverage  # (coefficients, modes), (modes, n)
        first, values = self._basis(t, 0)
        own = np.empty_like(y)
        for begin in range(0, t.size, AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            seen = sum(values[part, i, None] * modes[first[part] + i] for i in range(DEGREE + 1))
            own[part] = np.square(seen) @ shrink
        return np.asarray((y - self.at(t).angles) / np.maximum(1.0 - own, 1e-12))

    def _normal(self, t: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Both sides of the normal equations, summed interval by interval."""
        first, values = self._basis(t, 0)
        gram, right = np.zeros((self._size, self._size)), np.zeros((self._size, y.shape[1]))
        where = np.arange(self._size - DEGREE)
        for i in range(DEGREE + 1):
            for k in range(y.shape[1]):
                right[where + i, k] += np.bincount(first, values[:, i] * y[:, k], where.size)
            for j in range(DEGREE + 1):
                gram[where + i, where + j] += np.bincount(first, values[:, i] * values[:, j], where.size)
        return gram, right

    def _basis(self, t: Floats, derivative: int) -> tuple[NDArray[np.intp], Floats]:
        """Number of the first of the six splines that live at each time, and their values or derivatives there."""
        x = (t - self._begin) / self.spacing
        first = np.clip(np.floor(x).astype(np.intp), 0, self._size - DEGREE - 1)
        return first, _uniform(x - first, DEGREE, derivative) / self.spacing**derivative


def _uniform(x: Floats, degree: int, derivative: int) -> Floats:
    """(m, degree + 1) uniform B-splines over a knot interval, at x in [0, 1] (Cox and de Boor; derivatives by differences)."""
    if derivative:
        lower = np.pad(_uniform(x, degree - 1, derivative - 1), ((0, 0), (1, 1)))
        return lower[:, :-1] - lower[:, 1:]
    out = np.ones((x.size, 1))
    for d in range(1, degree + 1):
        wide = np.pad(out, ((0, 0), (1, 1)))
        k = np.arange(d + 1)
        # Spline k of degree d begins d - k intervals before: it rises with (x + d - k) / d and falls with (1 - x + k) / d.
        out = ((x[:, None] + d - k) * wide[:, :-1] + (1.0 - x[:, None] + k) * wide[:, 1:]) / d
    return out


def _cross_validated(
    gram: Floats, penalty: Floats, right: Floats, power: Floats, count: int
) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
    """Coefficients and weights of the penalty that predict left-out samples best, column by column; then modes (coefficients,
    modes) and how much each counts (modes, columns), of which a sample's own share in the fit is made.

    In coordinates where both matrices are diagonal every weight costs a few sums."""
    scale = float(np.trace(gram)) / gram.shape[0]
    L = np.linalg.cholesky(gram + LEAST_WEIGHT * scale * penalty + 1e-15 * scale * np.eye(gram.shape[0]))
    inner = np.linalg.solve(L, np.linalg.solve(L, penalty).T)
    d, U = np.linalg.eigh(0.5 * (inner + inner.T))
    d, z = np.clip(d * scale, 0.0, 1.0 / LEAST_WEIGHT), U.T @ np.linalg.solve(L, right)
    seen = 1.0 - LEAST_WEIGHT * d  # share of the samples in each mode; the rest is the least weight's
    shrink = 1.0 / (1.0 + np.outer(WEIGHTS, d))  # (weights, modes)
    chosen = np.empty(right.shape[1], np.intp)
    for column in range(right.shape[1]):
        z2 = z[:, column] ** 2
        rest = np.maximum(power[column] - (z2 * shrink * (2.0 - seen * shrink)).sum(axis=1), 0.0)
        chosen[column] = np.argmin(rest / (count - (seen * shrink).sum(axis=1)) ** 2)
    modes, kept = np.linalg.solve(L.T, U), shrink[chosen].T
    return modes @ (kept * z), WEIGHTS[chosen], (modes, kept)
