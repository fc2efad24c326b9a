"""Late is the same as in time, to the bit; the future is the one that comes."""

from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.errors import BadInput, ProxopsError
from proxops.core.floating_object import BoxTable, FloatingScene, ObjectTable, ObstacleTable
from proxops.space.floating_world import FloatingWorld
from proxops.space.timeline import Timeline

Array = NDArray[np.float64]
DT = 5e-4
PUSH = np.array([12.0, -5.0, 3.0, 0.2, -0.1, 0.3])
NOTHING = np.zeros(6)


def world(place: float = 0.0, speed: float = 0.3, free_ball: bool = True) -> FloatingWorld:
    """A cube on its way to the wall at x = 0.5 (it touches at 0.35), rough, with an obstacle and another body about."""
    cube = ObjectTable(size_m=(0.3, 0.3, 0.3), mass_kg=8.0, place_m=(place, 0.0, 0.0), speed_m_s=(speed, 0.1, 0.05),
                       turn_rate_deg_s=(10.0, -5.0, 20.0), friction=0.4, restitution=0.7, turn_deg=(3.0, 5.0, 8.0))  # fmt: skip
    ball = ObjectTable(
        shape="sphere", size_m=(0.05,), mass_kg=1.0, place_m=(0.0, 0.35, 0.0), speed_m_s=(0.0, -0.4, 0.0)
    )
    post = ObstacleTable(shape="capsule", size_m=(0.05, 0.5), place_m=(0.1, -0.4, 0.0))
    scene = FloatingScene((cube, ball) if free_ball else (cube,), (post,), BoxTable(size_m=(1.0, 1.0, 1.0)))
    return FloatingWorld(scene, DT)


def in_time(start: FloatingWorld, wrenches: Array) -> Timeline:
    line = Timeline(start, ahead_s=0.1)
    for wrench in wrenches:
        line.push(wrench)
        line.advance()
    return line


def state(line: Timeline) -> Array:
    return line._states[line.now % line._slots].copy()


# Place of the cube at the start: the push and what follows it happen in free flight, before, in and after the bounce.
@pytest.mark.parametrize(("place", "touches"), [(-0.2, False), (0.295, True), (0.305, True), (0.315, True)])
def test_a_late_push_is_the_same_to_the_bit(place: float, touches: bool) -> None:
    ago, length, cycles = 12, 5, 25
    pushes = PUSH * np.linspace(0.5, 1.5, length)[:, None]
    wrenches = np.zeros((cycles, 6))
    wrenches[cycles - ago : cycles - ago + length] = pushes
    told = in_time(world(place), wrenches)

    late, touched = Timeline(world(place), ahead_s=0.1), False
    for _ in range(cycles):
        late.advance()
        late.catch_up(10_000)
        touched |= late.touching_now
    before = late.pose_now.copy()
    late.push_late(ago, pushes)
    assert touched == touches
    assert late.now == told.now == cycles
    assert np.abs(late.pose_now - before).max() > 5e-4
    assert np.array_equal(late.pose_now, told.pose_now)
    assert np.array_equal(late.velocity_now, told.velocity_now)
    assert np.array_equal(physics(state(late), late), physics(state(told), told))
    for _ in range(100):  # and ever after, bounces and all
        late.advance()
        told.advance()
    assert np.array_equal(late.poses_now, told.poses_now)
    assert np.array_equal(physics(state(late), late), physics(state(told), told))


def physics(full: Array, line: Timeline) -> Array:
    """Without the wrench of the last cycle, which is input."""
    data = mujoco.MjData(line.world.model.compiled)
    mujoco.mj_setState(line.world.model.compiled, data, full, mujoco.mjtState.mjSTATE_INTEGRATION)
    return np.concatenate([[data.time], data.qpos, data.qvel, data.qacc_warmstart])


