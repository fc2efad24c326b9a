"""Payload check: what is mounted on an adapter plate against the plate's limits (Table 5), before drives go on.

The mass is compared with the plate's maximum payload, the principal moments about the payload's own centre of mass
with the plate's figures; the triangle inequality and the centre's place must be physical. The plate and the heaviest
payload together weigh more than the robots' rated load (107 of 100 kg, 254 of 240 kg): Table 5 is followed as it
stands and the sum is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxops.lab.any_cell import AnyCell
from proxops.lab.cell import Cell
from proxops.lab.hall_file import Robot

COM_LIMIT_M = 2.0  # further from the flange than any mock-up: a slip of units


@dataclass(frozen=True)
class PayloadFinding:
    """One thing wrong with a payload."""

    robot: int
    what: str
    value: float
    bound: float
    unit: str

    def __str__(self) -> str:
        return f"robot {self.robot} payload: {self.what} is {self.value:g} {self.unit}, Table 5 allows {self.bound:g} {self.unit}"


def check_payload(cell: AnyCell) -> list[PayloadFinding]:
    """All findings of both robots of a hall; an empty list lets the drives go on."""
    robots = cell.robots if isinstance(cell, Cell) else ()
    return [finding for number, robot in enumerate(robots, 1) for finding in _check(number, robot)]


def _check(number: int, robot: Robot) -> list[PayloadFinding]:
    payload, plate = robot.payload, robot.plate
    rows = [("mass", payload.mass_kg, plate.max_payload_kg, "kg")]
    rows += [
        (f"moment of inertia {axis}", value, bound, "kg m²")
        for axis, value, bound in zip(("Ixx", "Iyy", "Izz"), payload.inertia_kgm2, plate.max_inertia_kgm2, strict=True)
    ]
    rows += [
        (f"centre of mass |{axis}|", abs(v), COM_LIMIT_M, "m") for axis, v in zip("xyz", payload.com_m, strict=True)
    ]
    smallest, middle, largest = sorted(payload.inertia_kgm2)
    rows.append(("largest moment of inertia (others' sum is the physical limit)", largest, smallest + middle, "kg m²"))
    return [PayloadFinding(number, what, value, bound, unit) for what, value, bound, unit in rows if value > bound]


def plate_loads(cell: Cell) -> list[dict[str, float | str]]:
    """What hangs on each flange, for the summary: plate and payload."""
    return [
        {
            "what": r.payload.what,
            "payload_kg": r.payload.mass_kg,
            "plate_kg": r.plate.mass_kg,
            "total_kg": r.payload.mass_kg + r.plate.mass_kg,
        }
        for r in cell.robots
    ]
