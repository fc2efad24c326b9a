"""The cell: what stands in the hall and what it may do. One TOML file, read strictly, packed once for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from proxops.core.clock import STALL_S
from proxops.core.errors import BadInput
from proxops.core.messages import AXES, N_AXES
from proxops.core.toml_text import load_toml
from proxops.lab.urdf import AxisLimits, read_arm, read_limits
from proxops.lab.user_tool import UserTool
from proxops.maths.pose import pose_from_abc

# Strict: "6.0" and true are not numbers.
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[Finite, Field(gt=0)]
NotNegative = Annotated[Finite, Field(ge=0)]
Share = Annotated[Finite, Field(gt=0, le=1)]
Triple = tuple[Finite, Finite, Finite]
CAD_NAME = r"^[^/\\]+\.(?i:stl|obj|glb|gltf)$"  # a file's name, without folders


class Strict(BaseModel):
    """A table of the cell file: unknown keys and wrong types are errors, and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Servo(Strict):
    """How a controller follows: dead time, lag, and the following error at which it faults (m or rad)."""

    dead_time_ms: Annotated[Finite, Field(ge=0, le=100)]
    time_constant_ms: Annotated[Finite, Field(ge=4, le=500)]
    following_error_limit: Positive


class RailMount(Strict):
    """On the rail's carriage, looking along it or back: only then is ``data lin`` a way along the rail."""

    on: Literal["rail"]
    yaw_deg: Finite

    @field_validator("yaw_deg")
    @classmethod
    def _along_the_rail(cls, yaw_deg: float) -> float:
        if yaw_deg not in (0.0, 180.0, -180.0):
            raise ValueError("a robot on the rail looks along it: 0 or 180")
        return yaw_deg


class FloorMount(Strict):
    """On the floor (or a pedestal): base in the lab."""

    on: Literal["floor"]
    yaw_deg: Finite
    xyz_lab_m: Triple


class Plate(Strict):
    """Adapter plate of Table 5: its own mass, and the most that may be mounted on it."""

    mass_kg: Positive
    max_payload_kg: Positive
    max_inertia_kgm2: tuple[Positive, Positive, Positive]


class Payload(Strict):
    """What is mounted: mass, centre of mass in the flange frame, principal moments about it along the flange's axes. ``cad``
    names a drawing of it beside the cell file, for displays: times ``cad_scale`` in metres, then turned and moved into the
    port frame. Nothing is computed from it."""

    what: str
    mass_kg: NotNegative
    com_m: Triple
    inertia_kgm2: tuple[NotNegative, NotNegative, NotNegative]
    cad: Annotated[str, Field(pattern=CAD_NAME)] | None = None
    cad_scale: Positive = 1.0
    cad_abc_deg: Triple = (0.0, 0.0, 0.0)
    cad_xyz_m: Triple = (0.0, 0.0, 0.0)

    @model_validator(mode="after")
    def _placed_only_with_a_file(self) -> Payload:
        placed = sorted(key for key in self.model_fields_set if key.startswith("cad_"))
        if placed and self.cad is None:
            raise ValueError(f"{', '.join(placed)}: place a drawing, but cad names none")
        return self


Interval = tuple[Finite, Finite]


class Range(Strict):
    """A robot's rows of Table 3."""

    x_m: Interval
    y_m: Interval
    z_m: Interval
    roll_deg: Interval | Literal["endless"]
    pitch_deg: Interval
    yaw_deg: Interval

    @model_validator(mode="after")
    def _ordered(self) -> Range:
        for name in type(self).model_fields:
            value = getattr(self, name)
            if value != "endless" and not value[0] < value[1]:
                raise ValueError(f"{name}: from must be below to, got {value}")
        return self


class Robot(Strict):
    """One arm of the cell."""

    model: str
    home_deg: tuple[Finite, Finite, Finite, Finite, Finite, Finite]
    endless: tuple[Literal["a1", "a2", "a3", "a4", "a5", "a6"], ...]
    repeatability_mm: NotNegative
    servo: Servo
    plate: Plate
    payload: Payload
    range: Range


class RobotOnRail(Robot):
    """Robot 1."""

    mount: RailMount


class RobotOnFloor(Robot):
    """Robot 2."""

    mount: FloorMount


class Rail(Strict):
    """The linear axis under robot 1; it runs along the lab's x."""

    model: str
    origin_lab_m: Triple
    home_m: Finite
    repeatability_mm: NotNegative
    servo: Servo


