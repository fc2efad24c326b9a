"""Where somebody stands who looks at a catch."""

from __future__ import annotations

from typing import Any

import numpy as np

from proxops.applications.grasp.scene import BAR, BASE, BODY, GRASP_SITE


def onlooker(mujoco: Any, data: Any, *, wide: bool) -> Any:
    """From the side and a little above: everything, or hand and bar."""
    hand, bar, body, base = data.site(GRASP_SITE).xpos, data.site(BAR).xpos, data.body(BODY).xpos, data.body(BASE).xpos
    camera = mujoco.MjvCamera()
    camera.lookat[:] = 0.5 * (body + base) if wide else 0.5 * (hand + bar)
    # From behind the hand: the body hides nothing.
    camera.azimuth, camera.elevation = (118.0, -22.0) if wide else (55.0, -28.0)
    camera.distance = (
        1.0 + 0.8 * float(np.linalg.norm(body - base)) if wide else 0.7 + float(np.linalg.norm(hand - bar))
    )
    return camera
