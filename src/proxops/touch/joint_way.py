"""Ruckig's ways of joints from one motion to another within speed, acceleration and jerk."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.maths.rotation import Array

LATE_S: Final = 1e-6  # by which a way may come too late for a time it was to take: rounding


class JointWay:
    """For up to ``joints`` joints. Motions are (3, n): position, rate, acceleration; limits (5, n): lowest and highest rate,
    lowest and highest acceleration, jerk."""

    def __init__(self, joints: int) -> None:
        import ruckig

        self._ruckig: Any = ruckig
        self._together, self._alone = ruckig.Synchronization.Time, ruckig.Synchronization.No
        self._to_place, self._to_rate = ruckig.ControlInterface.Position, ruckig.ControlInterface.Velocity
        self._good = ruckig.Result.Working, ruckig.Result.Finished
        self._rooms: list[Any] = [None] * (joints + 1)  # generator, wish and trajectory for each number of joints
        self._aims = [True] * (joints + 1)  # of each: the wish has, or may have, another goal than zero
        self._trajectory: Any = None

    @property
    def duration(self) -> float:
        """s, of the way found last."""
        return float(self._trajectory.duration)

    def at(self, t: float) -> Array:
        """The motion (3, n) on the way found last."""
        return np.array(self._trajectory.at_time(t))

    def lead(self, start: Array, limits: Array, goal: Array | None = None, T: float | None = None) -> bool:
        """Finds the quickest way to ``goal`` (zero without one), or one that takes the time T. False: there is none."""
        generator, wish, trajectory, nothing = self._room(start.shape[1])
        wish.control_interface = self._to_place
        if goal is not None or self._aims[start.shape[1]]:  # each number that Ruckig is handed costs
            wish.target_position, wish.target_velocity, wish.target_acceleration = (
                (nothing,) * 3 if goal is None else goal.tolist()
            )
            self._aims[start.shape[1]] = goal is not None
        wish.minimum_duration = T
        for wish.synchronization in (self._together, self._alone) if T is None else (self._together,):
            if self._found(generator, wish, trajectory, start, limits):
                return T is None or trajectory.duration <= T + LATE_S
        return False

    def lead_to_rest(self, start: Array, limits: Array) -> bool:
        """Finds each joint's quickest stop."""
        generator, wish, trajectory, nothing = self._room(start.shape[1])
        wish.control_interface, wish.synchronization = self._to_rate, self._alone
        wish.target_velocity, wish.target_acceleration, wish.minimum_duration = nothing, nothing, None
        return self._found(generator, wish, trajectory, start, limits)

    def _room(self, n: int) -> Any:
        if self._rooms[n] is None:
            ruckig = self._ruckig
            self._rooms[n] = ruckig.Ruckig(n), ruckig.InputParameter(n), ruckig.Trajectory(n), [0.0] * n
        return self._rooms[n]

    def _found(self, generator: Any, wish: Any, trajectory: Any, start: Array, limits: Array) -> bool:
        self._trajectory = trajectory
        wish.current_position, wish.current_velocity, wish.current_acceleration = start.tolist()
        wish.min_velocity, wish.max_velocity, wish.min_acceleration, wish.max_acceleration, wish.max_jerk = (
            limits.tolist()
        )
        try:
            result = generator.calculate(wish, trajectory)
        except self._ruckig.RuckigError:  # what it thinks of its input
            return False
        return result in self._good