class PlateAxes(Strict):
    """ABC angles from each flange to the axes in which Table 3 reads roll, pitch and yaw."""

    robot1: Triple
    robot2: Triple


class Limits(Strict):
    """What the guard allows beyond the axis limits of the robot models."""

    port_speed_m_s: Positive
    port_rate_deg_s: Positive
    speed_share: Share
    acceleration_share: Share
    jump_rail_mm: Positive
    jump_axis_deg: Positive
    wrist_margin_deg: Annotated[Finite, Field(ge=0, lt=45)]
    move_to_start_share: Share
    jog_speed_m_s: Positive
    jog_rate_deg_s: Positive
    reduced_share: Share
    sync_timeout_ms: Annotated[Finite, Field(ge=4, le=1000)]


def _ordered_intervals(table: Strict, *names: str) -> None:
    for name in names:
        lower, upper = getattr(table, name)
        if not lower < upper:
            raise ValueError(f"{name}: from must be below to, got {lower} and {upper}")


class Room(Strict):
    """Inner walls of the hall: a box in the lab that both spacecraft stay in."""

    x_m: Interval
    y_m: Interval
    z_m: Interval

    @model_validator(mode="after")
    def _ordered(self) -> Room:
        _ordered_intervals(self, "x_m", "y_m", "z_m")
        return self


class Zones(Strict):
    """Where red begins round spacecraft, arms and walls, and how thick yellow is at least."""

    box_margin_mm: NotNegative
    body_margin_mm: NotNegative
    yellow_layer_mm: Positive
    room: Room


class Lamp(Strict):
    """The sun simulator: from where its light comes, as a direction in the lab."""

    towards_lab: Triple

    @field_validator("towards_lab")
    @classmethod
    def _some_direction(cls, towards: Triple) -> Triple:
        if not any(towards):
            raise ValueError("needs a direction, not zero")
        return towards


class Positioning(Strict):
    """By how much the axes truly stand elsewhere than they report, one standard deviation each: what calibration has left.
    A virtual hall draws it once; a real one has it."""

    rail_mm: NotNegative = 0.0
    arm_mdeg: NotNegative = 0.0  # axes 1 to 3
    wrist_mdeg: NotNegative = 0.0  # axes 4 to 6


class Clients(Strict):
    """What becomes of a client of the bridge that is not the one that had the hall: the operator is asked, or it is taken."""

    new: Literal["ask", "take"] = "ask"


class LinkTable(Strict):
    """How long robots in motion may go without a fresh set-point before the watchdog brakes them, in cycles of 4 ms, and for how
    long the machine may hold up the facility or the watchdog before whatever moves is stopped."""

    patience_cycles: Annotated[int, Field(strict=True, ge=2, le=250)] = 3
    stall_ms: Annotated[Finite, Field(ge=8.0, le=1000.0)] = STALL_S * 1e3

    @property
    def stall_ns(self) -> int:
        return round(self.stall_ms * 1e6)


class InterlockInput(Strict):
    """One named input that can forbid motion, and where it is on the floor plan (x, y in the lab)."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    kind: Literal["estop", "door", "gate", "fence", "laser", "power"]
    at_lab_m: tuple[Finite, Finite] | None = None


GroupName = Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]


class Access(Strict):
    """Unix groups whose members may use the control channel of a served facility: watch, operate (and watch), maintain (all).
    Without this table only the facility's own user may."""

    watch_group: GroupName | None = None
    operate_group: GroupName | None = None
    maintain_group: GroupName | None = None


