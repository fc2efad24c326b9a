"""Which flights on images alone are flown seed after seed, and what has to come of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from proxops.applications.mission.run_figures import RunFigures
from proxops.core.mission import Mission, parse_mission
from proxops.core.vocabulary import MissionEnd

LIMITS: Final = (0.05, math.radians(0.5), math.radians(1.0))  # lateral m, tilt, roll at contact
KEPT_AWAY_M: Final = 2.3  # of the centres of mass, by who does not mate: their spheres do not touch

ONCE_A_SECOND: Final = """[[sensor]]
kind = "camera"
name = "eye"
rate_hz = 1.0
focal_error_share = 0.0005
"""
"""The camera of the mission, half as often: a filter that counts 50 s of images as one gains nothing from more of them, unless
the client turns so fast that it could not be followed before there is a filter."""

CONDITIONS: Final[dict[str, str]] = {
    "slow tumble": 'like = "approach_camera"\n' + ONCE_A_SECOND,
    "5 deg/s spin": """like = "approach_camera"
[target]
attitude = { axis = [-0.8, 0.0, -0.6], rate_deg_s = [5.0, 0.0, 0.0] }
inertia_kg_m2 = [[420.0, 0.0, 0.0], [0.0, 400.0, 0.0], [0.0, 0.0, 380.0]]
[dispersion]
target_attitude_deg = 1.0
""",
    "2.3 deg/s off axis, lamp": 'like = "approach_camera"\n'
    + ONCE_A_SECOND
    + """[target]
attitude = { rate_deg_s = [2.0, 0.8, -0.8] }
[scenery.illuminator]
intensity_w_sr = 100.0
""",
}
HEAD: Final = 'kind = "mission"\nname = "flights"\nabout = "closed loop on images"\n'


def condition(text: str) -> Mission:
    """A mission from its text; tables stand behind the keys of the file."""
    return parse_mission(HEAD + text, Path("flights.toml"))


def within(row: RunFigures) -> bool:
    values = (row.lateral_m, row.tilt_rad, row.roll_rad)
    near = all(value is not None and abs(value) <= limit for value, limit in zip(values, LIMITS, strict=True))
    return row.end == MissionEnd.MATED.name and near


def kept_away(row: RunFigures) -> bool:
    return row.end == MissionEnd.TIME.name and row.abort != "NONE" and row.least_distance_m > KEPT_AWAY_M
