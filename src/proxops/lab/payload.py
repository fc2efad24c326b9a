"""Payload check: what hangs on a flange, plate and mock-up together, before drives go on.

The plate has a limit of its own (Table 5: 60 and 200 kg). A robot is judged as its controller judges it: by mass, centre of mass
and inertia at the flange, the plate's included. Its rating is a load at one design point; a load diagram tells what may be
carried elsewhere. We have no diagram of these robots. The estimate in its place: no axis, with the arm in its worst posture, may
have more weight or more inertia to bear than the rated load gives it at the design point.

- Axis 6 feels what lies across its own line, axes 4 and 5 the distance from the wrist centre, axes 3 and 2 that of the arm
  stretched out; axis 1 is upright and feels inertia only.
- Mass by itself is not judged: Table 5 allows 107 kg on a robot for 100 kg and 254 kg on one for 240 kg, plate included, which
  only shorter levers can make good.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import Refused
from proxops.lab.any_cell import AnyCell
from proxops.lab.cell import Cell
from proxops.lab.hall_file import Plate, Rating
from proxops.lab.mass_properties import MassProperties, joined, steiner

COM_LIMIT_M: Final = 2.0  # further from the flange than any mock-up: a slip of units
GRAVITY_M_S2: Final = 9.81
WAY_OUT: Final = "mount less, or nearer to the flange (payload, plate and rating of the cell file)"
PLATE_WORD, RATED_WORD, PLAIN_WORD = "Table 5 allows", "the robot is rated for", "allowed is"


class Effect(NamedTuple):
    """What a load does to one axis in the worst posture: the moment of its weight, and the inertia to be accelerated."""

    axis: str
    weight_Nm: float
    inertia_kgm2: float


@dataclass(frozen=True)
class PayloadFinding:
    """One thing wrong with a payload."""

    robot: int
    what: str
    value: float
    bound: float
    unit: str
    word: str

    def __str__(self) -> str:
        found, bound = f"{self.value:.4g} {self.unit}", f"{self.bound:.4g} {self.unit}"
        return f"robot {self.robot} payload: {self.what} is {found}, {self.word} {bound}"


def flange_load(cell: Cell, robot: int) -> MassProperties:
    """Plate and mock-up of robot 1 or 2, in the flange frame."""
    mounted = cell.mockups[robot - 1].load.seen_from(cell.hall[f"port{robot}"][0])
    return joined((plate_load(cell.robots[robot - 1].plate), mounted))


def plate_load(plate: Plate) -> MassProperties:
    """An adapter plate in the flange frame; its moments are stated about the flange."""
    com_m = np.array(plate.com_m)
    return MassProperties(plate.mass_kg, com_m, np.diag(plate.inertia_kgm2) - steiner(plate.mass_kg, com_m))


def effects(load: MassProperties, lengths: NDArray[np.float64]) -> tuple[Effect, ...]:
    """What a load in the flange frame does to the axes of an arm."""
    across = math.hypot(load.com_m[0], load.com_m[1])
    about_axis6 = float(load.inertia_about(np.zeros(3))[2, 2])
    return _effects(
        load.mass_kg,
        across,
        float(load.com_m[2]),
        about_axis6,
        float(np.linalg.eigvalsh(load.inertia_kgm2)[-1]),
        lengths,
    )


def rated_effects(rating: Rating, lengths: NDArray[np.float64]) -> tuple[Effect, ...]:
    """What the rated load at its design point does."""
    about_axis6 = rating.inertia_kgm2 + rating.load_kg * rating.across_m**2
    return _effects(rating.load_kg, rating.across_m, rating.ahead_m, about_axis6, rating.inertia_kgm2, lengths)


def _effects(
    mass_kg: float, across_m: float, ahead_m: float, about_axis6: float, largest: float, lengths: NDArray[np.float64]
) -> tuple[Effect, ...]:
    """``largest``: principal moment about the load's own centre, which a wrist can turn towards any axis."""
    a1, _, a2, a3, d4, d6 = lengths.tolist()
    wrist = math.hypot(across_m, ahead_m + d6)
    elbow = wrist + math.hypot(d4, a3)
    levers = (
        ("axis 6", across_m),
        ("axes 4 and 5", wrist),
        ("axis 3", elbow),
        ("axis 2", elbow + a2),
        ("axis 1", elbow + a2 + a1),
    )
    return tuple(
        Effect(
            axis,
            0.0 if axis == "axis 1" else mass_kg * GRAVITY_M_S2 * lever,
            about_axis6 if axis == "axis 6" else largest + mass_kg * lever**2,
        )
        for axis, lever in levers
    )  # fmt: skip


def check_payload(cell: AnyCell) -> list[PayloadFinding]:
    """All findings of both robots of a hall; an empty list lets the drives go on."""
    robots = (1, 2) if isinstance(cell, Cell) else ()
    return [
        finding
        for robot in robots
        if isinstance(cell, Cell)
        for finding in _check(cell, robot)
        if finding.value > finding.bound
    ]


def demand_carried(cell: AnyCell) -> None:
    """Refused unless the robots may carry what is mounted."""
    if findings := check_payload(cell):
        raise Refused(f"drives stay off: {'; '.join(map(str, findings))}; {WAY_OUT}")


def _check(cell: Cell, robot: int) -> Iterator[PayloadFinding]:
    mounted, plate = cell.mockups[robot - 1].load, cell.robots[robot - 1].plate
    load = flange_load(cell, robot)
    yield PayloadFinding(robot, "mass", mounted.mass_kg, plate.max_payload_kg, "kg", PLATE_WORD)
    apart = float(np.linalg.norm(load.com_m))
    yield PayloadFinding(robot, "centre of mass from the flange, plate included,", apart, COM_LIMIT_M, "m", PLAIN_WORD)
    for here, rated in _compared(cell, robot):
        what = f"its weight on {here.axis}, plate included,"
        yield PayloadFinding(robot, what, here.weight_Nm, rated.weight_Nm, "N m", RATED_WORD)
        what = f"its inertia about {here.axis}, plate included,"
        yield PayloadFinding(robot, what, here.inertia_kgm2, rated.inertia_kgm2, "kg m²", RATED_WORD)


def _compared(cell: Cell, robot: int) -> list[tuple[Effect, Effect]]:
    lengths, rating = cell.hall[f"lengths{robot}"][0], cell.robots[robot - 1].rating
    return list(zip(effects(flange_load(cell, robot), lengths), rated_effects(rating, lengths), strict=True))


def plate_loads(cell: Cell) -> list[dict[str, float | str]]:
    """What hangs on each flange, for the status: plate, payload, and the share of the rating used where it is largest."""
    found: list[dict[str, float | str]] = []
    for robot, arm in enumerate(cell.robots, 1):
        used = {f"weight on {a.axis}": a.weight_Nm / b.weight_Nm for a, b in _compared(cell, robot) if b.weight_Nm}
        used |= {f"inertia about {a.axis}": a.inertia_kgm2 / b.inertia_kgm2 for a, b in _compared(cell, robot)}
        most = max(used, key=lambda what: used[what])
        payload_kg = cell.mockups[robot - 1].load.mass_kg
        found.append(
            {
                "what": arm.payload.what,
                "payload_kg": payload_kg,
                "plate_kg": arm.plate.mass_kg,
                "total_kg": payload_kg + arm.plate.mass_kg,
                "rating_used": used[most],
                "rating_used_by": most,
            }
        )
    return found
