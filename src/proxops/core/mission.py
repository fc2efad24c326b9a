"""A mission: two spacecraft in orbit, sensors, flight software and what may go wrong. One TOML file, read strictly.

Body frames: ``chaser`` is the frame that port 1 shows in the hall, ``target`` that of port 2. When mated both are parallel,
the chaser on the target's +x side, its -x axis looking at the target. Places in a body are given in its body frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from proxops.core.craft import Body, ChaserBody
from proxops.core.earth import EQUATOR_M
from proxops.core.errors import BadInput
from proxops.core.scenario import BridgeTable, NetworkTable, located, scenario_paths
from proxops.core.segments import DAY_S
from proxops.core.strict_table import (
    Direction,
    Finite,
    Share,
    Strict,
    Triple,
    Truth,
    Whole,
    judge_table,
    within,
)
from proxops.core.toml_text import load_toml, read_toml, toml_text

LOWEST_KM = EQUATOR_M * 1e-3 + 120.0  # of perigee: below, there is no orbit to speak of
Seconds = Annotated[Finite, within(0, DAY_S)]
Angle = Annotated[Finite, within(-360, 360)]
Metres = Annotated[Finite, within(0, 1000)]
Percent = Annotated[Finite, within(0, 50)]


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


class Sensor(Strict):
    """The relative-pose sensor on the chaser. All noise, bias and misalignment is one standard deviation per component; bias
    and misalignment are drawn once per run. Across: the two directions perpendicular to the line of sight."""

    rate_hz: Annotated[Finite, within(0.1, 50)] = 10.0
    delay_ms: Annotated[Finite, within(0, 2000)] = 120.0  # from exposure to the flight software
    jitter_ms: Annotated[Finite, within(0, 1000)] = 20.0  # added to it, uniform
    field_of_view_deg: Annotated[Finite, within(1, 180)] = 60.0  # full cone
    range_m: Annotated[Finite, within(1, 10_000)] = 400.0
    across_share: Annotated[Finite, within(0, 0.1)] = 0.0005  # noise across per metre of range
    along_share: Annotated[Finite, within(0, 0.1)] = 0.002  # along the line of sight per metre of range
    position_floor_m: Annotated[Finite, within(0, 1)] = 0.001  # added in quadrature, each component
    attitude_deg: Annotated[Finite, within(0, 30)] = 0.2
    attitude_deg_per_m: Annotated[Finite, within(0, 5)] = 0.05  # added in quadrature, times range
    bias_m: Annotated[Finite, within(0, 1)] = 0.002
    boresight_deg: Annotated[Finite, within(0, 5)] = 0.03
    attitude_bias_deg: Annotated[Finite, within(0, 10)] = 0.1
    outlier_share: Share = 0.01  # measurements that are wrong
    outlier_size: Annotated[Finite, within(1, 1000)] = 30.0  # in standard deviations
    dropout_share: Share = 0.02  # measurements that are missing
    place_m: Triple = (0.0, 0.0, 0.3)  # in the chaser's frame; it looks along -x


class Avionics(Strict):
    """The chaser's own instruments, one standard deviation."""

    star_tracker_arcsec: Annotated[Finite, within(0, 3600)] = 8.0  # white
    star_tracker_bias_arcsec: Annotated[Finite, within(0, 3600)] = 10.0
    gyro_deg_h: Annotated[Finite, within(0, 1000)] = 1.0  # white, at each sample
    gyro_bias_deg_h: Annotated[Finite, within(0, 1000)] = 0.5
    gnss_m: Annotated[Finite, within(0, 1000)] = 5.0
    gnss_m_s: Annotated[Finite, within(0, 10)] = 0.02


class HoldStep(Strict):
    """Stay where the step before ended."""

    kind: Literal["hold"]
    duration_s: Seconds


class ApproachStep(Strict):
    """Straight along the present direction in LVLH until the centres of mass are ``to_m`` apart."""

    kind: Literal["approach"]
    to_m: Annotated[Finite, within(1, 100_000)]
    speed_m_s: Annotated[Finite, within(0.001, 10)]


class FlyAroundStep(Strict):
    """On a sphere round the target to another direction: one in LVLH, or the target's docking axis, which is then
    followed as the target turns."""

    kind: Literal["fly_around"]
    to: Direction | Literal["docking_axis"]  # a direction in LVLH, or the word
    rate_deg_s: Annotated[Finite, within(0.01, 10)]


