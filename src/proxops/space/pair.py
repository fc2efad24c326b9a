"""The pair of spacecraft of a mission as it truly is: made from the scenario and a seed, advanced cycle by cycle."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.core.mission import MissionFile
from proxops.maths.quaternion import quat_inverse, quat_product, turned
from proxops.maths.rotation import Array, quat_from_matrix
from proxops.space.atmosphere import KINDS
from proxops.space.audit import BOOK, FIGURES, examine, open_book
from proxops.space.coasting import Given, coast, fly
from proxops.space.coasting import Kept as Kept
from proxops.space.coasting import Looks as Looks
from proxops.space.dispersed import TrueState, fill_craft, true_state
from proxops.space.ephemeris import COLUMNS, ephemeris_at
from proxops.space.lvlh import lvlh_frame, pull, relative_in_eci
from proxops.space.reference_orbit import Ephemeris, reference_orbit
from proxops.space.surroundings import look
from proxops.space.thrusters import ThrusterBank, obey
from proxops.space.two_craft import (
    DV,
    MASS,
    Q_C,
    Q_T,
    SIZE,
    W_C,
    W_T,
    WORLD_DTYPE,
    D,
    P,
    V,
    exhaust_speed,
    wheel_rates,
)

PUSH_S: Final = 1.0
NONE_ISOLATED: Final[NDArray[np.bool_]] = np.zeros(0, np.bool_)


class SpacecraftPair:
    """``advance`` moves both by one cycle; ``y`` is the state (``two_craft``), ``t`` its time since the mission began."""

    def __init__(self, file: MissionFile, rng: np.random.Generator) -> None:
        deviations, misalignments = rng.spawn(2)
        self.true: TrueState = true_state(file, deviations)
        self._file, self.t, self.cycle = file, 0.0, 0
        self.world = np.zeros(1, WORLD_DTYPE)
        self._sunlight, self._density = self.world["sunlight"][0], self.world["density"]
        self._motor, self._wheels = self.world["motor"][0], len(file.chaser.wheels.axes)
        self._pushes = tuple(fault for fault in file.fault if fault.kind == "push")
        self._dry_mass = self.true.chaser.mass_kg - file.chaser.propellant_kg
        self.y = np.zeros(SIZE)
        self.bank = ThrusterBank(file.chaser.thrusters, self.true.chaser.mass_centre, self.true.thrust, misalignments)
        self._orbit = reference_orbit(file.orbit, file.duration_s)
        self._fill(file)
        self._begin(file)
        self._held = file.target.control != "none"
        path = self._orbit.table if isinstance(self._orbit, Ephemeris) else np.zeros((0, COLUMNS))
        held = self.true.target.q_lvlh_body if self._held else np.zeros(0)
        air, epoch_tt = KINDS[file.environment.atmosphere], self._orbit.epoch_tt
        self.given = Given(self._dry_mass, path, held, self.degree, np.zeros(BOOK), air, epoch_tt)
        look(self.y, self.world, air, epoch_tt, True)
        self.audit = np.zeros(FIGURES)
        open_book(self.y, self.world, self.given.book)

    @property
    def pushed(self) -> bool:
        """A fault pushes the chaser now: anew in each cycle."""
        return bool(self._pushes) and any(fault.at_s <= self.t < fault.at_s + PUSH_S for fault in self._pushes)

    def advance(self) -> None:
        """By one cycle of 4 ms, with what the actuators do now."""
        self.push()
        fly(self.y, self.world, self.bank.row, self.given, self.cycle, 1)
        self.flown(1)

    def coast(self, cycles: int, looks: Looks, gap: float) -> tuple[float, bool]:
        """By so many cycles, one at most while it is ``pushed``, with the same result, but for no longer than until contact may
        be near; the gap of the interfaces at the last look before that, ``gap`` if there was none, and whether it is near."""
        self.push()
        flown, gap, near = coast(self.y, self.world, self.bank.row, self.given, self.cycle, cycles, looks, gap)
        self.flown(flown)
        return gap, near

    def flown(self, cycles: int) -> None:
        """A kernel has moved ``y`` by so many."""
        self.cycle += cycles
        self.t = self.cycle * PERIOD_S

    def restore(self, kept: Kept, cycle: int) -> None:
        """Be where it was before ``cycle``, when that was kept."""
        for part, was in zip((self.y, self.world, self.bank.row), kept, strict=True):
            part.view(np.uint8)[:] = was.view(np.uint8)
        self.cycle, self.t = cycle, cycle * PERIOD_S

    def push(self) -> None:
        """As faults do now, before the craft move on."""
        if self._pushes:
            self._push()

    def command(self, on_time_s: Array, torque_on_craft: Array, isolated: NDArray[np.bool_] | None) -> None:
        """From now on: thrusters as ``ThrusterBank.command``, wheels as ``set_wheels``."""
        bank = self.bank
        closed = NONE_ISOLATED if isolated is None else isolated
        bank.closed_valves = obey(self.world, bank.row, on_time_s, bank.least, torque_on_craft, closed)

    def set_wheels(self, torque_on_craft: Array) -> None:
        """From now on: torques on the craft about the wheels' axes; the rotors feel the opposite."""
        np.negative(torque_on_craft, self._motor[: torque_on_craft.size])

    def examine(self) -> Array:
        """The conservation audit of now."""
        examine(self.y, self.world, self.given.book, self._held, self.audit)
        return self.audit

    @property
    def propellant_kg(self) -> float:
        """What is left in the chaser's tank, kg."""
        return float(self.y[MASS]) - self._dry_mass

    @property
    def distance_m(self) -> float:
        """Between the centres of mass, m."""
        x, y, z = self.y[D].tolist()
        return math.sqrt(x * x + y * y + z * z)

    @property
    def chaser_state(self) -> tuple[Array, Array, Array, Array]:
        """q_eci_body, its rate in body axes, position and velocity in eci."""
        y = self.y
        return y[Q_C], y[W_C], y[P] + y[D], y[V] + y[DV]

    @property
    def sun_direction(self) -> Array:
        """Unit vector from the Earth to the sun, in eci: seen from any orbit the same to 0.003 degrees."""
        sun: Array = self.world["sun"][0]
        return sun / math.sqrt(float(sun @ sun))

    @property
    def surroundings(self) -> tuple[float, float]:
        """Share of the sun's disc that the target sees, and the density of the air."""
        return float(self._sunlight[0]), float(self._density[0])

    @property
    def wheel_rates(self) -> Array:
        """Of the rotors against the craft, rad/s."""
        rates = np.empty(self._wheels)
        wheel_rates(self.y, self.world, rates)
        return rates

    # ------------------------------------------------------------------ making it
    def _fill(self, file: MissionFile) -> None:
        w, env, wheels = self.world[0], file.environment, file.chaser.wheels
        for name, body, true in (("target", file.target, self.true.target), ("chaser", file.chaser, self.true.chaser)):
            fill_craft(w[name], body, true)
        w["target_mass"], w["first_mass"] = self.true.target.mass_kg, self.true.chaser.mass_kg
        w["exhaust"] = exhaust_speed(file.chaser.thrusters.specific_impulse_s)
        w["wheels"], w["rotor"] = len(wheels.axes), wheels.rotor_kg_m2
        w["axes"][: len(wheels.axes)] = wheels.axes
        w["wheel_torque"], w["wheel_momentum"] = wheels.torque_n_m, wheels.momentum_n_m_s
        w["degree"], w["gradient"], w["pressure"] = env.gravity_degree, env.gravity_gradient, env.radiation_pressure
        w["third"] = (env.sun, env.moon)
        w["prescribed"] = isinstance(self._orbit, Ephemeris)

    def _begin(self, file: MissionFile) -> None:
        y, true = self.y, self.true
        if isinstance(self._orbit, Ephemeris):
            ephemeris_at(self._orbit.table, 0.0, y[P], y[V])
        else:
            y[P], y[V] = self._orbit.p, self._orbit.v
        R, w_lvlh = self.lvlh()
        relative_in_eci(y[P], y[V], self._acceleration(), true.position, true.velocity, y[D], y[DV])
        q_eci_lvlh = quat_from_matrix(R)
        y[Q_T] = quat_product(q_eci_lvlh, true.target.q_lvlh_body)
        y[Q_C] = quat_product(q_eci_lvlh, true.chaser.q_lvlh_body)
        y[W_T] = true.target.rate
        y[W_C] = true.chaser.rate + turned(quat_inverse(true.chaser.q_lvlh_body), w_lvlh)  # turns with LVLH
        y[MASS] = true.chaser.mass_kg
        if file.target.control == "lvlh":
            y[W_T] = turned(quat_inverse(true.target.q_lvlh_body), w_lvlh)

    @property
    def degree(self) -> int:
        """Of gravity's zonal terms."""
        return self._file.environment.gravity_degree

    def lvlh(self) -> tuple[Array, Array]:
        """R_eci_lvlh and its inertial rate, in lvlh components."""
        return lvlh_frame(self.y, self.degree)

    def _acceleration(self) -> Array:
        """Of the target by gravity: the rest is too little to turn the frame."""
        return pull(self.y[P], self.degree)

    def _push(self) -> None:
        push = self.world[0]["push"]
        push[:] = 0.0
        for fault in self._pushes:
            if fault.at_s <= self.t < fault.at_s + PUSH_S:
                push += self.lvlh()[0] @ np.array(fault.dv_m_s) / PUSH_S
