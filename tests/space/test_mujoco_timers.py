"""MuJoCo's stopwatch stands still; what it steps is the same."""

from __future__ import annotations

import mujoco

from proxops.space.mujoco_timers import stop_timers

FLOATING = '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'


def test_timers_stand_still() -> None:
    model = mujoco.MjModel.from_xml_string(FLOATING)
    data = mujoco.MjData(model)
    stop_timers()
    mujoco.mj_step(model, data, 10)
    assert data.time > 0.0 and not any(timer.duration for timer in data.timer)