class FinalStep(Strict):
    """Along the docking axis until the docking interfaces meet."""

    kind: Literal["final"]
    speed_m_s: Annotated[Finite, within(0.001, 0.2)]


Step = Annotated[HoldStep | ApproachStep | FlyAroundStep | FinalStep, Field(discriminator="kind")]


class Corridor(Strict):
    """Where the approach may be: a cone with its opening towards the chaser, about the line of the step."""

    half_angle_deg: Annotated[Finite, within(1, 45)] = 10.0
    radius_m: Metres = 0.25  # of the cone at the docking interface (final) or at the step's end (approach)


class Abort(Strict):
    """When to give up, and how safe the retreat must be."""

    sensor_loss_s: Annotated[Finite, within(0.5, 3600)] = 10.0
    position_sigma_share: Annotated[Finite, within(0.001, 1)] = 0.05  # of the distance: largest trusted 1 sigma
    attitude_sigma_deg: Annotated[Finite, within(0.1, 90)] = 5.0  # in the final step
    keep_out_m: Annotated[Finite, within(1, 10_000)] = 4.0  # sphere round the target that a retreat never enters again
    retreat_m_s: Annotated[Finite, within(0.01, 5)] = 0.15  # largest burn


class SensorOutage(Strict):
    """The sensor is blind."""

    kind: Literal["sensor_outage"]
    at_s: Seconds
    duration_s: Seconds


class StuckOpen(Strict):
    """A thruster fires from then on until its latch valve is closed."""

    kind: Literal["stuck_open"]
    at_s: Seconds
    thruster: Annotated[Whole, within(1, 24)]


class StuckClosed(Strict):
    """A thruster does not fire any more."""

    kind: Literal["stuck_closed"]
    at_s: Seconds
    thruster: Annotated[Whole, within(1, 24)]


class PushFault(Strict):
    """Something gives the chaser this change of velocity (LVLH) within a second."""

    kind: Literal["push"]
    at_s: Seconds
    dv_m_s: Triple


Fault = Annotated[SensorOutage | StuckOpen | StuckClosed | PushFault, Field(discriminator="kind")]


class Dispersion(Strict):
    """What is not as planned: one standard deviation of each, drawn from the run's seed."""

    position_share: Percent = 0.0  # % of the first distance, each component
    velocity_m_s: Annotated[Finite, within(0, 1)] = 0.0
    target_attitude_deg: Annotated[Finite, within(0, 180)] = 0.0
    target_rate_deg_s: Annotated[Finite, within(0, 5)] = 0.0
    chaser_attitude_deg: Annotated[Finite, within(0, 30)] = 0.0
    mass: Percent = 0.0  # %, both craft
    inertia: Percent = 0.0  # %, principal moments, both craft
    mass_centre_m: Annotated[Finite, within(0, 0.1)] = 0.0
    thrust: Percent = 0.0  # %, each thruster
    sensor_noise: Percent = 0.0  # %, of the noise's size


class Knowledge(Strict):
    """How well the flight software knows the craft: one standard deviation of what it is told of them. The filter is consistent
    if this is true; ``dispersion`` says what is really the case."""

    mass_centre_m: Annotated[Finite, within(0, 0.1)] = 0.005  # both craft, each component
    inertia: Percent = 3.0  # %, of the target's principal moments
    thrust: Percent = 3.0  # %, thrust over mass, along each axis


class Flight(Strict):
    """The flight software's cycle."""

    rate_hz: Literal[2, 5, 10, 25] = 10
    limit_ms: Annotated[Finite, within(1, 60_000)] = 1000.0  # wall time: longest wait for an answer, or silence
    waits: Truth = True  # for every answer; false: free-running, with --realtime and --flight-software udp://… only


class HallUse(Strict):
    """Whether the robots take part. The mission begins when they show its first pose, or after ``join_s``."""

    use: Truth = True
    join_s: Annotated[Finite, within(0, 3600)] = 300.0
    sensor: Literal["handed_over", "while_shown"] = "handed_over"  # once a pose was shown: robots, or computed pose


