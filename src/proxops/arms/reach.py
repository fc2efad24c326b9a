"""How far a free-floating arm can reach: a sphere about the centre of mass of the whole, which never moves.

The tool's distance from that centre is the mean, weighted by mass, of its distances from the bodies' centres; each of those is at
most the length of the chain between them. Beyond this radius no motion of the joints gets there, whatever the base does.
"""

from __future__ import annotations

import numpy as np

from proxops.arms.model import ArmModel


def reach_m(model: ArmModel) -> float:
    """Radius of the sphere, m."""
    pin, tool = model.pin, model.pin.frames[model.tool_id]
    chain = _chain(model, tool.parentJoint)
    # Length from each joint of the chain on to the tool.
    left = {chain[-1]: float(np.linalg.norm(tool.placement.translation))}
    for joint, below in zip(reversed(chain[:-1]), reversed(chain[1:]), strict=True):
        left[joint] = left[below] + float(np.linalg.norm(pin.jointPlacements[below].translation))
    total = 0.0
    for body in range(1, pin.njoints):
        lever = pin.inertias[body].lever
        way, at = float(np.linalg.norm(lever)), body
        while at not in left:  # a body beside the chain: back to where it branches off
            way += float(np.linalg.norm(pin.jointPlacements[at].translation))
            at = pin.parents[at]
        if at == body and at != chain[-1]:  # straight from its centre to the next joint, not by way of its own
            below = chain[chain.index(at) + 1]
            way = float(np.linalg.norm(pin.jointPlacements[below].translation - lever)) + left[below]
        elif at == body:
            way = float(np.linalg.norm(tool.placement.translation - lever))
        else:
            way += left[at]
        total += pin.inertias[body].mass * way
    return total / model.mass_kg


def _chain(model: ArmModel, joint: int) -> list[int]:
    """Joints from the base's to ``joint``."""
    out = [joint]
    while out[0] != 1:
        out.insert(0, model.pin.parents[out[0]])
    return out
