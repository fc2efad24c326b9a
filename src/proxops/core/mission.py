"""A mission: two spacecraft in orbit, sensors, flight software and what may go wrong. One TOML file, read strictly.

Body frames: ``chaser`` is the frame that port 1 shows in the hall, ``target`` that of port 2. When mated both are parallel,
the chaser on the target's +x side, its -x axis looking at the target. Places in a body are given in its body frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from proxops.core.craft import Body, ChaserBody
from proxops.core.dispersion_table import Dispersion, Knowledge
from proxops.core.errors import BadInput
from proxops.core.fault_table import Fault, check_faults
from proxops.core.imaging_table import ImagingSensor
from proxops.core.orbit_table import Environment, MissionStart, Orbit
from proxops.core.scenario import BridgeTable, NetworkTable, located, scenario_paths
from proxops.core.scenery_table import ORBIT_SUFFIX, Scenery
from proxops.core.segments import DAY_S, Seconds
from proxops.core.sensor_table import Avionics, Sensor, Sensors
from proxops.core.strict_table import Direction, Finite, Strict, Truth, Whole, judge_table, within
from proxops.core.toml_text import load_toml, read_toml, toml_text
from proxops.core.vision_table import Vision

Metres = Annotated[Finite, within(0, 1000)]


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

    sensor_hold_s: Annotated[Finite, within(0.5, 3600)] = 5.0  # without a measurement: stands and waits for one
    sensor_loss_s: Annotated[Finite, within(0.5, 3600)] = 10.0  # gives up
    position_sigma_share: Annotated[Finite, within(0.001, 1)] = 0.05  # of the distance: largest trusted 1 sigma
    attitude_sigma_deg: Annotated[Finite, within(0.1, 90)] = 5.0  # in the final step
    keep_out_m: Annotated[Finite, within(1, 10_000)] = 4.0  # sphere round the target that a retreat never enters again
    retreat_m_s: Annotated[Finite, within(0.01, 5)] = 0.15  # largest burn


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
    sensors: Annotated[Sensors, Field(alias="sensor")] = (Sensor(),)  # [sensor], or [[sensor]] with a kind each
    scenery: Scenery = Scenery()
    vision: Vision = Vision()
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

    @property
    def sensor(self) -> Sensor:
        """The relative-pose sensor."""
        return next(one for one in self.sensors if isinstance(one, Sensor))

    @property
    def imaging(self) -> tuple[ImagingSensor, ...]:
        """Cameras, time-of-flight cameras and LiDARs."""
        return tuple(one for one in self.sensors if not isinstance(one, Sensor))

    def as_known_on_board(self, uses_hall: bool) -> MissionFile:
        """What flight software may be told: no seed, no deviations, nothing that is to come, nothing of the network."""
        blank = {
            "vision": self.vision.model_copy(update={"designate": ()}),
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
    files = {
        "scenery": file.scenery.beside(source),
        "vision": file.vision.beside(source),
        "sensors": tuple(one if isinstance(one, Sensor) else one.beside(source) for one in file.sensors),
    }
    file = file.model_copy(update=files)
    try:
        file.orbit.check()
        file.target.check("target")
        file.chaser.check("chaser")
        _check_plan(file)
        check_faults(file.fault, len(file.chaser.thrusters.places))
        _check_names(file)
        file.vision.check(file.imaging)
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


def _check_names(file: MissionFile) -> None:
    """A sensor that sees both takes two names."""
    names = {one.name for one in file.imaging}
    twice = [name for name in names if name + ORBIT_SUFFIX in names]
    if file.scenery.see == "both" and twice:
        raise BadInput(
            "a sensor that sees both has a second name, and that is another's", value=twice[0] + ORBIT_SUFFIX,
            way_out="rename one",
        )  # fmt: skip


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
