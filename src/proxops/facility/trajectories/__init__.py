"""Trajectories of users on their way to the desk: read and checked in a process that may die of it, sealed, and taken in."""

from proxops.facility.trajectories.checked import CheckedTrajectory, preflighted
from proxops.facility.trajectories.checker_process import CheckerStart
from proxops.facility.trajectories.intake import TrajectoryIntake
from proxops.facility.trajectories.rehearsal import STANDING_LINES, rehearse, standing

__all__ = [
    "STANDING_LINES", "CheckedTrajectory", "CheckerStart", "TrajectoryIntake", "preflighted", "rehearse", "standing",
]  # fmt: skip
