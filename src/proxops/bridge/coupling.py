"""The clutch and the mapping at work: from the estimated command to thirteen axes, and back from axes at rest.

Two sets of the mapping's free parameters live side by side: those that the robots ride on, and those of the commanded pose,
which settle for it while the robots are still on their way.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.clutch import CLUTCH_DTYPE, Clutch, seat
from proxops.bridge.cost import Cost, cost_of
from proxops.bridge.descent import FIRST_STEP, Free, begin, relax
from proxops.bridge.hall_state import Axes, SetPoint
from proxops.bridge.mapping import OK, PHI, PLACE_DTYPE, Place, Rig, rig_of
from proxops.bridge.posture import Posture
from proxops.bridge.reach import smallest_room
from proxops.bridge.ride import RIDE_DTYPE, Ride, command_place, new_free, ride_tick, seat_ride
from proxops.bridge.settings import BridgeSettings
from proxops.lab.cell import Cell
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import way_between
from proxops.maths.record import doubles_of
from proxops.maths.rotation import Array, copy_to, put_quat

PHI_TOLERANCE: Final = math.radians(2.0)


@kernel
def put_poses(
    est: NDArray[np.void], ride: NDArray[np.void], place: NDArray[np.void], shown: bool, asked: bool, out: Array
) -> None:
    """Relative poses commanded and shown, and T_lab_port1 that is asked for, packed (21); NaN where there is none."""
    e, o = est[0], place[0]
    for i in range(21):
        out[i] = np.nan
    if e.seated:
        copy_to(e.p, out)
        copy_to(e.q, out[3:])
    if shown:
        copy_to(ride[0].pose, out[7:])
    if asked:
        copy_to(o.P1, out[14:])
        put_quat(o.R1, out[17:21])


class CouplingParts(NamedTuple):
    """What the robots ride on, for kernels: settings and records that change in place."""

    rig: Rig
    cost: Cost
    clutch: Clutch
    limits: Array
    free: Free
    ride: Ride
    place: Place


class Coupling:
    """``ridden`` and ``rate`` are the axes that the last ``ride`` gave, ``command_axes`` those of the command's own posture."""

    def __init__(self, cell: Cell, settings: BridgeSettings) -> None:
        self._hall, self._settings = cell.hall, settings
        self._clutch = np.zeros(1, CLUTCH_DTYPE)
        self._cost, self.command_cost = cost_of(cell), cost_of(cell)
        for cost in (self._cost, self.command_cost):
            cost[0]["phi_fixed"] = settings.phi_rad is not None
        self._rig = rig_of(cell)
        self._free, self._command_free = new_free(), new_free()
        self._ride = np.zeros(1, RIDE_DTYPE)
        self._place, self._command_place = np.zeros(1, PLACE_DTYPE), np.zeros(1, PLACE_DTYPE)
        self._step = FIRST_STEP  # of the command's descent
        self.ridden: Axes = self._place[0]["q"]  # views of what the ride gives
        self.rate: Axes = self._ride[0]["rate"]
        self.command_axes: Axes = self._command_place[0]["q"]
        self._converged = self._clutch["converged"]
        self.left = doubles_of(self._clutch, "left_m", 3)  # m, rad and s to convergence
        self.cost_and_pace = doubles_of(self._ride, "cost", 2)
        self._phi = self._free[0]["x"][PHI:]

    @property
    def parts(self) -> CouplingParts:
        """As ``ride`` hands them to its kernel."""
        return CouplingParts(
            self._rig, self._cost, self._clutch, self._settings.limits, self._free, self._ride, self._place
        )

    @property
    def phi(self) -> float:
        return float(self._phi.item(0))

    @property
    def converged(self) -> bool:
        return bool(self._converged[0])

    def see_sun(self, direction: Array | None) -> None:
        """To the sun, in the chaser's frame; None: the client knows of none, and nothing pulls to the lamp."""
        weight = 0.0 if direction is None else self._settings.sun_weight
        for cost in (self._cost, self.command_cost):
            cost[0]["sun_weight"] = weight
            if direction is not None:
                cost[0]["sun"] = direction

    # ------------------------------------------------------------------ in motion
    def ride(self, estimate: NDArray[np.void], at: SetPoint) -> int:
        """One cycle towards the estimated command; OK, or why not."""
        return ride_tick(
            self._hall, self._rig, self._cost, estimate, self._clutch, self._settings.limits, self._free, self._ride,
            at.setpoint, at.rate, self._place,
        )  # fmt: skip

    def place_command(self, pose: Array, near: Axes) -> bool:
        """Where the commanded pose is, with its own parameters, of the roots the one next to ``near``; False: it has no place."""
        return command_place(self._hall, self._rig, pose, self._command_free, near, self._command_place) == OK

    def relax_command(self, pose: Array, portions: int) -> None:
        """Let the command's parameters settle for it by some steps of the descent."""
        _, self._step = relax(
            self._hall, self._rig, self.command_cost, pose, self._command_free, self.command_axes, portions, self._step,
            self._command_place,
        )  # fmt: skip

    def share_parameters(self) -> None:
        """The command has those that the robots ride on."""
        self._command_free[0] = self._free[0]

    def share_posture(self) -> None:
        """Command and robots have the same parameters and place; the command's descent begins anew from there."""
        self._command_free[0], self._command_place[0] = self._free[0], self._place[0]
        self._step = FIRST_STEP

    # ------------------------------------------------------------------ at rest
    def seat(self, at: SetPoint) -> int:
        """Read pose and parameters back from where the robots stand; the plates' rolls are counted as the guard does. OK, or why
        no ride can begin there."""
        self._cost[0]["roll"] = self.command_cost[0]["roll"] = at.roll
        return int(seat_ride(self._hall, self._rig, at.setpoint, self._free, self._ride, self._place))

    @property
    def off_phi(self) -> bool:
        """The operator has given phi, and the robots stand at another."""
        wanted = self._settings.phi_rad
        return wanted is not None and abs(math.remainder(self.phi - wanted, 2.0 * math.pi)) > PHI_TOLERANCE

    def room(self, roll: Axes) -> float:
        """Least share of any range that the command's posture leaves."""
        return float(smallest_room(self._hall, self._command_place, roll)[0])

    def take_posture(self, posture: Posture, pose: Array) -> None:
        """The command's parameters are those of a posture that was found for it."""
        self._rig[0]["sign1"], self._rig[0]["sign2"] = posture.signs
        begin(self._rig, pose, posture.free, self._command_free)

    def engage(self, pose: Array) -> None:
        """Close the clutch at what the robots show; ``pose`` is commanded."""
        shown, free = self._ride[0]["pose"], self._free[0]
        seat(self._rig, self._clutch, shown, free["line"], free["reference"])
        angle_rad = way_between(shown[3:], pose[3:], np.empty(3))
        self.left[:] = math.dist(shown[:3], pose[:3]), angle_rad, math.nan

    # ------------------------------------------------------------------ what is told
    def tell_poses(self, estimate: NDArray[np.void], following: bool, shown: bool, asked: bool, out: Axes) -> None:
        """Relative poses commanded and shown, and T_lab_port1 that the command asks for, packed (21); NaN where there is none."""
        place = self._place if following else self._command_place
        put_poses(estimate, self._ride, place, shown, asked, out)
