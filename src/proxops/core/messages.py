"""The data pool: every variable of the facility, once. Ring, log, CSV, console and telemetry follow from this table.

A variable is a number with a name, a type, a unit and a meaning. Variables come in groups (one nested message each in
the log); a group's ``kind`` says how its components are named. SI units and radians; quaternions scalar first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import (
    AbortCause,
    Doubt,
    Hardware,
    InputState,
    MissionEnd,
    MissionPhase,
    Mode,
    Phase,
    SensorSource,
    Source,
    Standstill,
    System,
    VisionState,
    Zone,
)

AXES: Final = (
    "rail",
    *(f"robot1_a{i}" for i in range(1, 7)),
    *(f"robot2_a{i}" for i in range(1, 7)),
)
N_AXES: Final = len(AXES)
UNITS: Final = {"rail": slice(0, 1), "robot1": slice(1, 7), "robot2": slice(7, 13)}  # what has a controller of its own
N_VALUES: Final = 22  # doubles of a command, after the mode word
# In cycles: a mission's truth at 50 Hz is plenty for an orbit and keeps logs small; thrusters are recorded every cycle.
TRUTH_EVERY: Final = 5
MAX_THRUSTERS: Final = 24
MAX_WHEELS: Final = 4
PERIOD_NS: Final = 4_000_000
PERIOD_S: Final = PERIOD_NS * 1e-9

POSE: Final = ("x", "y", "z", "qw", "qx", "qy", "qz")
POSE_UNITS: Final = ("m", "m", "m", "1", "1", "1", "1")
AXIS_UNITS: Final = ("m", *("rad",) * 12)
XYZ: Final = ("x", "y", "z")
QUATERNION: Final = ("qw", "qx", "qy", "qz")
RATE_UNITS: Final = ("m/s", *("rad/s",) * 12)


Names = type[IntEnum]


TYPES: Final = frozenset({"f8", "i8", "u4", "u1"})
"""Of variables. A pool from shared memory is read as they say: never an object or a text of any length."""


@dataclass(frozen=True)
class Variable:
    """One number of the pool. ``type`` is a numpy type string: f8, i8 (64 bit), u4 (bit mask), u1 (enumeration, flag)."""

    name: str
    type: str
    unit: str
    meaning: str
    names: Names | None = None  # spelling of an enumeration's values


@dataclass(frozen=True)
class Group:
    """Variables that belong together: a nested message in the log, a heading in displays."""

    name: str
    meaning: str
    variables: tuple[Variable, ...]

    def plain(self) -> list[Any]:
        """As JSON has it, but for the spelling of enumerations."""
        return [self.name, self.meaning, [[v.name, v.type, v.unit, v.meaning] for v in self.variables]]

    @classmethod
    def of(cls, plain: list[Any]) -> Group:
        """From ``plain``; ValueError or TypeError for what is none."""
        name, meaning, variables = plain
        words = [name, meaning, *(word for each in variables for word in each)]
        if not isinstance(variables, list) or not all(isinstance(word, str) for word in words):
            raise TypeError(f"group {name!r}: texts and a list of lists of texts")
        made = cls(name, meaning, tuple(Variable(*each) for each in variables))
        types = {variable.type for variable in made.variables}
        if not types <= TYPES or len({variable.name for variable in made.variables}) < len(variables):
            raise ValueError(f"group {name!r}: variables of one name, or types {sorted(types - TYPES)}")
        return made


def _axes(name: str, meaning: str, units: tuple[str, ...], axes: tuple[str, ...] = AXES) -> Group:
    return Group(name, meaning, tuple(Variable(a, "f8", u, f"axis {a}") for a, u in zip(axes, units, strict=True)))


def _pose(name: str, meaning: str) -> Group:
    return Group(name, meaning, tuple(Variable(c, "f8", u, c) for c, u in zip(POSE, POSE_UNITS, strict=True)))


def _triple(name: str, unit: str, meaning: str) -> tuple[Variable, ...]:
    return tuple(Variable(f"{name}_{c}", "f8", unit, f"{meaning}, {c}") for c in XYZ)


def _twelve(name: str, meaning: str) -> Group:
    return Group(
        name,
        meaning,
        (
            *_triple("position", "m", "chaser from target, LVLH axes"),
            *_triple("velocity", "m/s", "inertial derivative, LVLH axes"),
            *_triple("attitude", "rad", "of the target, small rotation in its frame"),
            *_triple("rate", "rad/s", "of the target, its frame"),
        ),
    )


POOL: Final[tuple[Group, ...]] = (
    Group(
        "clock",
        "when this cycle was",
        (
            Variable("tick", "i8", "1", "cycle number since the start"),
            Variable("t_sim", "f8", "s", "time since the start: tick times the period"),
            Variable("utc_ns", "i8", "ns", "UTC as Unix time"),
            Variable("gps_ns", "i8", "ns", "GPS time since 1980-01-06"),
        ),
    ),
    Group(
        "state",
        "what the facility is doing and why it stands still",
        (
            Variable("mode", "u1", "", "facility mode", Mode),
            Variable("source", "u1", "", "who commands", Source),
            Variable("hardware", "u1", "", "virtual hall or real robots", Hardware),
            Variable("drives", "u1", "", "1 when all drives are on and brakes released"),
            Variable("rule", "u1", "", "number of the rule that stopped the hall, 0 for none (docs/safety.md)"),
            Variable("axis", "u1", "", "axis (1 = rail ... 13) that the rule names, 0 for none"),
            Variable("rule_value", "f8", "", "value that broke the rule, in the rule's unit"),
            Variable("rule_bound", "f8", "", "bound of the rule"),
            Variable("open_interlocks", "u4", "", "bit mask of interlocks that are not healthy"),
            Variable("alarms", "u4", "", "bit mask of alarms that do not stop motion"),
        ),
    ),
    Group(
        "command",
        "the command as it came, in its own coordinate system and units",
        (
            Variable("system", "u1", "", "coordinate system", System),
            Variable("fresh", "u1", "", "1 when a new command came this cycle"),
            Variable("sequence", "i8", "1", "line or datagram number, -1 for none"),
            *(Variable(f"c{i}", "f8", "wire", f"double {i} of 22") for i in range(1, N_VALUES + 1)),
        ),
    ),
    Group(
        "answer",
        "actual values in the command's coordinate system and units",
        tuple(Variable(f"c{i}", "f8", "wire", f"double {i} of 22") for i in range(1, N_VALUES + 1)),
    ),
    _axes("wish", "axes that the command asks for", AXIS_UNITS),
    _axes("setpoint", "axes sent to the robots after the guard", AXIS_UNITS),
    _axes("setpoint_rate", "rate of the set-point", RATE_UNITS),
    _axes("actual", "axes reported by the robots", AXIS_UNITS),
    _axes("actual_rate", "rate of the actual axes", RATE_UNITS),
    _pose("commanded_port1", "T_lab_port1 of the set-point"),
    _pose("commanded_port2", "T_lab_port2 of the set-point"),
    _pose("actual_port1", "T_lab_port1 of the actual axes"),
    _pose("actual_port2", "T_lab_port2 of the actual axes"),
    Group(
        "margin",
        "distance to what would stop the hall, smallest over both robots",
        (
            Variable("axis_range", "f8", "1", "to the nearest axis limit, as a share of its range"),
            Variable("table3", "f8", "m", "to the nearest face of Table 3's position ranges"),
            Variable("wrist", "f8", "rad", "to the wrist singularity: |A5|"),
            Variable("elbow", "f8", "rad", "to the stretched or folded elbow"),
            Variable("shoulder", "f8", "m", "of the wrist centre from axis 1"),
            Variable("speed", "f8", "1", "share of the axis speed limits left"),
        ),
    ),
    Group(
        "bridge",
        "what the bridge makes of its client's packets",
        (
            Variable("phase", "u1", "", "what the bridge is doing", Phase),
            Variable("cause", "u1", "", "why it stands still", Standstill),
            Variable("input", "u1", "", "state of the input filter", InputState),
            Variable("commanded_zone", "u1", "", "collision state of the commanded pose", Zone),
            Variable("actual_zone", "u1", "", "collision state of the actual pose", Zone),
            Variable("converged", "u1", "", "1 when the hall shows what is commanded"),
            Variable("rule", "u1", "", "number of the guard's rule that halted it, 0 for none"),
            Variable("placed", "u1", "", "1 when the commanded pose has a place in the hall"),
            Variable("sequence", "i8", "1", "number of the newest packet taken, -1 for none"),
            Variable("taken", "u4", "1", "packets taken"),
            Variable("lost", "u4", "1", "packets that never came"),
            Variable("extrapolated", "u4", "1", "cycles filled by extrapolation"),
            Variable("stale", "u4", "1", "packets that came too late or twice"),
            Variable("refused", "u4", "1", "datagrams not taken"),
            Variable("doubled", "u4", "1", "cycles with two packets or more"),
            Variable("left_m", "f8", "m", "position still to converge"),
            Variable("left_rad", "f8", "rad", "attitude still to converge"),
            Variable("left_s", "f8", "s", "time until convergence, foretold"),
            Variable("commanded_clearance", "f8", "m", "from the commanded pose to red"),
            Variable("actual_clearance", "f8", "m", "from the actual pose to red, at least"),
            Variable("yellow", "f8", "m", "thickness of the yellow layer: at least the way to standstill"),
            Variable("phi", "f8", "rad", "roll of the rig about the line of the wrist centres"),
            Variable("cost", "f8", "1", "of the posture"),
            Variable("pace", "f8", "1", "share of the clutch's speeds that is left for closing in"),
        ),
    ),
    _pose("commanded_relative", "T_port2_port1 that the client commands, estimated"),
    _pose("shown_relative", "T_port2_port1 of the clutch: what the set-point shows"),
    _pose("asked_port1", "T_lab_port1 that the commanded pose asks for"),
    _pose("hall_truth", "T_port2_port1 as it truly stands: actual axes with the virtual robots' positioning errors"),
    Group(
        "mission",
        "the spacecraft's mission, all zero without one; truth unless it says otherwise",
        (
            Variable("phase", "u1", "", "what the flight software says it is doing", MissionPhase),
            Variable("abort", "u1", "", "why it has given up the approach", AbortCause),
            Variable("end", "u1", "", "how the mission has ended", MissionEnd),
            Variable("sensor", "u1", "", "what the last relative measurement looked at", SensorSource),
            Variable("measured", "u1", "", "relative measurements exposed in this cycle"),
            Variable("rejected", "u1", "", "measurements that the filter has refused in its last step"),
            Variable("step", "u1", "", "step of the plan, from 1"),
            Variable("isolated", "u1", "", "thrusters whose latch valve is closed"),
            Variable("t", "f8", "s", "time since the mission began; negative before"),
            Variable("propellant", "f8", "kg", "left"),
            Variable(
                "corridor",
                "f8",
                "1",
                "share in use of the corridor, or of the tube about the reference, as the software sees it",
            ),
            Variable("nees", "f8", "1", "squared error of the estimate over its covariance (12 degrees of freedom)"),
            Variable("gap", "f8", "m", "of the docking interfaces along the docking axis"),
            Variable("lateral", "f8", "m", "of the docking interfaces across the docking axis"),
            Variable("tilt", "f8", "rad", "between the docking axes"),
            Variable("roll", "f8", "rad", "about the docking axis"),
            Variable("closing_rate", "f8", "m/s", "of the interfaces along the docking axis, positive when they close"),
            Variable("lateral_rate", "f8", "m/s", "of the interfaces across the docking axis"),
            Variable("angular_rate", "f8", "rad/s", "between the craft"),
        ),
    ),
    Group(
        "orbit",
        "the target's centre of mass in ECI",
        (
            *_triple("p", "m", "position"),
            *_triple("v", "m/s", "velocity"),
            Variable("sunlight", "f8", "1", "share of the sun's disc in view"),
            Variable("density", "f8", "kg/m^3", "of the air"),
        ),
    ),
    Group(
        "relative",
        "the chaser's centre of mass from the target's, in LVLH and as seen in it (rotating)",
        (*_triple("p", "m", "position"), *_triple("v", "m/s", "velocity")),
    ),
    Group(
        "target_attitude",
        "R_eci_target and inertial rate in the target's frame",
        (*(Variable(c, "f8", "1", c) for c in QUATERNION), *_triple("w", "rad/s", "rate")),
    ),
    Group(
        "chaser_attitude",
        "R_eci_chaser and inertial rate in the chaser's frame",
        (*(Variable(c, "f8", "1", c) for c in QUATERNION), *_triple("w", "rad/s", "rate")),
    ),
    _twelve("estimate_error", "estimate of the flight software minus truth"),
    _twelve("estimate_sigma", "one standard deviation that the flight software claims"),
    Group(
        "goal", "where the flight software wants to be: chaser from target, LVLH axes", _triple("p", "m", "position")
    ),
    _pose("measurement", "T_sensor_target as the relative sensor told it last"),
    Group(
        "wheels",
        "angular momentum of the reaction wheels",
        tuple(Variable(f"h{i}", "f8", "N m s", f"wheel {i}") for i in range(1, MAX_WHEELS + 1)),
    ),
    Group(
        "thrusters",
        "which fired in this cycle",
        tuple(Variable(f"on{i}", "u1", "", f"thruster {i}") for i in range(1, MAX_THRUSTERS + 1)),
    ),
    Group(
        "flight_line",
        "answers of an on-board computer that is not waited for; all zero where it is, or there is none",
        (
            Variable("sent", "u4", "1", "measurements sent"),
            Variable("taken", "u4", "1", "answers carried out"),
            Variable("missed", "u4", "1", "measurements whose answer was never carried out"),
            Variable("out_of_order", "u4", "1", "answers that came after a newer one"),
            Variable("doubled", "u4", "1", "answers that had come before"),
            Variable("ignored", "u4", "1", "datagrams of strangers, damaged ones, answers to nothing that was sent"),
            Variable(
                "lateness", "f8", "s", "wall time from sending measurements to taking their answer, of the last one"
            ),
            Variable("lateness_max", "f8", "s", "the greatest so far"),
        ),
    ),
    Group(
        "vision",
        "what image processing said last, of whichever sensor; all zero without it",
        (
            Variable("sensor", "u1", "", "which of the mission's imaging sensors, from 1"),
            Variable("state", "u1", "", "of that sensor's image processing, after it", VisionState),
            Variable("doubt", "u1", "", "why the pose is not trusted", Doubt),
            Variable("searched", "u1", "", "1 when the whole image was searched"),
            Variable("accepted", "u4", "1", "images of all sensors whose pose was trusted"),
            Variable("refused", "u4", "1", "images of all sensors whose pose was not, or that had none"),
            Variable("number", "u4", "1", "of the image"),
            Variable("t", "f8", "s", "mission time of the image"),
            Variable("trust", "f8", "1", "how clearly it passed, 0 to 1"),
            Variable("distance", "f8", "m", "from the sensor to the target's frame, as found"),
            Variable("sigma_m", "f8", "m", "claimed standard deviation of the place, largest direction"),
            Variable("sigma_rad", "f8", "rad", "claimed standard deviation of the attitude, largest direction"),
        ),
    ),
    Group(
        "audit",
        "what is left when every change is accounted for; relative to the quantity itself",
        (
            Variable("orbit_energy_target", "f8", "1", "orbital energy less the work done"),
            Variable("orbit_energy_chaser", "f8", "1", "orbital energy less the work done"),
            Variable("spin_momentum_target", "f8", "1", "angular momentum less the torques' impulse"),
            Variable("spin_momentum_chaser", "f8", "1", "with wheels, less the torques' impulse"),
            Variable("spin_energy_target", "f8", "1", "energy of rotation less the torques' work"),
            Variable("spin_energy_chaser", "f8", "1", "with wheels, less the torques' work"),
        ),
    ),
    Group(
        "timing",
        "how the live loop kept its time (zero in lockstep)",
        (
            Variable("lateness", "f8", "s", "wake-up after the deadline"),
            Variable("work", "f8", "s", "time spent in the previous tick"),
            Variable("missed", "i8", "1", "cycles missed so far"),
        ),
    ),
)


def _group_dtype(group: Group) -> np.dtype[np.void]:
    """Packed little-endian layout of one group; a run of doubles keeps one field each, in table order."""
    return np.dtype([(v.name, "<" + v.type) for v in group.variables])


def pool_dtype(groups: tuple[Group, ...]) -> np.dtype[np.void]:
    """One record of a pool, as it lies in the ring: groups in table order, packed, little-endian."""
    return np.dtype([(g.name, _group_dtype(g)) for g in groups], align=False)


POOL_DTYPE: Final[np.dtype[np.void]] = pool_dtype(POOL)
"""One record of the hall's pool."""


