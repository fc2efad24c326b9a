"""How the module of a micro-gravity run turned: against the limit of its turning, and as the arm showed it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.floating.application import FloatApplication, FloatingStage
from proxops.core.criterion import Criterion
from proxops.maths.rotation import Array
from proxops.space.turn_limit import packed_limit, tilt_and_twist

Rows = np.ndarray[Any, Any]
Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
BEYOND_DEG: Final = 0.2  # of the limit of turning: what a module of 200 deg/s turns in a step of the physics


def turn_error_deg(rows: Rows) -> Array:
    """Angle between the attitude shown and the one that the physics has."""
    shown, computed = rows["shown"][:, 3:], rows["pose"][:, 3:]
    sign = np.copysign(1.0, np.sum(shown * computed, axis=1))[:, None]
    chord = np.linalg.norm(shown - sign * computed, axis=1)  # twice the sine of a quarter of the angle
    out: Array = np.degrees(4.0 * np.arcsin(np.minimum(0.5 * chord, 1.0)))
    return out


def turned_deg(app: FloatApplication, rows: Rows) -> Array:
    """(n, 2) Tilt and twist of the module that floats, while it does; nothing without a limit."""
    limit = app.bench.scene.turn_limit
    if limit is None:
        return np.zeros((0, 2))
    packed = packed_limit(limit)
    floating = rows["pose"][rows["stage"] == FloatingStage.FLOAT, 3:]
    out: Array = np.degrees(np.array([tilt_and_twist(quat, packed) for quat in floating]).reshape(-1, 2))
    return out


def turning_criteria(app: FloatApplication, rows: Rows) -> list[Criterion]:
    limit, angles = app.bench.scene.turn_limit, np.abs(turned_deg(app, rows))
    if limit is None or not len(angles):
        return []
    found = [
        Criterion("tilt beyond its limit, worst", float(angles[:, 0].max()) - limit.tilt_deg, BEYOND_DEG, unit="deg")
    ]
    if limit.twist_deg is not None:
        beyond = float(angles[:, 1].max()) - limit.twist_deg
        found.append(Criterion("twist beyond its limit, worst", beyond, BEYOND_DEG, unit="deg"))
    return found


def turning_table(app: FloatApplication, rows: Rows) -> Table:
    limit, angles = app.bench.scene.turn_limit, np.abs(turned_deg(app, rows))
    if limit is None or not len(angles):
        return "Turning", (), ()
    twist = "none" if limit.twist_deg is None else f"{limit.twist_deg:g} deg"
    cells = (
        ("tilt of the fixture", f"{angles[:, 0].max():.2f} deg", f"{limit.tilt_deg:g} deg"),
        ("twist about it", f"{angles[:, 1].max():.2f} deg", twist),
        ("turned back", f"{edges(rows['turned'])} times", ""),
    )
    return "Turning", ("", "largest", "limit"), cells


def edges(flags: Array) -> int:
    """How often it begins."""
    return int(np.sum(np.diff(flags) > 0))
