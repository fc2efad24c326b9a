"""A trajectory that was checked and cannot change any more: the only kind that the desk takes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proxops.facility.trajectories.preflight import preflight
from proxops.lab.cell import Cell
from proxops.lab.sealed_trajectory import SealedTrajectory, digest_of
from proxops.lab.trajectory import Trajectory


@dataclass(frozen=True)
class CheckedTrajectory:
    """Made by ``preflighted`` and ``unsealed`` only (tests/house/test_checked.py). ``sha256``: of its lines, in hexadecimal."""

    trajectory: Trajectory
    sha256: str

    def __len__(self) -> int:
        return len(self.trajectory)


def preflighted(cell: Cell, trajectory: Trajectory) -> CheckedTrajectory:
    """Check it here; ``BadLine`` names the first line that cannot be run. A copy is kept: no later write reaches it."""
    kept = replace(trajectory, systems=trajectory.systems.copy(), values=trajectory.values.copy())
    preflight(cell, kept)
    for array in (kept.systems, kept.values):
        array.setflags(write=False)
    return CheckedTrajectory(kept, digest_of(kept).hex())


def unsealed(sealed: SealedTrajectory) -> CheckedTrajectory:
    """One that the checker, a process of our own, has checked and sealed."""
    return CheckedTrajectory(sealed.trajectory(), sealed.digest.hex())
