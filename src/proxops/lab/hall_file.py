"""The TOML file of a hall: two six-axis robots, one of them on a rail, the spacecraft that they carry and the room round them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from proxops.core.strict_table import Finite, Strict, Triple
from proxops.lab.cell_file import CellFile, Interval, NotNegative, Positive, Rail, Servo, Share, ordered_intervals

CAD_NAME = r"^[^/\\]+\.(?i:stl|obj|glb|gltf)$"  # a file's name, without folders


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
    """Adapter plate of Table 5: the most that may be mounted on it, and its own mass, centre in the flange frame and moments of
    inertia about the flange's centre, along the flange's axes."""

    max_payload_kg: Positive
    mass_kg: Positive
    com_m: Triple
    inertia_kgm2: tuple[Positive, Positive, Positive]


class Rating(Strict):
    """What a robot may carry, as its maker's load diagram says at its design point: a load whose centre of mass is so far across
    and ahead of the flange's centre, and its own moment of inertia about that centre."""

    load_kg: Positive
    across_m: NotNegative
    ahead_m: NotNegative
    inertia_kgm2: NotNegative


class Payload(Strict):
    """What is mounted: ``model`` names the mock-up's URDF, beside the cell file or shipped: looks, solids, mass. ``cad`` names a
    drawing of it beside the cell file, for displays and imaging sensors: times ``cad_scale`` in metres, turned and moved into
    the port frame. Nothing that moves is computed from it."""

    what: str
    model: str
    cad: Annotated[str, Field(pattern=CAD_NAME)] | None = None
    cad_scale: Positive = 1.0
    cad_abc_deg: Triple = (0.0, 0.0, 0.0)
    cad_xyz_m: Triple = (0.0, 0.0, 0.0)

    @model_validator(mode="before")
    @classmethod
    def _weighed_in_its_model(cls, table: object) -> object:
        moved = sorted({"mass_kg", "com_m", "inertia_kgm2"} & set(table)) if isinstance(table, dict) else []
        if moved:
            raise ValueError(
                f"{', '.join(moved)}: a mock-up is weighed in one place, <inertial> of the URDF that model names"
            )
        return table

    @model_validator(mode="after")
    def _placed_only_with_a_file(self) -> Payload:
        placed = sorted(key for key in self.model_fields_set if key.startswith("cad_"))
        if placed and self.cad is None:
            raise ValueError(f"{', '.join(placed)}: place a drawing, but cad names none")
        return self


class WorkingRange(Strict):
    """A robot's rows of Table 3."""

    x_m: Interval
    y_m: Interval
    z_m: Interval
    roll_deg: Interval | Literal["endless"]
    pitch_deg: Interval
    yaw_deg: Interval

    @model_validator(mode="after")
    def _ordered(self) -> WorkingRange:
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
    rating: Rating
    payload: Payload
    range: WorkingRange


class RobotOnRail(Robot):
    """Robot 1."""

    mount: RailMount


class RobotOnFloor(Robot):
    """Robot 2."""

    mount: FloorMount


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


class Room(Strict):
    """Inner walls of the hall: a box in the lab that both spacecraft stay in."""

    x_m: Interval
    y_m: Interval
    z_m: Interval

    @model_validator(mode="after")
    def _ordered(self) -> Room:
        ordered_intervals(self, "x_m", "y_m", "z_m")
        return self


class Fence(Strict):
    """The protective fence, and walls where there is none: seen from above, a rectangle in the lab that nothing leaves."""

    x_m: Interval
    y_m: Interval

    @model_validator(mode="after")
    def _ordered(self) -> Fence:
        ordered_intervals(self, "x_m", "y_m")
        return self


class ZoneTable(Strict):
    """Where red begins round spacecraft, arms, walls and fence, and how thick yellow is at least."""

    box_margin_mm: NotNegative
    body_margin_mm: NotNegative
    yellow_layer_mm: Positive
    fence: Fence
    room: Room

    @model_validator(mode="after")
    def _room_within_the_fence(self) -> ZoneTable:
        for name in ("x_m", "y_m"):
            room, fence = getattr(self.room, name), getattr(self.fence, name)
            if not fence[0] <= room[0] < room[1] <= fence[1]:
                raise ValueError(f"room.{name} = {list(room)} reaches beyond the fence, fence.{name} = {list(fence)}")
        return self


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
    """What calibration has left, as a laser tracker finds it: the adapter plates truly stand elsewhere than the axes report.
    Position and attitude of a plate are 3 sigma, the rail's own share is one (``positioning``). A virtual hall draws its errors
    once; a real one has them."""

    position_mm: NotNegative = 0.0
    attitude_deg: NotNegative = 0.0
    rail_mm: NotNegative = 0.0


class Clients(Strict):
    """What becomes of a client of the bridge that is not the one that had the hall: the operator is asked, or it is taken."""

    new: Literal["ask", "take"] = "ask"


class HallFile(CellFile):
    """The whole TOML file."""

    rail: Rail
    robot1: RobotOnRail
    robot2: RobotOnFloor
    plate_axes_deg: PlateAxes
    limits: Limits
    zones: ZoneTable
    lamp: Lamp
    positioning: Positioning = Positioning()
    clients: Clients = Clients()
