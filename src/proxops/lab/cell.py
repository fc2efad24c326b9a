"""A loaded hall: its file, the robot models and the tools, joined and packed once for the kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import AXES, N_AXES, PERIOD_NS, UNITS
from proxops.lab.cell_axes import (
    AxisTable,
    Controller,
    GuardedAxes,
    demand_home_in_range,
    guarded_axes,
    rail_controller,
)
from proxops.lab.hall_file import HallFile, Payload, Robot
from proxops.lab.mockup import Mockup, read_mockup
from proxops.lab.positioning import positioning_sigma
from proxops.lab.urdf import AxisLimits, read_arm, read_limits
from proxops.lab.user_tool import UserTool
from proxops.maths.pose import pose_from_abc

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


@dataclass(frozen=True, eq=False)  # each is its own, so that what follows from one can be kept
class Cell:
    """A loaded hall: the file's tables, the axis limits of its robot models, the tools, and the packed record."""

    file: HallFile
    source: Path  # where the file was; robot models lie beside it or are shipped
    axes: AxisTable
    guarded: GuardedAxes
    tool: UserTool
    home: NDArray[np.float64]
    hall: NDArray[np.void] = field(repr=False)
    positioning_sigma: NDArray[np.float64]
    """By how much each axis truly stands elsewhere than it reports (m, rad), one standard deviation."""
    mockups: tuple[Mockup, Mockup]

    @property
    def n_axes(self) -> int:
        return len(self.home)

    @property
    def coast_s(self) -> float:
        """Robots that are commanded by positions do not go on by themselves."""
        return 0.0

    @property
    def period_ns(self) -> int:
        """Of the facility's cycle: the interfaces of a hall are made for this one."""
        return PERIOD_NS

    @property
    def axis_names(self) -> tuple[str, ...]:
        return AXES

    @property
    def slides(self) -> NDArray[np.bool_]:
        """Which axes are metres, not angles."""
        slides: NDArray[np.bool_] = np.arange(self.n_axes) == 0
        return slides

    @property
    def robots(self) -> tuple[Robot, Robot]:
        return self.file.robot1, self.file.robot2

    @property
    def controllers(self) -> tuple[Controller, ...]:
        """Rail, robot 1, robot 2."""
        lengths = self.hall["lengths1"][0], self.hall["lengths2"][0]
        arms = [
            Controller(f"robot {k}", UNITS[f"robot{k}"], robot.servo, axis_sigma(robot.repeatability_mm, reach))
            for k, (robot, reach) in enumerate(zip(self.robots, lengths, strict=True), 1)
        ]
        return rail_controller(self.file.rail), *arms

    @property
    def arm_of_axis(self) -> NDArray[np.int64]:
        """Which arm each axis moves, counted from 0; a rail moves the first."""
        return np.array([0] * UNITS["robot1"].stop + [1] * 6)

    @property
    def cad(self) -> tuple[Path | None, Path | None]:
        """Drawings of the two mock-ups, where the cell names any."""
        first, second = (cad_path(self.source, robot.payload) for robot in self.robots)
        return first, second


def axis_sigma(repeatability_mm: float, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Axis noise (1 sigma, rad) so that the flange scatters by the catalogue's repeatability (3 sigma, ISO 9283) in
    the stretched arm: axes 1 to 3 carry equal shares, the wrist's axes turn as little as axis 3."""
    a1, _, a2, _, d4, d6 = lengths.tolist()
    share = repeatability_mm * 1e-3 / 3.0 / math.sqrt(3.0)
    reach, forearm = a1 + a2 + d4 + d6, d4 + d6
    return np.array([share / reach, share / (reach - a1), *[share / forearm] * 4])


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


def build_cell(file: HallFile, source: Path, tool: UserTool) -> Cell:
    """Join the file, the robot models and the tools; pack them for the kernels."""
    _check_drawings(file, source)
    arm1, arm2 = (read_arm(model_path(source, robot.model)) for robot in (file.robot1, file.robot2))
    rail = read_limits(model_path(source, file.rail.model), "e1")
    axes = _axis_table((rail, *arm1.axes, *arm2.axes), file)
    home = np.array([file.rail.home_m, *np.radians(file.robot1.home_deg), *np.radians(file.robot2.home_deg)])
    slides = np.arange(N_AXES) == 0
    demand_home_in_range(home, axes, AXES, slides, source)
    guarded = guarded_axes(axes, file.limits, slides)
    hall = np.zeros(1, HALL_DTYPE)
    h = hall[0]
    h["lengths1"], h["lengths2"] = arm1.lengths, arm2.lengths
    h["base1"] = pose_from_abc(*file.rail.origin_lab_m, np.radians(file.robot1.mount.yaw_deg), 0.0, 0.0)
    h["base2"] = pose_from_abc(*file.robot2.mount.xyz_lab_m, np.radians(file.robot2.mount.yaw_deg), 0.0, 0.0)
    h["port1"], h["port2"] = tool.T_flange_port1, tool.T_flange_port2
    h["port1_inv"], h["port2_inv"] = np.linalg.inv(tool.T_flange_port1), np.linalg.inv(tool.T_flange_port2)
    for name, abc in (("plate1", file.plate_axes_deg.robot1), ("plate2", file.plate_axes_deg.robot2)):
        h[name] = pose_from_abc(0.0, 0.0, 0.0, *np.radians(abc))[:3, :3]
    _pack_limits(h, guarded, file)
    sigma = positioning_sigma(hall, axes, file.positioning, source)
    mockups = _mockup("robot1", file.robot1, source), _mockup("robot2", file.robot2, source)
    return Cell(file, source, axes, guarded, tool, home, hall, sigma, mockups)


def _mockup(name: str, robot: Robot, source: Path) -> Mockup:
    return read_mockup(model_path(source, robot.payload.model), f"{name}.payload.model")


def _check_drawings(file: HallFile, source: Path) -> None:
    """A drawing that is not there would be missed only when somebody looks."""
    for robot, payload in (("robot1", file.robot1.payload), ("robot2", file.robot2.payload)):
        path = cad_path(source, payload)
        if path is not None and not path.is_file():
            raise BadInput(
                f"{robot}.payload.cad: there is no such file", where=str(source), value=str(path),
                way_out="put it beside the cell file",
            )  # fmt: skip


def _axis_table(limits: tuple[AxisLimits, ...], file: HallFile) -> AxisTable:
    rows = np.array([(a.lower, a.upper, a.speed, a.acceleration) for a in limits])
    for offset, robot in ((1, file.robot1), (7, file.robot2)):
        for name in robot.endless:
            rows[offset + int(name[1]) - 1, :2] = -np.inf, np.inf
    return AxisTable(*(rows[:, i].copy() for i in range(4)))


def _pack_limits(h: np.void, guarded: GuardedAxes, file: HallFile) -> None:
    limits = file.limits
    for name, values in guarded._asdict().items():
        h[name] = values
    for row, robot in enumerate((file.robot1, file.robot2)):
        span = robot.range
        roll = (-np.inf, np.inf) if span.roll_deg == "endless" else np.radians(span.roll_deg)
        spans = (span.x_m, span.y_m, span.z_m, roll, np.radians(span.pitch_deg), np.radians(span.yaw_deg))
        h["range_lower"][row], h["range_upper"][row] = zip(*spans, strict=True)
    h["port_speed"], h["port_rate"] = limits.port_speed_m_s, np.radians(limits.port_rate_deg_s)
    h["wrist_margin"] = np.radians(limits.wrist_margin_deg)
