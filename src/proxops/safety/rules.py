"""Every reason for which the hall stops, once. A stop names its rule, value and bound; the table is in docs/safety.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Rule(IntEnum):
    """Numbers of the rules, as they stand in the log and in answers. Numbers are never used again for something else."""

    NONE = 0
    OPERATOR = 1
    ESTOP = 2
    DOOR = 3
    GATE = 4
    FENCE = 5
    LASER = 6
    DRIVE_POWER = 7
    CONTROLLER_FAULT = 8
    NOT_FINITE = 9
    BAD_COMMAND = 10
    UNREACHABLE = 11
    JUMP = 12
    AXIS_RANGE = 13
    AXIS_SPEED = 14
    AXIS_ACCELERATION = 15
    POSITION_RANGE = 16
    ATTITUDE_RANGE = 17
    PORT_SPEED = 18
    PORT_RATE = 19
    WRIST_SINGULARITY = 20
    SILENCE = 21
    COLLISION_ZONE = 22
    FORCE_LIMIT = 23
    FORCE_SENSOR = 24
    INTERNAL_ERROR = 25
    STALL = 26
    WATCHDOG = 27
    LINK_LOST = 28
    REDUCED_SPEED = 29
    FOLLOWING = 30


class Category(IntEnum):
    """What happens to the drives once the robots stand (after IEC 60204-1)."""

    HOLD = 2  # controlled stop, drives stay on
    DRIVES_OFF = 1  # controlled stop, then drives off and brakes closed


@dataclass(frozen=True)
class RuleEntry:
    """How a rule is told: what it watches, the unit and scale of value and bound, what happens to the drives."""

    text: str
    unit: str = ""
    rail_unit: str = ""  # where the rule can name the rail
    scale: float = 1.0  # from SI to ``unit``
    category: Category = Category.HOLD


DEG_PER_RAD: Final = 57.29577951308232

RULES: Final[dict[Rule, RuleEntry]] = {
    Rule.OPERATOR: RuleEntry("safe stop asked for by the operator"),
    Rule.ESTOP: RuleEntry("emergency stop pressed", category=Category.DRIVES_OFF),
    Rule.DOOR: RuleEntry("door open"),
    Rule.GATE: RuleEntry("rolling gate open"),
    Rule.FENCE: RuleEntry("fence open: only manual jog at reduced speed is allowed"),
    Rule.LASER: RuleEntry("laser safety circuit open"),
    Rule.DRIVE_POWER: RuleEntry("drive power lost", category=Category.DRIVES_OFF),
    Rule.CONTROLLER_FAULT: RuleEntry("robot controller fault", category=Category.DRIVES_OFF),
    Rule.NOT_FINITE: RuleEntry("command is not a finite number"),
    Rule.BAD_COMMAND: RuleEntry("command cannot be understood"),
    Rule.UNREACHABLE: RuleEntry("pose beyond the robot's reach", "mm", scale=1e3),
    Rule.JUMP: RuleEntry("command jumps between two cycles", "deg", "mm", DEG_PER_RAD),
    Rule.AXIS_RANGE: RuleEntry("axis would leave its range before it can stand", "deg", "mm", DEG_PER_RAD),
    Rule.AXIS_SPEED: RuleEntry("axis commanded faster than its limit", "deg/s", "mm/s", DEG_PER_RAD),
    Rule.AXIS_ACCELERATION: RuleEntry("command runs away from what the axis may accelerate", "deg", "mm", DEG_PER_RAD),
    Rule.POSITION_RANGE: RuleEntry("port would leave Table 3's position range before it can stand", "m"),
    Rule.ATTITUDE_RANGE: RuleEntry(
        "plate would leave Table 3's attitude range before it can stand", "deg", scale=DEG_PER_RAD
    ),
    Rule.PORT_SPEED: RuleEntry("port faster than Table 3 allows", "m/s"),
    Rule.PORT_RATE: RuleEntry("port turns faster than Table 3 allows", "deg/s", scale=DEG_PER_RAD),
    Rule.WRIST_SINGULARITY: RuleEntry("wrist too near its singularity (A5 = 0)", "deg", scale=DEG_PER_RAD),
    Rule.SILENCE: RuleEntry("no command from the master", "ms", scale=1e3),
    Rule.FORCE_LIMIT: RuleEntry("contact force or torque over its limit"),
    Rule.FORCE_SENSOR: RuleEntry("force sensor cannot be believed"),
    Rule.INTERNAL_ERROR: RuleEntry(
        "error inside the facility: the part that failed is let go of", category=Category.DRIVES_OFF
    ),
    Rule.STALL: RuleEntry("the facility stood still for longer than motion may go unwatched", "ms", scale=1e3),
    Rule.WATCHDOG: RuleEntry(
        "the watchdog has braked the robots: no fresh set-point in time", "ms", scale=1e3, category=Category.DRIVES_OFF
    ),
    Rule.LINK_LOST: RuleEntry("no word from the robots' controllers", "ms", scale=1e3, category=Category.DRIVES_OFF),
    Rule.REDUCED_SPEED: RuleEntry("a point of the robots faster than an open fence allows", "mm/s", scale=1e3),
    Rule.FOLLOWING: RuleEntry(
        "axis is not where its set-points have led", "deg", "mm", DEG_PER_RAD, category=Category.DRIVES_OFF
    ),
    Rule.COLLISION_ZONE: RuleEntry(
        "robots in a red zone or on their way into it: manual control leads out, slowly and only away", "mm", scale=1e3
    ),
}

LIMITS: Final = frozenset(
    {
        Rule.JUMP, Rule.AXIS_RANGE, Rule.AXIS_SPEED, Rule.AXIS_ACCELERATION, Rule.POSITION_RANGE, Rule.ATTITUDE_RANGE,
        Rule.PORT_SPEED, Rule.PORT_RATE, Rule.WRIST_SINGULARITY,
    }
)  # fmt: skip
"""Rules about where and how fast the hall may go: the bridge halts at them and waits, every other source is stopped."""

AXIS_TEXT: Final = (
    "", "rail", *(f"robot 1 A{i}" for i in range(1, 7)), *(f"robot 2 A{i}" for i in range(1, 7)),
    *(f"robot 1 {c}" for c in ("x", "y", "z", "roll", "pitch", "yaw")),
    *(f"robot 2 {c}" for c in ("x", "y", "z", "roll", "pitch", "yaw")),
)  # fmt: skip
"""What the number in ``state.axis`` names: 1-13 axes, 14-25 components of the ports."""


@dataclass(frozen=True)
class Stop:
    """One stop: rule, what it concerns, value, bound (SI), and words of its own (an input's name, a line number)."""

    rule: Rule
    axis: int = 0
    value: float = 0.0
    bound: float = 0.0
    detail: str = ""

    def __str__(self) -> str:
        entry = RULES[self.rule]
        text = f"{self.rule.name}: {entry.text}"
        where = ", ".join(part for part in (AXIS_TEXT[self.axis], self.detail) if part)
        if where:
            text += f" ({where})"
        if entry.unit and not self.value == self.bound == 0.0:  # no numbers: the words say it all
            unit, scale = (entry.rail_unit, 1e3) if self.axis == 1 and entry.rail_unit else (entry.unit, entry.scale)
            value, bound = self.value * scale, self.bound * scale
            text += f"; got {value:.6g} {unit}, bound {bound:.6g} {unit}, over by {abs(value - bound):.4g} {unit}"
        return text