def arm_pool(axes: tuple[str, ...], slides: tuple[bool, ...], arms: int) -> tuple[Group, ...]:
    """The pool of a cell of arms: the groups of the hall's that any cell has, for its own axes, and the poses of its flanges."""
    by_name = {group.name: group for group in POOL}
    units = tuple("m" if slide else "rad" for slide in slides)
    rates = tuple(f"{unit}/s" for unit in units)
    margin = by_name["margin"].variables
    return (
        by_name["clock"],
        by_name["state"],
        Group(
            "cell",
            "what the cell is made of",
            (Variable("arms", "u1", "1", "how many"), Variable("axes", "u1", "1", "of all arms, and the rail")),
        ),
        _axes("wish", "axes that the motion asks for", units, axes),
        _axes("setpoint", "axes sent to the robots after the guard", units, axes),
        _axes("setpoint_rate", "rate of the set-point", rates, axes),
        _axes("actual", "axes reported by the robots", units, axes),
        _axes("actual_rate", "rate of the actual axes", rates, axes),
        *(_pose(f"commanded_flange{k}", f"T_lab_flange{k} of the set-point") for k in range(1, arms + 1)),
        *(_pose(f"actual_flange{k}", f"T_lab_flange{k} of the actual axes") for k in range(1, arms + 1)),
        Group("margin", "distance to what would stop the robots", (margin[0], margin[-1])),
        by_name["timing"],
    )


