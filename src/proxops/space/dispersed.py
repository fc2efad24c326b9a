"""What is really the case: the scenario's nominal values with this run's deviations, drawn from its seed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from proxops.core.craft import Body
from proxops.core.mission import MissionFile
from proxops.maths.quaternion import quat_product, quat_to_direction
from proxops.maths.rotation import Array, quat_from_rotation_vector

CENT = 0.01
X = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class TrueCraft:
    """One body as it is."""

    mass_kg: float
    inertia: Array
    mass_centre: Array  # in the body frame
    q_lvlh_body: Array
    rate: Array  # rad/s in the body, beyond what the scenario's rate refers to


@dataclass(frozen=True)
class TrueState:
    """Everything that differs from run to run, but the instruments' and thrusters' own draws."""

    target: TrueCraft
    chaser: TrueCraft
    position: Array  # chaser's centre of mass from the target's, LVLH
    velocity: Array  # as seen in LVLH
    thrust: Array  # factor of each thruster
    noise: float  # factor of the sensor's noise


def true_state(file: MissionFile, rng: np.random.Generator) -> TrueState:
    """Draws in a fixed order: a deviation that is zero leaves the others as they are."""
    d = file.dispersion
    position = np.array(file.start.position_m)
    away = d.position_share * CENT * float(np.linalg.norm(position))
    position = position + rng.normal(0.0, 1.0, 3) * away
    velocity = np.array(file.start.velocity_m_s) + rng.normal(0.0, 1.0, 3) * d.velocity_m_s
    target = _craft(file.target, file, rng, d.target_attitude_deg, d.target_rate_deg_s)
    chaser = _craft(file.chaser, file, rng, d.chaser_attitude_deg, 0.0)
    thrust = 1.0 + rng.normal(0.0, 1.0, len(file.chaser.thrusters.places)) * d.thrust * CENT
    noise = 1.0 + float(rng.normal()) * d.sensor_noise * CENT
    return TrueState(target, chaser, position, velocity, np.maximum(thrust, 0.1), max(noise, 0.1))


def _craft(
    body: Body, file: MissionFile, rng: np.random.Generator, attitude_deg: float, rate_deg_s: float
) -> TrueCraft:
    d = file.dispersion
    mass = body.mass_kg * max(0.5, 1.0 + float(rng.normal()) * d.mass * CENT)
    factors = 1.0 + rng.normal(0.0, 1.0, 3) * d.inertia * CENT
    centre = np.array(body.mass_centre_m) + rng.normal(0.0, 1.0, 3) * d.mass_centre_m
    turn = quat_from_rotation_vector(rng.normal(0.0, 1.0, 3) * math.radians(attitude_deg))
    rate = np.radians(body.attitude.rate_deg_s) + rng.normal(0.0, 1.0, 3) * math.radians(rate_deg_s)
    roll = quat_from_rotation_vector(math.radians(body.attitude.roll_deg) * X)
    nominal = quat_product(quat_to_direction(np.array(body.attitude.axis)), roll)
    return TrueCraft(mass, _scaled(body.inertia, factors), centre, quat_product(nominal, turn), rate)


def _scaled(inertia: Array, factors: Array) -> Array:
    """Principal moments scaled one by one, as far as a body can have them."""
    moments, axes = np.linalg.eigh(inertia)
    moments = moments * np.maximum(factors, 0.5)
    a, b, c = (int(i) for i in np.argsort(moments))
    moments[c] = min(moments[c], 0.999 * (moments[a] + moments[b]))
    scaled: Array = axes @ np.diag(moments) @ axes.T
    return 0.5 * (scaled + scaled.T)


def fill_craft(row: np.void, body: Body, true: TrueCraft) -> None:
    """Into ``row`` of two craft's world: what the equations of motion need to know of one of them."""
    row["inertia"], row["inverse"] = true.inertia, np.linalg.inv(true.inertia)
    row["drag"], row["sunlit"] = body.drag_area_m2 * body.drag_coefficient, body.sunlit_area_m2 * body.reflectivity
    if body.pressure_centre_m is not None:
        row["lever"] = np.array(body.pressure_centre_m) - true.mass_centre
