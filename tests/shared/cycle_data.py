"""Measurements and commands of some cycle, for tests that only care that they come and go."""

from __future__ import annotations

import numpy as np

from proxops.core.flight import Commands, Measurements, RelativeMeasurement

THRUSTERS, WHEELS, PERIOD_S = 24, 4, 0.1


def measured(t: float = 0.0) -> Measurements:
    """At rest at the origin; one look at a target 25 m ahead."""
    upright = np.array([1.0, 0.0, 0.0, 0.0])
    seen = RelativeMeasurement(t, np.array([0.0, 0.0, 25.0]), upright)
    rest = np.zeros(3)
    return Measurements(t, (seen,), upright, rest, rest, rest, np.zeros(WHEELS), np.zeros(THRUSTERS), 40.0)


def idle(on_s: float = 0.0) -> Commands:
    return Commands(np.full(THRUSTERS, on_s), np.zeros(WHEELS))
