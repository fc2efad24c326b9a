"""Where a mission flies: the target's orbit, what acts on both craft, and where the chaser begins."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from proxops.core.earth import EQUATOR_M
from proxops.core.errors import BadInput
from proxops.core.segments import DAY_S, Angle
from proxops.core.strict_table import Finite, Strict, Triple, Truth, Whole, within

LOWEST_KM = EQUATOR_M * 1e-3 + 120.0  # of perigee: below, there is no orbit to speak of


def _utc(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or not 1957 <= moment.year < 2057:
        raise PydanticCustomError("epoch", "not a UTC date", {"bound": "as 2026-11-16T12:00:00Z, 1957 … 2056"})
    return moment.astimezone(UTC).isoformat()


Epoch = Annotated[str, AfterValidator(_utc)]


class Elements(Strict):
    """Kepler's elements at the epoch: in the equator of date; the anomaly is the true one."""

    epoch: Epoch  # UTC, text: "2026-11-16T12:00:00Z"
    semi_major_axis_km: Annotated[Finite, within(6_000, 100_000)]
    eccentricity: Finite = 0.0
    inclination_deg: Annotated[Finite, within(0, 180)]
    node_deg: Angle = 0.0  # right ascension of the ascending node
    perigee_deg: Angle = 0.0  # argument of perigee
    anomaly_deg: Angle = 0.0

    @property
    def known_s(self) -> float:
        """For how long it can be flown, from its epoch."""
        return DAY_S

    def check(self) -> None:
        """An ellipse that stays above the Earth."""
        if not 0.0 <= self.eccentricity < 1.0:
            raise BadInput("orbit.eccentricity: no ellipse", value=self.eccentricity, bound="0 … below 1")
        perigee_km = self.semi_major_axis_km * (1.0 - self.eccentricity)
        if perigee_km < LOWEST_KM:
            raise BadInput(
                "orbit: perigee inside the Earth or its dense air", value=f"{perigee_km:.1f} km from the Earth's centre",
                bound=f"{LOWEST_KM:.0f} km or more",
            )  # fmt: skip


class KeplerOrbit(Elements):
    """The target follows Kepler's ellipse; with ``j2`` node, perigee and mean anomaly drift at J2's secular rates."""

    kind: Literal["kepler"]
    j2: Truth = True


class NumericalOrbit(Elements):
    """The target's orbit is integrated under the environment, with every disturbance."""

    kind: Literal["numerical"]


class TleOrbit(Strict):
    """SGP4 from a two-line element set. ``epoch``: when the mission begins; the set's own epoch unless given."""

    kind: Literal["tle"]
    line1: str
    line2: str
    epoch: Epoch | None = None  # UTC, text
    max_age_days: Annotated[Finite, within(0, 365)] = 14.0

    @property
    def known_s(self) -> float:
        """For how long it can be flown."""
        return DAY_S

    def check(self) -> None:
        """Read with the orbit itself: ``space/tle.py``."""


class WayPoint(Strict):
    """Where the target is, and how fast, in ECI."""

    t_s: Annotated[Finite, within(0, DAY_S)]
    position_km: Triple
    velocity_km_s: Triple | None = None


class PathOrbit(Strict):
    """A path of the user's own through way-points, smooth to the second derivative."""

    kind: Literal["path"]
    epoch: Epoch  # UTC, text
    point: Annotated[tuple[WayPoint, ...], Field(min_length=2, max_length=10_000)]

    @property
    def known_s(self) -> float:
        """Until its last point."""
        return self.point[-1].t_s

    def check(self) -> None:
        """Read with the orbit itself: ``space/way_points.py``."""


Orbit = Annotated[KeplerOrbit | NumericalOrbit | TleOrbit | PathOrbit, Field(discriminator="kind")]


class Environment(Strict):
    """What acts on both craft. On a prescribed orbit (all but numerical) only the differences act, on the chaser."""

    gravity_degree: Annotated[Whole, within(1, 6)] = 6  # zonal terms J2 to this; 1: a point mass
    gravity_gradient: Truth = True
    atmosphere: Literal["none", "exponential", "harris_priester"] = "harris_priester"
    radiation_pressure: Truth = True
    sun: Truth = True
    moon: Truth = True


class MissionStart(Strict):
    """The chaser's centre of mass from the target's at the beginning, in LVLH and as seen in it (rotating)."""

    position_m: Triple
    velocity_m_s: Triple = (0.0, 0.0, 0.0)
