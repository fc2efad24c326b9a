"""What is kept of one run of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.applications.mission.outcome import Outcome
from proxops.core.docking_standard import CONTACT_LIMITS
from proxops.core.mission import Mission
from proxops.core.vocabulary import MissionEnd, SensorSource

BINS_M: Final = ((15.0, 25.0), (8.0, 15.0), (4.0, 8.0), (2.0, 4.0))
NEES_95: Final = (4.403789, 23.336664)  # two-sided 95 % of chi-square with 12 degrees of freedom


@dataclass(frozen=True)
class RunFigures:
    """One run; contact figures are None unless the interfaces met."""

    seed: int
    end: str
    abort: str
    t_s: float
    lateral_m: float | None
    tilt_rad: float | None
    roll_rad: float | None
    closing_rate_m_s: float | None
    lateral_rate_m_s: float | None
    angular_rate_rad_s: float | None
    propellant_kg: float
    least_distance_m: float
    hall_share: float  # of measurements
    audit: float
    images: tuple[int, int, int] | None  # that it navigated by: accepted, refused, wrong among those accepted
    nees: tuple[float | None, ...]  # one sample for each range bin: the last in it
    nees_inside: tuple[float | None, ...]  # share of all samples in the 95 % band, for each range bin
    failure: str
    stop: str

    @property
    def within(self) -> bool:
        """Mated, and every contact condition met."""
        values = ((getattr(self, name), bound) for name, bound in CONTACT_LIMITS.items())
        return self.end == MissionEnd.MATED.name and all(v is not None and abs(v) <= bound for v, bound in values)


def figures_of(mission: Mission, seed: int, out: Outcome, stop: object = None) -> RunFigures:
    """``stop``: of the hall, if it was stopped."""
    contact: list[float | None] = [None] * 7 if out.contact is None else [float(value) for value in out.contact]
    _, lateral, tilt, roll, closing, lateral_rate, angular_rate = contact
    samples = np.array(out.nees).reshape(-1, 2)
    hall, seen = out.measurements[SensorSource.HALL], out.images
    images = (seen.accepted, seen.refused, seen.wrong) if mission.file.vision.sensors else None
    return RunFigures(
        seed, out.end.name, out.abort.name, out.t, lateral, tilt, roll, closing, lateral_rate, angular_rate, out.propellant_kg,
        out.least_distance_m, hall / max(1, sum(out.measurements.values())), float(np.max(out.audit)), images,
        tuple(_last(samples, *bin_m) for bin_m in BINS_M), tuple(_inside(samples, *bin_m) for bin_m in BINS_M),
        out.failure, str(stop) if stop else "",
    )  # fmt: skip


def _in_bin(samples: np.ndarray, low: float, high: float) -> np.ndarray:
    found: np.ndarray = samples[(samples[:, 0] > low) & (samples[:, 0] <= high), 1]
    return found


def _last(samples: np.ndarray, low: float, high: float) -> float | None:
    found = _in_bin(samples, low, high)
    return float(found[-1]) if found.size else None


def _inside(samples: np.ndarray, low: float, high: float) -> float | None:
    found = _in_bin(samples, low, high)
    return float(np.mean((found >= NEES_95[0]) & (found <= NEES_95[1]))) if found.size else None