class MissionFile(Strict):
    """The whole TOML file."""

    kind: Literal["mission"] = "mission"
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    about: Annotated[str, Field(pattern=r"^[^\n]{1,120}$")]
    seed: Annotated[Whole, within(0, 2**63 - 1)]
    duration_s: Annotated[Finite, within(0.1, DAY_S)]
    orbit: Orbit
    environment: Environment = Environment()
    target: Body
    chaser: ChaserBody
    start: MissionStart
    sensor: Sensor = Sensor()
    avionics: Avionics = Avionics()
    plan: Annotated[tuple[Step, ...], Field(min_length=1, max_length=100)]
    corridor: Corridor = Corridor()
    abort: Abort = Abort()
    knowledge: Knowledge = Knowledge()
    flight: Flight = Flight()
    expect: Literal["mated", "retreat"] | None = None  # what must come of it, for missions with faults
    fault: Annotated[tuple[Fault, ...], Field(max_length=100)] = ()
    dispersion: Dispersion = Dispersion()
    hall: HallUse = HallUse()
    network: NetworkTable = NetworkTable()
    bridge: BridgeTable = BridgeTable()

    def as_known_on_board(self, uses_hall: bool) -> MissionFile:
        """What flight software may be told: no seed, no deviations, no faults to come, nothing of the network."""
        blank = {
            "seed": 0,
            "dispersion": Dispersion(),
            "fault": (),
            "expect": None,
            "network": NetworkTable(),
            "bridge": BridgeTable(),
        }
        return self.model_copy(update={**blank, "hall": HallUse(use=uses_hall)})


@dataclass(frozen=True)
class Mission:
    """A loaded mission: the file, where it came from and its text for the log."""

    file: MissionFile
    source: Path
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def kind(self) -> str:
        return self.file.kind


def parse_mission(text: str, source: Path) -> Mission:
    """A mission from its text; ``source`` is named in complaints."""
    file = judge_table(_with_base(read_toml(text, source), source), MissionFile, source)
    try:
        file.orbit.check()
        file.target.check("target")
        file.chaser.check("chaser")
        _check_plan(file)
        _check_faults(file)
    except BadInput as bad:
        raise BadInput(bad.what, where=str(source), value=bad.value, bound=bad.bound, way_out=bad.way_out) from None
    return Mission(file, source, text)


def load_mission(path_or_name: Path | str) -> Mission:
    """Read ``some/where.toml``, or one that is shipped by its name."""
    path = located(path_or_name, mission_paths() | scenario_paths())
    text = toml_text(path, "the scenario")
    if not read_toml(text, path).keys() & {"orbit", "like"}:
        raise BadInput(
            "this scenario has no orbit of two craft", value=str(path_or_name), bound=", ".join(mission_paths()),
            way_out="or a path to a file with an [orbit] table",
        )  # fmt: skip
    return parse_mission(text, path)


def mission_paths() -> dict[str, Path]:
    """The shipped missions by name."""
    folder = Path(str(files("proxops").joinpath("missions")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def _with_base(values: dict[str, Any], source: Path) -> dict[str, Any]:
    """``like = "approach"``: what a file does not say is as in that shipped mission. Tables are joined key by key, except that
    another kind of orbit takes the place of the whole table; lists are replaced."""
    if "like" not in values:
        return values
    base, paths = values["like"], mission_paths()
    if not isinstance(base, str) or base not in paths or paths[base] == source:
        raise BadInput("like: no such mission is shipped", where=str(source), value=base, bound=", ".join(paths))
    rest = {key: value for key, value in values.items() if key != "like"}
    return _joined(_with_base(load_toml(paths[base], "the mission"), paths[base]), rest)


def _joined(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = dict(base)
    for key, value in over.items():
        old = both.get(key)
        same_kind = (
            isinstance(old, dict) and isinstance(value, dict) and value.get("kind", old.get("kind")) == old.get("kind")
        )
        both[key] = _joined(old, value) if isinstance(old, dict) and same_kind else value
    return both


def _check_plan(file: MissionFile) -> None:
    on_axis = False
    for number, step in enumerate(file.plan, 1):
        key = f"plan {number} ({step.kind})"
        if isinstance(step, FlyAroundStep):
            on_axis = step.to == "docking_axis"
        if isinstance(step, FinalStep) and not on_axis:
            raise BadInput(f"{key}: not on the docking axis", way_out='fly around to "docking_axis" before')
        if isinstance(step, ApproachStep) and on_axis:
            raise BadInput(f"{key}: leads along LVLH, but the chaser is on the docking axis by then")
        if isinstance(step, FinalStep) and number < len(file.plan):
            raise BadInput(f"{key}: nothing comes after it", value=f"{len(file.plan) - number} more steps")


def _check_faults(file: MissionFile) -> None:
    count = len(file.chaser.thrusters.places)
    for number, fault in enumerate(file.fault, 1):
        thruster = getattr(fault, "thruster", 1)
        if thruster > count:
            raise BadInput(f"fault {number}: no such thruster", value=thruster, bound=f"1 … {count}")
