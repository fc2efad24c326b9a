"""One sheet about a reference orbit and the free drift beside it: orbit, ground track, relative motion, errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, new_figure, save, styled, thin
from proxops.ground.recorded import Floats

EARTH: Final = "#cfe0ef"
NIGHT: Final = "#6b7a89"


@dataclass(frozen=True)
class OrbitCurves:
    """What is drawn, as plain arrays; the first row is the scenario's start."""

    title: str
    t_s: Floats  # (n) of the orbit
    plane_km: Floats  # (n, 2) in the orbit's plane at the start, x to the start
    longitude_deg: Floats  # (n) -180 … 180
    latitude_deg: Floats  # (n)
    eclipsed: Floats  # (n) bool
    sun_plane: Floats  # (2) direction to the sun, its part in that plane
    earth_radius_km: float
    period_s: float
    drift_s: Floats  # (m)
    exact_m: Floats  # (m, 3) lvlh
    cw_m: Floats  # (m, 3)
    elliptic_m: Floats  # (m, 3)


def draw_orbit(curves: OrbitCurves, out: Path) -> None:
    """Write the sheet as its suffix says."""
    with styled():
        figure = new_figure(12.5, 8.4)
        grid = figure.add_gridspec(
            2, 6, height_ratios=[1.0, 1.05], hspace=0.33, wspace=1.3, left=0.06, right=0.985, top=0.9, bottom=0.07
        )
        figure.suptitle(curves.title, x=0.06, y=0.975, ha="left", va="top", fontsize=13, weight="bold")
        _orbit(figure.add_subplot(grid[0, :2]), curves)
        _track(figure.add_subplot(grid[0, 2:]), curves)
        _in_plane(figure.add_subplot(grid[1, :2]), curves)
        _across(figure.add_subplot(grid[1, 2:4]), curves)
        _errors(figure.add_subplot(grid[1, 4:]), curves)
    save(figure, out)


def _orbit(axes: Any, c: OrbitCurves) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle((0.0, 0.0), c.earth_radius_km, facecolor=EARTH, edgecolor=GREY, lw=0.7))
    once = c.t_s <= c.period_s
    x, y = c.plane_km[once].T
    axes.plot(x, y, color=ROBOT1)
    night = np.where(c.eclipsed[once], 1.0, np.nan)
    axes.plot(night * x, night * y, color=NIGHT, lw=4.0, alpha=0.6)
    axes.plot(x[0], y[0], "o", color=ROBOT2, ms=6)
    nearest = int(np.argmin(np.hypot(x, y)))
    axes.plot(x[nearest], y[nearest], "^", color=INK, ms=5, label="lowest")
    sun = 0.75 * c.earth_radius_km * c.sun_plane
    axes.annotate("", sun, (0.0, 0.0), arrowprops={"arrowstyle": "->", "color": ROBOT2, "lw": 1.4})
    axes.text(0.0, 0.0, "sun ", color=ROBOT2, fontsize=8, ha="right", va="top")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("towards the start [km]")
    axes.set_ylabel("along the flight there [km]")
    axes.set_title("Orbit, in its plane")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), borderaxespad=0.1)
    axes.locator_params(nbins=5)
    axes.margins(0.12)


def _track(axes: Any, c: OrbitCurves) -> None:
    # A gap where the track leaves the map at one side and comes back at the other.
    jump = np.flatnonzero(np.abs(np.diff(c.longitude_deg)) > 180.0) + 1
    longitude, latitude = np.insert(c.longitude_deg, jump, np.nan), np.insert(c.latitude_deg, jump, np.nan)
    night = np.insert(np.where(c.eclipsed, 1.0, np.nan), jump, np.nan)
    axes.plot(longitude, latitude, color=ROBOT1, lw=1.2, label="sunlit")
    axes.plot(night * longitude, latitude, color=NIGHT, lw=3.5, alpha=0.6, label="in the Earth's shadow")
    axes.plot(c.longitude_deg[0], c.latitude_deg[0], "o", color=ROBOT2, ms=6, label="start")
    axes.set_xlim(-180, 180)
    axes.set_ylim(-90, 90)
    axes.set_xticks(range(-180, 181, 60))
    axes.set_yticks(range(-90, 91, 30))
    axes.set_xlabel("longitude [deg]")
    axes.set_ylabel("geocentric latitude [deg]")
    axes.set_title(f"Ground track, {c.t_s[-1] / 3600.0:.1f} h")
    axes.legend(loc="lower right", ncol=3, bbox_to_anchor=(1.0, 0.99), borderaxespad=0.1)


