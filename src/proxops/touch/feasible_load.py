"""From ten identified parameters to a body that can exist, or a refusal.

Noise may put the moments of a flat or thin tool slightly outside of what bodies have. With d the principal second moments of
mass, Iᵢ = Σd - dᵢ, the triangle inequality says dᵢ >= 0. A d below zero by less than three of its standard deviations is
moved to zero; by more, the result is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.force_source import Floats
from proxops.touch.tool_load import N_PARAMETERS, ToolLoad, six_of, symmetric

SIGMAS: Final = 3.0
STEP: Final = 1e-6  # of the differences, relative


@dataclass(frozen=True, eq=False)
class Physical:
    """The body and how well its centre (3) and its inertia about it (6) are known."""

    load: ToolLoad
    com_sigma: Floats
    inertia_sigma: Floats
    moved: bool


def physical_load(parameters: Floats, covariance: Floats) -> Physical:
    """``parameters`` (10) and their covariance; BadInput for what no body has."""
    mass, mass_sigma = float(parameters[0]), math.sqrt(covariance[0, 0])
    if not mass > SIGMAS * mass_sigma:
        raise BadInput(
            "load calibration: no mass was found on the sensor", value=f"{mass:.4g} kg", way_out="is a tool mounted?",
            bound=f"more than {SIGMAS:g} standard deviations, {SIGMAS * mass_sigma:.3g} kg",
        )  # fmt: skip
    central = central_of(parameters)
    slope = _slope(parameters)
    spread = slope @ covariance @ slope.T
    inertia, moved = _nearest(symmetric(central[3:]), spread[3:, 3:])
    sigma = np.sqrt(np.diag(spread))
    return Physical(ToolLoad(mass, central[:3], inertia), sigma[:3], sigma[3:], moved)


def central_of(parameters: Floats) -> Floats:
    """(9) centre of mass (m) and inertia about it (xx yy zz xy xz yz) of the ten parameters."""
    mass, com = parameters[0], parameters[1:4] / parameters[0]
    about = mass * (com @ com * np.eye(3) - np.outer(com, com))
    return np.concatenate([com, parameters[4:] - six_of(about)])


def _slope(parameters: Floats) -> Floats:
    """(9, 10) derivative of ``central_of``."""
    out = np.empty((9, N_PARAMETERS))
    for j in range(N_PARAMETERS):
        step = np.zeros(N_PARAMETERS)
        step[j] = STEP * max(abs(parameters[j]), 1e-3 * parameters[0])
        out[:, j] = (central_of(parameters + step) - central_of(parameters - step)) / (2.0 * step[j])
    return out


def _nearest(inertia: Floats, spread: Floats) -> tuple[Floats, bool]:
    """The inertia, or the one at the edge next to it; whether it was moved."""
    moments, axes = np.linalg.eigh(inertia)
    second = 0.5 * moments.sum() - moments
    for d, axis in zip(second, axes.T, strict=True):
        sigma = _spread_along(axis, spread)
        if not d >= -SIGMAS * sigma:
            raise BadInput(
                "load calibration: no body has the inertia found (triangle inequality)",
                value=f"principal moments {', '.join(f'{m:.4g}' for m in moments)} kg m², {-d / sigma:.3g} sigma off",
                bound=f"{SIGMAS:g} sigma", way_out="check the sensor's frame and the motion's times against the readings",
            )  # fmt: skip
    if second.min() >= 0.0 and moments.min() > 0.0:
        return inertia, False
    kept = np.maximum(second, 0.0)
    return axes @ np.diag(kept.sum() - kept) @ axes.T, True


def _spread_along(axis: Floats, spread: Floats) -> float:
    """Standard deviation of the second moment of mass along ``axis``: tr(I) / 2 - axisᵀ I axis, linear in the six."""
    x, y, z = axis
    row = np.array([0.5 - x * x, 0.5 - y * y, 0.5 - z * z, -2.0 * x * y, -2.0 * x * z, -2.0 * y * z])
    return float(math.sqrt(row @ spread @ row))
