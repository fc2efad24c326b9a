"""From the readings of the force sensor to pushes on the module in the physics, at the time at which they happened."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.detectors import detector_of
from proxops.applications.floating.flange_load import FlangeLoad
from proxops.applications.floating.reaction import Reaction
from proxops.core.force_source import ForceStream
from proxops.core.messages import PERIOD_S
from proxops.lab.virtual_arm import VirtualArm
from proxops.maths.rotation import Array
from proxops.safety.rules import Rule, Stop
from proxops.space.timeline import Timeline
from proxops.touch.force_intake import ForceIntake
from proxops.touch.force_limits import Overload
from proxops.touch.impulse_detector import Impulse, PushPhase, PushVerdict
from proxops.touch.relative_motion import wrench_at

REMEMBERED: Final = 32  # readings of which the flange's attitude is kept, for pushes in the past
DATED: Final = 512  # readings of which the time is kept: more than the longest push has
READINGS: Final = ("read", "residual", "felt", "outside")  # of a row


class FeltPushes:
    """``reactions`` has one for each push so far; ``applied``: wrench on the module of this cycle, world axes at its mass centre.
    ``twin``: the arm as it is believed to move; ``before_push`` is called with a reaction before its push changes the physics."""

    def __init__(
        self, bench: FloatBench, source: ForceStream, twin: VirtualArm, timeline: Timeline,
        before_push: Callable[[Reaction], None],
    ) -> None:  # fmt: skip
        self._twin, self._timeline, self._before_push = twin, timeline, before_push
        self._load = FlangeLoad(bench.arm, bench.T_world_base, bench.load)
        self._intake = ForceIntake(source, bench.sensor.stream)
        self._outside = bench.sensor.outside()
        self._detector = detector_of(bench.file)
        # The module's mass centre on the flange.
        self._grip = bench.T_flange_object[:3, 3] + bench.T_flange_object[:3, :3] @ bench.com
        self._felt_in: deque[tuple[int, Array]] = deque(maxlen=REMEMBERED)  # cycle and q_world_flange of every reading
        self._dated, self._readings = np.zeros(DATED), 0
        self.reactions: list[Reaction] = []
        self.phase, self.applied = PushPhase.QUIET, np.zeros(6)

    def settle(self) -> str:
        """Take the sensor's zero; what speaks against it."""
        return self._outside.settle()

    def step(self, t: float, cycle: int, kept: dict[str, Array], row: int, *, floating: bool) -> Stop | None:
        """The reading of a cycle, ``kept`` in a row, less what the module's own weight and inertia are believed to be; pushes go
        into the physics while the module is ``floating``. Why the arm must stop, if so."""
        fault, wrench, readings = self._intake.step(t)
        self.applied[:] = 0.0
        if fault:
            self.phase = PushPhase.QUIET
            for name in READINGS:
                kept[name][row] = np.nan  # nobody knows; never zero
            return Stop(Rule.FORCE_SENSOR, detail=fault)
        if readings == 0:
            # Nothing new: nothing happens to detector, limits, physics; the record shows what was last known.
            for name in READINGS:
                kept[name][row] = kept[name][max(row - 1, 0)]
            return None
        stop, twin, residual = None, self._twin, kept["residual"][row]
        self._load.put_residual(twin.angles, twin.rates, twin.accelerations, wrench, residual)
        kept["read"][row] = wrench
        for _ in range(readings):
            found = self._recognise(t, cycle, residual, floating and stop is None)
            stop = stop or found
        kept["felt"][row], kept["outside"][row] = self._detector.felt, self._outside.wrench
        return stop

    def _recognise(self, t: float, cycle: int, residual: Array, floating: bool) -> Stop | None:
        """One reading for the detector, which draws its own line through the past, and for the limits, which do not."""
        verdict = self._detector.step(residual)
        self._felt_in.append((cycle, self._load.quat.copy()))
        self._dated[self._readings % DATED] = t
        self._readings += 1
        self.phase = verdict.phase
        judged = self._outside.step(residual, verdict.phase is PushPhase.QUIET)
        if judged.level is not Overload.NONE:
            return Stop(Rule.FORCE_LIMIT, detail=str(judged))
        if floating:
            self._push(verdict, cycle)
        return None

    def _push(self, verdict: PushVerdict, cycle: int) -> None:
        """Into the physics: what is certain now at its time in the past, what goes on as it comes, what was missed at the end."""
        if verdict.began >= 0:
            self._push_late(verdict.began, cycle)
        elif verdict.phase is PushPhase.PUSH:
            self._apply(self._in_world(verdict.wrench, self._felt_in[-1][1]))
        if verdict.ended is not None and self.reactions:
            self.reactions[-1].impulse = self._by_the_clock(verdict.ended)
            self._apply(self._in_world(verdict.ended.correction / PERIOD_S, self._felt_in[-1][1]))

    def _apply(self, wrench: Array) -> None:
        self.applied += wrench
        self._timeline.push(wrench)

    def _push_late(self, began: int, cycle: int) -> None:
        """The readings since ``began`` readings ago, each at the cycle in which it came, as far back as physics goes; what came
        before the module floated has moved nothing."""
        timeline = self._timeline
        felt = list(self._felt_in)[-1 - began :]
        back = min(cycle - felt[0][0], timeline.past, timeline.now)
        past = np.zeros((back + 1, 6))
        for wrench, (then, attitude) in zip(self._detector.recent(began + 1), felt, strict=True):
            ago = cycle - then
            if ago <= timeline.now:
                past[back - min(ago, back)] += self._in_world(wrench, attitude)
        self.reactions.append(Reaction(cycle, back))
        self._before_push(self.reactions[-1])
        timeline.push_late(back, past)
        self.applied += past[-1]

    def _by_the_clock(self, ended: Impulse) -> Impulse:
        """Its times, which the detector counts in readings."""
        start, crossed, end = (
            float(self._dated[round(t / PERIOD_S) % DATED]) for t in (ended.t_start, ended.t_crossed, ended.t_end)
        )
        return replace(ended, t_start=start, t_crossed=crossed, t_end=end)

    def _in_world(self, wrench: Array, q_world_flange: Array) -> Array:
        """On the module at its mass centre, world axes, of a wrench at the sensor in its own."""
        return wrench_at(wrench, q_world_flange, self._grip)