MISSION_GROUPS: Final = tuple(g.name for g in POOL)[
    [g.name for g in POOL].index("mission") : [g.name for g in POOL].index("audit") + 1
]
MISSION_DTYPE: Final[np.dtype[np.void]] = np.dtype(
    [(g.name, _group_dtype(g)) for g in POOL if g.name in MISSION_GROUPS]
)
"""The part of a record that the application fills, one piece of the pool."""

EVENT_DTYPE: Final[np.dtype[np.void]] = np.dtype(
    [("utc_ns", "<i8"), ("tick", "<i8"), ("severity", "u1"), ("name", "S47"), ("text", "S400")]
)
"""One event: a stop, a refusal, a change of mode. ``name`` is the rule or topic, ``text`` the whole sentence (UTF-8)."""


def group_offset(group: str, dtype: np.dtype[np.void] = POOL_DTYPE) -> int:
    """Byte at which a group begins in a record."""
    fields = dtype.fields
    assert fields is not None
    return int(fields[group][1])


def mission_bytes() -> slice:
    """Where the application's part lies in a record."""
    start = group_offset(MISSION_GROUPS[0])
    return slice(start, start + MISSION_DTYPE.itemsize)


def doubles(
    pool: NDArray[np.void], group: str, first: str | None = None, count: int | None = None,
    groups: tuple[Group, ...] = POOL,
) -> NDArray[np.float64]:  # fmt: skip
    """View of a run of doubles in a one-record pool, for kernels: the group from ``first`` on, or ``count`` of them, on
    into the groups that follow."""
    return run_of(pool, "f8", group, first, count, groups)


def run_of(
    pool: NDArray[np.void], type_: str, group: str, first: str | None, count: int | None, groups: tuple[Group, ...]
) -> NDArray[Any]:
    """View of a run of variables of one type, as ``doubles``."""
    flat = [(g.name, v) for g in groups for v in g.variables]
    table = next(g for g in groups if g.name == group)
    names = [v.name for v in table.variables]
    inside = names.index(first) if first else 0
    start = flat.index((group, table.variables[inside]))
    length = len(names) - inside if count is None else count
    if any(v.type != type_ for _, v in flat[start : start + length]):
        raise TypeError(f"{group}: not all {type_} from {names[inside]} on")
    dtype = pool_dtype(groups)
    fields = dtype[group].fields
    assert fields is not None
    offset = group_offset(group, dtype) + int(fields[names[inside]][1])
    if offset % np.dtype(type_).itemsize:
        raise TypeError(f"{group}.{names[inside]} lies at byte {offset}: kernels need it aligned, reorder the table")
    return np.ndarray(shape=(length,), dtype="<" + type_, buffer=pool.data, offset=offset)