class PlanRoom(Strict):
    """A room of the floor plan: its inner walls in the lab."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    x_m: Interval
    y_m: Interval

    @model_validator(mode="after")
    def _ordered(self) -> PlanRoom:
        _ordered_intervals(self, "x_m", "y_m")
        return self

    def holds(self, x_m: float, y_m: float) -> bool:
        """True inside and on the walls, where doors are."""
        return self.x_m[0] <= x_m <= self.x_m[1] and self.y_m[0] <= y_m <= self.y_m[1]


class Plan(Strict):
    """The floor plan, used for drawing only."""

    rooms: Annotated[tuple[PlanRoom, ...], Field(min_length=1, max_length=16)]

    @field_validator("rooms")
    @classmethod
    def _named_once(cls, rooms: tuple[PlanRoom, ...]) -> tuple[PlanRoom, ...]:
        _unique([room.name for room in rooms])
        return rooms


def _unique(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is named twice")


class CellFile(Strict):
    """The whole TOML file."""

    name: str
    rail: Rail
    robot1: RobotOnRail
    robot2: RobotOnFloor
    plate_axes_deg: PlateAxes
    limits: Limits
    zones: Zones
    lamp: Lamp
    positioning: Positioning = Positioning()
    clients: Clients = Clients()
    link: LinkTable = LinkTable()
    plan: Plan | None = None
    access: Access | None = None
    interlock: Annotated[tuple[InterlockInput, ...], Field(min_length=1, max_length=32)]

    @field_validator("interlock")
    @classmethod
    def _named_once(cls, inputs: tuple[InterlockInput, ...]) -> tuple[InterlockInput, ...]:
        _unique([i.name for i in inputs])
        return inputs

    @model_validator(mode="after")
    def _on_the_plan(self) -> CellFile:
        rooms = self.plan.rooms if self.plan else ()
        for i in self.interlock:
            if rooms and i.at_lab_m and not any(room.holds(*i.at_lab_m) for room in rooms):
                raise ValueError(f"interlock {i.name}: at_lab_m {i.at_lab_m} lies in none of the plan's rooms")
        return self


HALL_DTYPE = np.dtype(
    [
        ("lengths1", "f8", (6,)), ("lengths2", "f8", (6,)),
        ("base1", "f8", (4, 4)),  # T_lab_base1 with the rail at zero
        ("base2", "f8", (4, 4)),  # T_lab_base2
        ("port1", "f8", (4, 4)), ("port2", "f8", (4, 4)),  # T_flange_port
        ("port1_inv", "f8", (4, 4)), ("port2_inv", "f8", (4, 4)),
        ("plate1", "f8", (3, 3)), ("plate2", "f8", (3, 3)),  # R_flange_plate
        ("lower", "f8", (N_AXES,)), ("upper", "f8", (N_AXES,)),  # infinite for endless axes
        ("speed", "f8", (N_AXES,)), ("acceleration", "f8", (N_AXES,)),  # what the guard allows
        ("jump", "f8", (N_AXES,)),
        ("range_lower", "f8", (2, 6)), ("range_upper", "f8", (2, 6)),  # x y z roll pitch yaw
        ("port_speed", "f8"), ("port_rate", "f8"), ("wrist_margin", "f8"),
    ]
)  # fmt: skip
"""All constants that the kernels need, in one record: passing it costs as little as passing one array."""


class AxisTable(NamedTuple):
    """Limits of the thirteen axes as the robot models give them, endless axes unbounded."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    speed: NDArray[np.float64]
    acceleration: NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """A loaded cell: the file's tables, the axis limits of its robot models, the tools, and the packed record."""

    file: CellFile
    source: Path  # where the file was; robot models lie beside it or are shipped
    axes: AxisTable
    tool: UserTool
    home: NDArray[np.float64]
    hall: NDArray[np.void] = field(repr=False)

    @property
    def robots(self) -> tuple[Robot, Robot]:
        return self.file.robot1, self.file.robot2

    @property
    def cad(self) -> tuple[Path | None, Path | None]:
        """Drawings of the two mock-ups, where the cell names any."""
        first, second = (cad_path(self.source, robot.payload) for robot in self.robots)
        return first, second


def builtin(folder: str, name: str) -> Path:
    """Path of a file shipped with the package (models, cells, tools)."""
    return Path(str(files("proxops.lab").joinpath(folder, name)))


def model_path(cell_path: Path, name: str) -> Path:
    """A robot model beside the cell file, or else one that is shipped."""
    beside = cell_path.parent / name
    try:
        return beside if beside.exists() else builtin("models", name)
    except OSError as error:
        raise BadInput(
            f"cannot look for the model: {error.strerror}", where=str(cell_path), value=f"{name[:60]} …"
        ) from None


def cad_path(cell_path: Path, payload: Payload) -> Path | None:
    """The drawing of a mock-up: beside the cell file, nowhere else."""
    return None if payload.cad is None else cell_path.parent / payload.cad


def shipped_tool() -> UserTool:
    """The paper's Figure 24."""
    return UserTool.parse(builtin("tools", "user_tool.val").read_text(), "Figure 24 (shipped)")