def test_several_late_pushes_on_top_of_each_other() -> None:
    wrenches = np.zeros((30, 6))
    wrenches[10:14] += PUSH
    wrenches[12:20] -= 0.5 * PUSH[::-1]
    told = in_time(world(0.27), wrenches)
    late = Timeline(world(0.27), ahead_s=0.2)
    for k in range(30):
        late.advance()
        late.catch_up(40)
        if k == 15:  # sixteen cycles have passed; the first has number 0
            late.push_late(6, np.tile(PUSH, (4, 1)))
        if k == 22:
            late.push_late(11, np.tile(-0.5 * PUSH[::-1], (8, 1)))
    assert np.array_equal(late.poses_now, told.poses_now)


def test_the_physics_state_alone_would_not_do() -> None:
    """Of a contact the solver remembers where it began; without that it ends elsewhere, by rounding, and the worlds part."""
    compiled = world(0.3).model.compiled
    differs = []
    for kind in (mujoco.mjtState.mjSTATE_INTEGRATION, mujoco.mjtState.mjSTATE_PHYSICS):
        one, two = world(0.3), world(0.3)
        saved = np.zeros(mujoco.mj_stateSize(compiled, kind))
        apart = 0
        for _ in range(60):
            one.step(steps=8)
            mujoco.mj_getState(compiled, one.data, saved, kind)
            mujoco.mj_resetData(two.model.compiled, two.data)
            mujoco.mj_setState(two.model.compiled, two.data, saved, kind)
            two.step(steps=8)
            copy = np.zeros(one.state_size)
            one.save(copy)
            one.step(steps=8)
            apart += not np.array_equal(one.data.qpos, two.data.qpos)
            one.restore(copy)
        differs.append(apart)
    assert differs[0] == 0
    assert differs[1] > 0


def test_the_future_is_the_one_that_comes() -> None:
    line = Timeline(world(0.27), ahead_s=0.4)
    line.catch_up(100_000)
    assert line.ahead_s == pytest.approx(0.4)
    foretold, speeds = line.predicted(100), line.predicted_velocities(100)
    assert foretold.shape == (100, 7)
    for k in range(100):
        assert np.array_equal(line.pose_now, foretold[k])
        assert np.array_equal(line.velocity_now, speeds[k])
        line.advance()
        line.catch_up(8)
    assert line.ahead_s == pytest.approx(0.4)
    assert np.array_equal(line.predicted(3, 20)[2], line.predicted(41)[40])


def test_a_push_makes_the_future_obsolete_and_it_comes_back_within_the_budget() -> None:
    line = Timeline(world(-0.2), ahead_s=0.1)
    line.catch_up(100_000)
    old = line.predicted(26)
    line.push(PUSH)
    assert line.ahead_s == 0.0
    assert len(line.predicted(26)) == 1
    assert np.array_equal(line.pose_now, old[0])  # the present does not jump
    lengths = []
    for _ in range(10):
        assert line.catch_up(40) <= 5  # 40 physics steps: five cycles
        lengths.append(line.ahead_s)
        line.advance()
    assert lengths[:3] == pytest.approx([0.020, 0.036, 0.052])
    assert line.catch_up(40) <= 1  # up to date
    assert np.abs(line.predicted(1)[0] - old[10]).max() > 1e-4


def test_rings_go_round() -> None:
    """Longer than the rings: pushes of long ago have gone, those within reach are kept."""
    wrenches = np.zeros((200, 6))
    wrenches[::7] = PUSH * 0.1
    told = in_time(world(-0.2), wrenches)
    plain = world(-0.2)
    for wrench in wrenches:
        plain.step(wrench, 8)
    assert np.array_equal(told.poses_now, plain.poses)
    assert told.t == pytest.approx(0.8)


def test_energy_and_touch_are_of_now_and_not_of_the_horizon() -> None:
    line = Timeline(world(0.3, free_ball=False), ahead_s=0.4)
    first = line.energy_now
    line.catch_up(100_000)
    assert line.energy_now == first
    assert not line.touching_now
    seen = []
    for _ in range(100):
        line.advance()
        seen.append(line.touching_now)
    assert any(seen)
    assert line.energy_now < first


