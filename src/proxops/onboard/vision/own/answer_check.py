"""Whether the answer of somebody else's estimator can be used at all. What is no pose, or has no covariance, is refused with a
doubt: nothing that is said stops a flight."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.vision import Floats, Marks, PoseFound
from proxops.core.vocabulary import Doubt

UNIT_ERROR: Final = 1e-3  # by which a quaternion's length may be off
FARTHEST_M: Final = 1e6
# Of a covariance, m² and rad²: less than a micrometre is a mistake, and more than this says nothing.
LEAST, MOST = 1e-12, 1e8
UNEQUAL: Final = 1e-6  # of its largest element, by which it may be unsymmetric
MOST_MARKS: Final = 100_000  # and no pixel, nor metre, is further off


class NoAnswer(ValueError):
    """What came is none, and why."""


def checked(found: object) -> PoseFound:
    """The same, arrays as they must be; NoAnswer says what is wrong."""
    if not isinstance(found, PoseFound):
        raise NoAnswer(f"a PoseFound was expected, not {type(found).__name__}")
    if not isinstance(found.doubt, Doubt):
        raise NoAnswer(f"doubt is no Doubt: {found.doubt!r:.100}")
    if not (isinstance(found.trust, int | float) and math.isfinite(found.trust) and 0.0 <= found.trust <= 1.0):
        raise NoAnswer(f"trust is not between 0 and 1: {found.trust!r:.100}")
    if found.T_sensor_target is None:
        if found.doubt is Doubt.NONE:
            raise NoAnswer("neither a pose nor a doubt")
        return replace(found, covariance=None, marks=_marks(found.marks))
    T = _pose(_numbers(found.T_sensor_target, (7,), "T_sensor_target"))
    covariance = None if found.covariance is None else _covariance(_numbers(found.covariance, (6, 6), "covariance"))
    if covariance is None and found.doubt is Doubt.NONE:
        raise NoAnswer("a pose without covariance")
    return replace(found, trust=float(found.trust), T_sensor_target=T, covariance=covariance, marks=_marks(found.marks))


def _numbers(values: object, shape: tuple[int, ...], what: str) -> Floats:
    try:
        found = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise NoAnswer(f"{what} is no array of numbers") from None
    if found.shape != shape or not np.isfinite(found).all():
        raise NoAnswer(f"{what} is not {' x '.join(map(str, shape))} finite numbers")
    return found


def _pose(T: Floats) -> Floats:
    length = float(np.linalg.norm(T[3:]))
    if abs(length - 1.0) > UNIT_ERROR or float(np.abs(T[:3]).max()) > FARTHEST_M:
        raise NoAnswer(f"no pose: a quaternion of length {length:.6g}, {float(np.abs(T[:3]).max()):.6g} m away")
    T[3:] /= length
    return T


def _covariance(P: Floats) -> Floats:
    if float(np.abs(P - P.T).max()) > UNEQUAL * float(np.abs(P).max()):
        raise NoAnswer("the covariance is not symmetric")
    P = 0.5 * (P + P.T)
    least, most = np.linalg.eigvalsh(P)[[0, -1]].tolist()
    if not LEAST <= least <= most <= MOST:
        raise NoAnswer(f"the covariance has eigenvalues from {least:.3g} to {most:.3g}; allowed: {LEAST:g} to {MOST:g}")
    return P


def _marks(marks: object) -> Marks | None:
    """Pictures of it are no reason to refuse a pose."""
    if not isinstance(marks, Marks):
        return None
    try:
        points, group = np.asarray(marks.points, np.float32), np.asarray(marks.group, np.uint8)
        lines = np.asarray(marks.lines, np.float32)
    except (TypeError, ValueError):
        return None
    fit = points.ndim == 2 and points.shape[1] in (2, 3) and group.shape == (len(points),) and len(points) <= MOST_MARKS
    fits = fit and lines.ndim == 2 and lines.shape[1] == 4 and len(lines) <= MOST_MARKS
    near = fits and all((np.abs(values) < MOST_MARKS).all() for values in (points, lines))  # no NaN is
    return Marks(points, group, lines) if near else None
