"""How well and how fast pushes are found: ours against the derivative of paper 002, on the same seeded readings.

Six seeds at the hall's cycle of 4 ms, two at 1 ms (the same noise in each reading, so four times as much information). Of each
figure the least and the greatest of the seeds. The derivative's threshold is set for silence in the quiet hour of its seed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.studies.impulse_study import StudyFigures, background, pushed_record, random_pushes, run_study
from proxops.core.messages import PERIOD_S
from proxops.touch.derivative_detector import DerivativeSettings
from proxops.touch.impulse_detector import ImpulseDetector

SEEDS: Final = {PERIOD_S: range(6), 0.001: range(2)}
ALPHAS: Final = (0.8, 0.9, 0.95)  # of eq. 2, for 4 ms
STEPS: Final = 20_000


def run() -> dict[str, float | str]:
    """Figures as "least … greatest"; microseconds a reading."""
    rows: dict[str, float | str] = {
        "required": "found 99.5 %, false 0 in 60 min, spurious 2, magnitude 4 and 12 %, direction 2.5 and 8 deg",
    }
    for dt, seeds in SEEDS.items():
        _enter(rows, f"ours, {1e3 * dt:g} ms", [run_study(seed, dt).ours for seed in seeds])
    for alpha in ALPHAS:
        paper = [run_study(seed, derivative=DerivativeSettings(alpha=alpha)).derivative for seed in SEEDS[PERIOD_S]]
        _enter(rows, f"derivative, alpha {alpha:g}", paper)
    rows["us_a_reading_step"], rows["us_a_reading_record"] = _microseconds()
    return rows


def _enter(rows: dict[str, float | str], who: str, figures: Sequence[StudyFigures]) -> None:
    rows[f"{who}: found %"] = _spread([100.0 * f.found_share for f in figures])
    rows[f"{who}: found below 1.5 N s %"] = _spread([100.0 * f.found_weak_share for f in figures])
    rows[f"{who}: false in 60 min"] = _spread([f.false_alarms for f in figures])
    rows[f"{who}: spurious in 500"] = _spread([f.spurious for f in figures])
    for name in ("magnitude_percent", "direction_deg", "latency_ms"):
        for k, part in enumerate(("median", "95th")):
            rows[f"{who}: {name} {part}"] = _spread([getattr(f, name)[k] for f in figures])


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.3g} … {max(values):.3g}"


def _microseconds() -> tuple[float, float]:
    """Of one reading: step by step from Python, and in a compiled record."""
    rng = np.random.default_rng(0)
    readings = pushed_record(rng, random_pushes(rng, 40), PERIOD_S)[:STEPS]
    detector = ImpulseDetector()
    detector.impulses(background(rng, 100, PERIOD_S))  # compiled, and what step compiles besides
    detector.step(readings[0])
    began = time.process_time()
    for reading in readings:
        detector.step(reading)
    stepped = time.process_time()
    detector.impulses(readings)
    n = len(readings)
    return 1e6 * (stepped - began) / n, 1e6 * (time.process_time() - stepped) / n
