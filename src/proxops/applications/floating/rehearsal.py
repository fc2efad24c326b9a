"""A micro-gravity run before its clock runs: everything once, so that nothing has to be compiled in flight."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.module_hand import Hand
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.scene import RATE_HZ
from proxops.applications.floating.tables import SETTLE_S
from proxops.core.messages import PERIOD_S
from proxops.lab.redundant_arm import SOLVED
from proxops.runs.arm_run import lockstep
from proxops.space.floating_world import FloatingWorld
from proxops.touch.joint_follower import FollowerState, JointFollower
from proxops.touch.joint_plan import JointPlan
from proxops.touch.push import Push

WARM_UP_S: Final = 1.0
TURN: Final = 100  # cycles until the course of a rehearsal turns back
TURNED_SHARE: Final = 0.05  # of the joints' speeds, on it
REHEARSED: Final = 5000  # physics steps at most until a module has met a wall


def rehearse(bench: FloatBench, seed: int) -> None:
    """Everything once in lockstep, a push included, so that all is compiled before the clock runs. The sensor is a virtual one:
    nobody's real one keeps pace with lockstep."""
    touch_once(bench)
    bend_once(bench)
    sensor = bench.file.sensor.model_copy(update={"source": "virtual", "rate_hz": float(RATE_HZ), "fault": "none"})
    stream = replace(bench.sensor.stream, rate_hz=float(RATE_HZ))
    file = bench.file.model_copy(update={"sensor": sensor})
    alone = replace(bench, file=file, sensor=replace(bench.sensor, stream=stream))
    hand = Hand((Push(SETTLE_S + 0.2 * WARM_UP_S, (0.0, 0.0, 1.0), 1.0, 0.1),))
    lockstep(FloatParts(alone, seed, hand=hand, duration_s=WARM_UP_S))


def bend_once(bench: FloatBench) -> set[FollowerState]:
    """Follow a course that turns back at once, over a bridge, so that bounces are compiled before the clock runs; what was
    done."""
    arm, follower, seen = bench.arm, JointFollower(bench.arm, bench.joints), set()
    inwards = np.sign(0.5 * (arm.lower + arm.upper) - bench.joints)
    k = np.arange(2 * TURN + 1)
    course = bench.joints + np.minimum(k, 2 * TURN - k)[:, None] * PERIOD_S * TURNED_SHARE * arm.speed * inwards
    for begin in range(TURN):
        ahead = course[begin : begin + TURN].copy()
        follower.step(JointPlan(ahead, np.zeros(len(ahead)), len(ahead), SOLVED, "", PERIOD_S))
        seen.add(follower.state)
    return seen


def touch_once(bench: FloatBench) -> None:
    """Drive a module of no consequence into a wall, so that contacts are compiled before the clock runs."""
    world = FloatingWorld(bench.scene, 1.0 / bench.file.plan.physics_hz, bench.file.plan.contact_rad_s)
    push = np.array([5.0 * bench.file.object.mass_kg, 0.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(REHEARSED):
        if world.touching:
            return
        world.step(push)
