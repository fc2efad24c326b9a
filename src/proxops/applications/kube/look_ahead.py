"""Does a loop get to its goal, within the joints' ranges and in time? Looked at before anything moves."""

from __future__ import annotations

import math

from proxops.applications.kube.bench import RANGE_MARGIN, KubeBench
from proxops.applications.kube.result import ATTITUDE_BOUND_DEG, POSITION_BOUND_MM
from proxops.onboard.goal_preview import Goal, GoalPreview, outlook, refuse


def look_ahead(bench: KubeBench) -> GoalPreview:
    """BadInput if the goal is not reached, within the joints' ranges and the time; one that is only to be approached may be
    missed."""
    goal = Goal(bench.goal_p, bench.goal_quat, 1e-3 * POSITION_BOUND_MM, math.radians(ATTITUDE_BOUND_DEG))
    found = outlook(bench.model, bench.joints, goal, bench.law, bench.file.duration_s, RANGE_MARGIN)
    if bench.file.loop.goal == "reach" and not found.reached:
        refuse(found, goal, bench.file.duration_s)
    return found