@pytest.mark.parametrize(
    ("ago", "rows"),
    [(14, PUSH[None]), (-1, PUSH[None]), (2, np.zeros((4, 6))), (2, np.zeros((1, 5))), (2, PUSH[None] * np.nan)],
)
def test_pushes_that_cannot_be_are_refused_and_change_nothing(ago: int, rows: Any) -> None:
    line = Timeline(world(), ahead_s=0.1)
    for _ in range(30):
        line.advance()
    before = state(line)
    with pytest.raises(BadInput):
        line.push_late(ago, rows)
    assert np.array_equal(state(line), before)
    line.push_late(13, PUSH[None])  # 52 ms: as far as it reaches


def test_before_the_beginning_there_is_nothing() -> None:
    line = Timeline(world(), ahead_s=0.1)
    line.advance()
    with pytest.raises(BadInput, match="0 … 1"):
        line.push_late(2, PUSH[None])


def test_a_cycle_of_broken_steps_is_refused() -> None:
    with pytest.raises(BadInput, match="whole physics steps"):
        Timeline(world(), cycle_s=0.0041)


@pytest.mark.parametrize("place", [0.0, 0.27])
def test_steps_at_once_are_those_one_by_one(place: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever touches on the way, warm starts of the solver included: to the bit."""
    at_once, one_by_one, taken = world(place), world(place), {True: 0, False: 0}
    untouched, draw = FloatingWorld._untouched, np.random.default_rng(1)

    def counted(self: FloatingWorld, steps: int, saved: Array | None, apart: bool) -> bool:
        passed = untouched(self, steps, saved, apart)
        taken[passed] += steps > 1
        return passed

    monkeypatch.setattr(FloatingWorld, "_untouched", counted)
    first, second = np.zeros(at_once.state_size), np.zeros(at_once.state_size)
    for cycle in range(300):
        wrench = draw.normal(size=6) * (cycle % 7 == 0)
        at_once.step(wrench, 8)
        for _ in range(8):
            one_by_one.step(wrench, 1)
        at_once.save(first)
        one_by_one.save(second)
        assert first.tolist() == second.tolist() and at_once.touching == one_by_one.touching
    assert taken[True] > 100 and taken[False] > 5  # both ways were gone


def test_cycles_computed_beyond_the_horizon_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what is known nor how far, with pushes in between."""
    lines = [Timeline(world(0.27), ahead_s=0.1) for _ in range(2)]
    monkeypatch.setattr(lines[0], "_compute_more", lambda cycles: None)
    draw = np.random.default_rng(2)
    for cycle in range(200):
        push = draw.normal(size=(3, 6)) if cycle % 60 == 50 else None
        told = []
        for line in lines:
            if push is not None:
                line.push_late(2, push)
            line.catch_up(20 * line.steps)
            told.append((line.predicted(50).tolist(), line.horizon, state(line).tolist()))
            line.advance()
        assert told[0] == told[1]


def test_a_failure_beyond_the_horizon_waits_until_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Timeline(world(), ahead_s=0.04)
    step, failing = FloatingWorld.step_into, 15

    def fails(self: FloatingWorld, wrench: Array, steps: int, saved: Array, slot: int, *rings: Array) -> None:
        if round(self.t / line.cycle_s) == failing:
            raise ProxopsError("no longer a number")
        step(self, wrench, steps, saved, slot, *rings)

    monkeypatch.setattr(FloatingWorld, "step_into", fails)
    for _ in range(failing - line.ahead + 1):
        line.catch_up(20 * line.steps)
        assert line.horizon == line.now + line.ahead
        line.advance()
    with pytest.raises(ProxopsError, match="no longer a number"):
        line.catch_up(20 * line.steps)
