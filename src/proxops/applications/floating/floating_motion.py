"""The floating module's motion and the joints that show it: physics, predicted and corrected in the past, plan, follower."""

from __future__ import annotations

from typing import Final

from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.reaction import Reaction, Unpushed
from proxops.core.errors import ProxopsError
from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array
from proxops.runs.row_groups import Columns
from proxops.safety.rules import Rule, Stop
from proxops.space.floating_world import FloatingWorld
from proxops.space.timeline import Timeline
from proxops.touch.joint_follower import JointFollower
from proxops.touch.joint_plan import JointPlan

WAY_OUT: Final = (
    "a smaller box, a heavier or rounder object, gentler pushes or another hand.start_deg keep it within reach"
)


class FloatingMotion:
    """``step`` once a cycle. Set-points are ahead of the physics' present by the arm's own delay."""

    def __init__(self, bench: FloatBench) -> None:
        plan = bench.file.plan
        self.world = FloatingWorld(bench.scene, 1.0 / plan.physics_hz, plan.contact_rad_s)
        self._lead, self._budget = bench.lead, bench.cycles_foreseen * round(PERIOD_S / self.world.dt)
        self._planner, self._follower = bench.planner(), JointFollower(bench.arm, bench.joints)
        self._unpushed = Unpushed(bench.planner(), JointFollower(bench.arm, bench.joints))
        self.timeline = Timeline(self.world, ahead_s=(self._planner.longest - 1 + self._lead) * PERIOD_S)

    def foresee_unpushed(self, reaction: Reaction) -> None:
        """What the set-points would be without the push that is about to be applied: to see what it changes."""
        self._unpushed.begin(reaction, self._planner, self._follower, self._foreseen())

    def look_ahead(self) -> Stop | None:
        """Of a module that is still held: no time passes for it."""
        try:
            self.timeline.catch_up(self._budget)
        except ProxopsError as error:
            return Stop(Rule.BAD_COMMAND, detail=str(error))
        return None

    def step(self, cycle: int, kept: Columns, row: int, otherwise: Array) -> tuple[Array, Stop | None]:
        """Physics on by a cycle, ``kept`` in a row, and joints that follow it, or ``otherwise`` if there are none; why the arm
        must stop, if so."""
        timeline, planner = self.timeline, self._planner
        try:
            poses = self._foreseen()
            plan: JointPlan | None = planner.plan(poses) if len(poses) > planner.spacing else None
        except ProxopsError as error:
            return otherwise, Stop(Rule.BAD_COMMAND, detail=str(error))
        joints, _ = self._follower.step(plan)
        self._unpushed.step(cycle, len(poses))
        if plan is not None:
            kept["arm_angle"][row] = plan.arm_angles[0]
        kept["pose"][row], kept["velocity"][row], kept["energy"][row], kept["touching"][row], kept["turned"][row] = (
            timeline.moment_now
        )
        kept["ahead_s"][row], kept["following"][row] = timeline.ahead_s, self._follower.state
        timeline.advance()
        if self._follower.reason:
            why = f"the arm cannot follow the module: {self._follower.reason}; {WAY_OUT}"
            return joints, Stop(Rule.UNREACHABLE, detail=why)
        return joints, None

    def _foreseen(self) -> Array:
        """Poses from the next set-point on, as far as the physics may look ahead in one cycle."""
        self.timeline.catch_up(self._budget)
        return self.timeline.predicted(self._planner.longest, first=self._lead)
