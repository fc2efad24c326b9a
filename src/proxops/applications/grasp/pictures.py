"""Pictures of a catch at its key moments, rendered after the run from the recorded places."""

from __future__ import annotations

import numpy as np

from proxops.applications.grasp.onlooker import onlooker
from proxops.applications.grasp.run import GraspRun
from proxops.applications.grasp.scene import PICTURE
from proxops.applications.grasp.world import GraspWorld
from proxops.core.offscreen import PictureUnavailable, import_mujoco, open_renderer
from proxops.ground.picture import encode_png
from proxops.onboard.grasp_phases import GraspPhase

Picture = tuple[float, str, bytes]  # s, what it shows, PNG


def pictures(world: GraspWorld, run: GraspRun) -> list[Picture]:
    """None where the machine cannot draw."""
    try:
        renderer = open_renderer(world.model, *PICTURE)
    except PictureUnavailable:
        return []
    mujoco = import_mujoco()
    data, out = mujoco.MjData(world.model), []
    try:
        shown = moments(run)
        for number, (t, words) in enumerate(shown):
            row = min(int(np.searchsorted(run.t, t - 1e-9)), len(run.t) - 1)
            data.qpos[:] = run.places[row]
            mujoco.mj_forward(world.model, data)
            renderer.update_scene(data, camera=onlooker(mujoco, data, wide=number in (0, len(shown) - 1)))
            out.append((float(run.t[row]), words, encode_png(renderer.render())))
    finally:
        renderer.close()
    return out


def moments(run: GraspRun) -> list[tuple[float, str]]:
    """At most six, in order of time: start, what the phases say, first touch, end."""
    words = {
        GraspPhase.CLOSE: "fingers begin to close", GraspPhase.HOLD: "gripped", GraspPhase.DAMP: "joints damp",
        GraspPhase.MISSED: "missed",
        GraspPhase.STOPPED: "too much force: stops", GraspPhase.HALTED: "halted",
    }  # fmt: skip
    out = [(0.0, "start"), *((t, words[phase]) for t, phase in run.phases if phase in words)]
    if run.touched_s is not None:
        out.append((run.touched_s, "first touch"))
    out.append((float(run.t[-1]), "end"))
    return [*sorted(out)[:5], out[-1]] if len(out) > 6 else sorted(out)
