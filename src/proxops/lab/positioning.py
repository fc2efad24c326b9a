"""How far the axes of a hall stand elsewhere than they report, from what a laser tracker has found at its plates.

A cell states the accuracy of the calibrated hall as EPOS does: position and attitude of an adapter plate in the lab, 3 sigma.
Sigma is the root mean square of the length of the error vector, sqrt(E |e|^2), over the postures in which Table 3 has the ports
and over the halls that might have been built. Three times that is no quantile of 99.73 %: the length of a vector is not
distributed normally. It is one where all errors have one direction; where three directions are alike 99.999 % lie within.

Independent errors s_i of the axes move a plate by e = sum J_i s_i, so E |e|^2 = sum E|J_i|^2 s_i^2: linear in the squares. With
one sigma for axes 1 to 3 and one for the wrist of each robot (the rail's is given) that makes two equations in two unknowns:

    arm^2 a + wrist^2 b = position^2 - rail^2    a, b: means of the squared levers of axes 1 to 3, and 4 to 6, on the flange
    arm^2 3 + wrist^2 3 = attitude^2             each axis turns the flange by its own error, in any posture
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.cell_axes import AxisTable
from proxops.lab.coordinates import HallRecord
from proxops.lab.hall_file import Positioning
from proxops.lab.port_components import port_components
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

SIGMAS: Final = 3.0  # as accuracies are stated
POSTURES, POSTURE_SEED = 4096, 31  # looked at; about 30 % have their ports in Table 3's ranges
FEWEST: Final = 20  # postures for a mean: the squared levers scatter by half of it, so a sigma is right to 6 %


@kernel
def flange_levers(lengths: Array, q: Array) -> tuple[float, float]:
    """Squared distances of the flange from the axes that turn it, m^2: sums over axes 1 to 3 and over axes 4 to 6."""
    a1, a2, a3, d4, d6 = lengths[0], lengths[2], lengths[3], lengths[4], lengths[5]
    c3, s3 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    along, across = d6 * math.cos(q[4]), d6 * math.sin(q[4])  # of the hand: along the forearm, and across it
    side, up = -across * math.sin(q[3]), -across * math.cos(q[3])  # out of the arm's plane, and in it
    # From axis 3 to the flange, in the arm's plane: ahead and up; then from axes 2 and 1.
    ahead3, up3 = c3 * (d4 + along) + s3 * (a3 + up), c3 * (a3 + up) - s3 * (d4 + along)
    ahead2, up2 = ahead3 + a2 * math.cos(q[1]), up3 - a2 * math.sin(q[1])
    arm = (a1 + ahead2) ** 2 + side**2 + ahead2**2 + up2**2 + ahead3**2 + up3**2
    return arm, across**2 + d6**2


@kernel
def _mean_levers(hall: HallRecord, postures: Array, sums: Array, counts: Array) -> None:
    """Add up ``flange_levers`` of both robots, (2, 2), over the postures in which Table 3 has each of them."""
    h = hall[0]
    values, ports, roll = np.empty((2, 6)), np.empty((2, 4, 4)), np.zeros(2)
    for k in range(postures.shape[0]):
        q = postures[k]
        roll[:] = 0.0
        port_components(hall, q, roll, values, ports)
        for robot in range(2):
            inside = True
            for i in range(6):
                inside = inside and h.range_lower[robot, i] <= values[robot, i] <= h.range_upper[robot, i]
            if inside:
                arm, wrist = flange_levers(h.lengths1 if robot == 0 else h.lengths2, q[1 + 6 * robot : 7 + 6 * robot])
                sums[robot, 0] += arm
                sums[robot, 1] += wrist
                counts[robot] += 1


def table3_postures(axes: AxisTable, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Axes (``number``, 13) anywhere in their ranges, endless ones within a turn: Table 3 chooses among them."""
    ends = (
        np.where(np.isfinite(axes.lower), axes.lower, -math.pi),
        np.where(np.isfinite(axes.upper), axes.upper, math.pi),
    )
    return rng.uniform(*ends, (number, len(axes.lower)))


def positioning_sigma(hall: HallRecord, axes: AxisTable, stated: Positioning, source: Path) -> NDArray[np.float64]:
    """One standard deviation of every axis (m, rad) that together give what the cell states of its plates."""
    sigma = np.zeros(len(axes.lower))
    sigma[0] = stated.rail_mm * 1e-3
    if not any((stated.rail_mm, stated.position_mm, stated.attitude_deg)):
        return sigma
    sums, counts = np.zeros((2, 2)), np.zeros(2)
    _mean_levers(hall, table3_postures(axes, POSTURES, np.random.default_rng(POSTURE_SEED)), sums, counts)
    for robot in range(2):
        if counts[robot] < FEWEST:
            raise BadInput(
                f"positioning: robot {robot + 1} has its port in the ranges of robot{robot + 1}.range too seldom",
                where=str(source), value=f"{counts[robot] / POSTURES:.1%} of its postures", bound=f"{FEWEST / POSTURES:.1%}",
                way_out="correct the ranges, or leave [positioning] out",
            )  # fmt: skip
        arm, wrist = (sums[robot] / counts[robot]).tolist()
        shares = _shares(robot + 1, arm, wrist, stated, source)
        sigma[1 + 6 * robot : 7 + 6 * robot] = np.repeat(shares, 3)
    return sigma


def _shares(robot: int, arm: float, wrist: float, stated: Positioning, source: Path) -> tuple[float, float]:
    """Sigmas of axes 1 to 3 and 4 to 6 (rad); ``arm``, ``wrist``: mean squared levers of these on the flange, m^2."""
    turned = (math.radians(stated.attitude_deg) / SIGMAS) ** 2 / 3.0
    rail = (stated.rail_mm * 1e-3) ** 2 if robot == 1 else 0.0
    left = (stated.position_mm * 1e-3 / SIGMAS) ** 2 - rail
    if not wrist * turned <= left <= arm * turned:
        least, most = (SIGMAS * 1e3 * math.sqrt(rail + lever * turned) for lever in (wrist, arm))
        raise BadInput(
            f"positioning.position_mm does not go with attitude_deg and rail_mm: errors of robot {robot}'s axes make both",
            where=str(source), value=f"{stated.position_mm:g} mm", bound=f"{least:.3g} to {most:.3g} mm",
            way_out="state what was measured at the plates: 3 sigma of position and attitude, 1 sigma of the rail",
        )  # fmt: skip
    share = (left - wrist * turned) / (arm - wrist)
    return math.sqrt(share), math.sqrt(turned - share)
