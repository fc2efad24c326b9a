"""MuJoCo's stopwatch: it reads the clock for every stage of a step, a fifth of a small world's step. Nobody looks at it."""

from __future__ import annotations


def stop_timers() -> None:
    """In this process, for every model: ``MjData.timer`` stands still."""
    import mujoco

    mujoco.set_mjcb_time(None)