def _curves(axes: Any, c: OrbitCurves, column_x: int, column_y: int) -> None:
    """Exact below, the linear ones above it; the target in the origin."""
    for values, style in (
        (c.exact_m, {"color": ROBOT1, "lw": 3.2, "alpha": 0.55, "label": "exact"}),
        (c.cw_m, {"color": ROBOT2, "lw": 1.1, "ls": (0, (5, 2)), "label": "Clohessy-Wiltshire"}),
        (c.elliptic_m, {"color": INK, "lw": 1.0, "ls": (0, (1.2, 1.8)), "label": "elliptic"}),
    ):
        axes.plot(values[:, column_x], values[:, column_y], **style)
    axes.plot(0.0, 0.0, "+", color=BAD, ms=9, mew=1.6)
    axes.plot(*c.exact_m[0, [column_x, column_y]], "o", color=ROBOT2, ms=5)


def _in_plane(axes: Any, c: OrbitCurves) -> None:
    _curves(axes, c, 0, 2)
    axes.invert_yaxis()  # the Earth is below
    axes.set_xlabel("x, along the flight [m]")
    axes.set_ylabel("z, to the Earth [m]")
    axes.set_title("Free drift in the orbit's plane")
    axes.legend(loc="best")
    axes.margins(0.08)
    _at_least_a_centimetre(axes, c.exact_m[:, 2])


def _across(axes: Any, c: OrbitCurves) -> None:
    _curves(axes, c, 0, 1)
    axes.set_xlabel("x, along the flight [m]")
    axes.set_ylabel("y, against the normal [m]")
    axes.set_title("Free drift across it")
    axes.margins(0.08)
    _at_least_a_centimetre(axes, c.exact_m[:, 1])


def _at_least_a_centimetre(axes: Any, values: Floats) -> None:
    """A motion that stays in its plane must not fill the picture with rounding."""
    middle = 0.5 * float(values.min() + values.max())
    if np.ptp(values) < 1e-2:
        low, high = middle - 1e-2, middle + 1e-2
        axes.set_ylim((high, low) if axes.yaxis_inverted() else (low, high))


def _errors(axes: Any, c: OrbitCurves) -> None:
    hours = c.drift_s / 3600.0
    for values, colour, label in ((c.cw_m, ROBOT2, "Clohessy-Wiltshire"), (c.elliptic_m, INK, "elliptic")):
        error = np.sqrt(((values - c.exact_m) ** 2).sum(axis=1))
        axes.plot(*thin(hours[1:], np.maximum(error[1:], 1e-9)), color=colour, label=label)
    distance = np.sqrt((c.exact_m**2).sum(axis=1))
    axes.plot(*thin(hours, distance), color=RAIL, lw=1.0, ls=(0, (4, 2)), label="distance itself")
    for k in range(1, int(c.drift_s[-1] / c.period_s) + 1):
        axes.axvline(k * c.period_s / 3600.0, color=GREY, lw=0.8, ls=":")
    in_decades(axes)
    axes.set_xlim(0.0, hours[-1])
    axes.set_xlabel("time [h]; dotted: whole revolutions")
    axes.set_ylabel("[m]")
    axes.set_title("Error of the linear motions")
    axes.legend(loc="lower right")
