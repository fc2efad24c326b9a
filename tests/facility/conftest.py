"""A hall in lockstep that a test can tick, and short trajectories to play on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.shared.late_clock import LateClock

from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.installation import Installation
from proxops.facility.trajectories import preflighted
from proxops.lab.cell import Cell
from proxops.lab.coordinates import POV_AT_LAB, lines_from_axes
from proxops.lab.trajectory import Trajectory, write_trajectory


@dataclass
class Bench:
    """A facility under test and its clock."""

    hall: Installation
    clock: LateClock

    @property
    def mode(self) -> Mode:
        return self.hall.facility.mode

    def ticks(self, count: int) -> None:
        for _ in range(count):
            self.hall.facility.tick()

    def until(self, *modes: Mode, patience: int = 20_000) -> int:
        for k in range(patience):
            if self.mode in modes:
                return k
            self.ticks(1)
        raise AssertionError(f"still {self.mode.name}, waited for {modes}")

    def load(self, trajectory: Trajectory) -> None:
        """Check a trajectory and put it on the desk."""
        self.hall.desk.load(preflighted(self.hall.facility.cell, trajectory))

    def ready(self) -> Bench:
        self.hall.desk.drives(True)
        self.until(Mode.READY)
        return self


@pytest.fixture
def bench(cell: Cell) -> Iterator[Bench]:
    clock = LateClock()
    hall = build(cell, clock, seed=3, record=None)
    yield Bench(hall, clock)
    hall.close()


def swing(cell: Cell, system: System, lines: int = 500, *, pov: np.ndarray | None = None) -> Trajectory:
    """All axes swing a little about home, softly in and out, in any system."""
    t = np.arange(lines) * 0.004
    phase = 2 * np.pi * t / t[-1]
    wave = (1 - np.cos(phase)) / 2 * min(1.0, lines / 500) ** 2  # the same accelerations, however short
    q = np.tile(cell.home, (lines, 1))
    q[:, 0] += 0.05 * wave
    q[:, 1:] += 0.04 * wave[:, None] * np.array([1, -1, 1, 1, 1, -1, -1, 1, -1, 1, 1, 1])
    q[:, [5, 11]] += 0.5
    values = np.empty((lines, 22))
    lines_from_axes(cell.hall, int(system), q, np.tile(POV_AT_LAB if pov is None else pov, (lines, 1)), values)
    return Trajectory(np.full(lines, system, np.int16), values, f"swing {system.name}")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Trajectory], Path]:
    def writer(trajectory: Trajectory, name: str = "motion.txt") -> Path:
        path = tmp_path / name
        with path.open("w") as file:
            write_trajectory(trajectory, file)
        return path

    return writer


@pytest.fixture(name="swing")
def swing_fixture(cell: Cell) -> Callable[..., Trajectory]:
    return lambda system, lines=500, **more: swing(cell, system, lines, **more)