def load_cell(path: Path | None = None, tool: UserTool | None = None) -> Cell:
    """Read a cell (the EPOS hall by default) with the user tools (Figure 24's by default)."""
    source = path or builtin("cells", "epos.toml")
    table = load_toml(source, "the cell")
    try:
        file = CellFile.model_validate(table)
    except ValidationError as error:
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")  # a typo also misses its key
        key = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{key}: {first['msg']}", where=str(source), value=first["input"]) from None
    return build_cell(file, source, tool or shipped_tool())


def build_cell(file: CellFile, source: Path, tool: UserTool) -> Cell:
    """Join the file, the robot models and the tools; pack them for the kernels."""
    _check_drawings(file, source)
    arm1, arm2 = (read_arm(model_path(source, robot.model)) for robot in (file.robot1, file.robot2))
    rail = read_limits(model_path(source, file.rail.model), "e1")
    axes = _axis_table((rail, *arm1.axes, *arm2.axes), file)
    home = np.array([file.rail.home_m, *np.radians(file.robot1.home_deg), *np.radians(file.robot2.home_deg)])
    outside = (home < axes.lower) | (home > axes.upper)
    if outside.any():
        i = int(outside.argmax())
        unit, scale = ("m", 1.0) if i == 0 else ("deg", 180 / np.pi)
        raise BadInput(
            f"home of {AXES[i]} lies outside its range", where=str(source), value=f"{home[i] * scale:g} {unit}",
            bound=f"{axes.lower[i] * scale:g} … {axes.upper[i] * scale:g} {unit}",
        )  # fmt: skip
    hall = np.zeros(1, HALL_DTYPE)
    h = hall[0]
    h["lengths1"], h["lengths2"] = arm1.lengths, arm2.lengths
    h["base1"] = pose_from_abc(*file.rail.origin_lab_m, np.radians(file.robot1.mount.yaw_deg), 0.0, 0.0)
    h["base2"] = pose_from_abc(*file.robot2.mount.xyz_lab_m, np.radians(file.robot2.mount.yaw_deg), 0.0, 0.0)
    h["port1"], h["port2"] = tool.T_flange_port1, tool.T_flange_port2
    h["port1_inv"], h["port2_inv"] = np.linalg.inv(tool.T_flange_port1), np.linalg.inv(tool.T_flange_port2)
    for name, abc in (("plate1", file.plate_axes_deg.robot1), ("plate2", file.plate_axes_deg.robot2)):
        h[name] = pose_from_abc(0.0, 0.0, 0.0, *np.radians(abc))[:3, :3]
    _pack_limits(h, axes, file)
    return Cell(file, source, axes, tool, home, hall)


def _check_drawings(file: CellFile, source: Path) -> None:
    """A drawing that is not there would be missed only when somebody looks."""
    for robot, payload in (("robot1", file.robot1.payload), ("robot2", file.robot2.payload)):
        path = cad_path(source, payload)
        if path is not None and not path.is_file():
            raise BadInput(
                f"{robot}.payload.cad: there is no such file", where=str(source), value=str(path),
                way_out="put it beside the cell file",
            )  # fmt: skip


def _axis_table(limits: tuple[AxisLimits, ...], file: CellFile) -> AxisTable:
    rows = np.array([(a.lower, a.upper, a.speed, a.acceleration) for a in limits])
    for offset, robot in ((1, file.robot1), (7, file.robot2)):
        for name in robot.endless:
            rows[offset + int(name[1]) - 1, :2] = -np.inf, np.inf
    return AxisTable(*(rows[:, i].copy() for i in range(4)))


def _pack_limits(h: np.void, axes: AxisTable, file: CellFile) -> None:
    limits = file.limits
    h["lower"], h["upper"] = axes.lower, axes.upper
    h["speed"], h["acceleration"] = (
        axes.speed * limits.speed_share,
        axes.acceleration * limits.acceleration_share,
    )
    h["jump"] = [limits.jump_rail_mm * 1e-3, *[np.radians(limits.jump_axis_deg)] * 12]
    for row, robot in enumerate((file.robot1, file.robot2)):
        span = robot.range
        roll = (-np.inf, np.inf) if span.roll_deg == "endless" else np.radians(span.roll_deg)
        spans = (span.x_m, span.y_m, span.z_m, roll, np.radians(span.pitch_deg), np.radians(span.yaw_deg))
        h["range_lower"][row], h["range_upper"][row] = zip(*spans, strict=True)
    h["port_speed"], h["port_rate"] = limits.port_speed_m_s, np.radians(limits.port_rate_deg_s)
    h["wrist_margin"] = np.radians(limits.wrist_margin_deg)
