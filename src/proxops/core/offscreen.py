"""OpenGL without a window: where MuJoCo is imported for drawing, and what is said when a machine cannot draw."""

from __future__ import annotations

import os
import sys
from typing import Any

_NO_GL = (
    "no OpenGL for offscreen pictures: {reason}. Way out: apt-get install libegl1 libgl1-mesa-dri, and let "
    "MUJOCO_GL be unset or 'egl' before anything imports mujoco (it is {backend!r} now)"
)


class PictureUnavailable(RuntimeError):
    """This machine cannot render; the message says what to install."""


def import_mujoco() -> Any:
    """MuJoCo chooses its GL backend while it is imported, so the default must be set before."""
    if "mujoco" in sys.modules and "MUJOCO_GL" not in os.environ:
        # The renderer of that import would abort the process.
        raise _unavailable(RuntimeError("MuJoCo was imported before, for windows"))
    os.environ.setdefault("MUJOCO_GL", "egl")
    try:
        import mujoco
    except Exception as error:  # a missing libEGL shows as ImportError, AttributeError or OSError
        raise _unavailable(error) from error
    return mujoco


def open_renderer(model: Any, width: int, height: int) -> Any:
    """A `mujoco.Renderer` of `width` x `height` pixels; holds a GL context until it is closed."""
    mujoco = import_mujoco()
    try:
        return mujoco.Renderer(model, height=height, width=width, max_geom=2000)
    except Exception as error:  # each GL backend fails with a type of its own
        raise _unavailable(error) from error


def _unavailable(error: Exception) -> PictureUnavailable:
    return PictureUnavailable(_NO_GL.format(reason=error, backend=os.environ.get("MUJOCO_GL", "")))
