"""Two craft in flight with everything on, as ``two_craft`` has them and as ``plain_equations`` has them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from plain_equations import Craft, Surroundings

from proxops.core.earth import MU_M3_S2, MU_MOON_M3_S2, MU_SUN_M3_S2
from proxops.maths.kernel import kernel
from proxops.space.two_craft import DV, MASS, Q_C, Q_T, SIZE, W_C, W_T, WORLD_DTYPE, D, P, V, World, exhaust_speed, step

Array = NDArray[np.float64]
DT = 0.004
TARGET_KG, CHASER_KG = 800.0, 620.0
TARGET_INERTIA = np.array([[320.0, 4.0, -3.0], [4.0, 400.0, 2.0], [-3.0, 2.0, 380.0]])
CHASER_INERTIA = np.array([[160.0, -2.0, 1.5], [-2.0, 260.0, 1.0], [1.5, 1.0, 270.0]])
AXES = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]) / math.sqrt(3.0)
SUN, MOON = np.array([-0.6e11, -1.2e11, -0.5e11]), np.array([2.9e8, -2.4e8, -0.9e8])


@kernel
def fly(y: Array, world: World, dt: float, steps: int) -> None:
    """Many steps with the actuators as they are."""
    for _ in range(steps):
        step(y, world, dt)


def first_state() -> Array:
    """7,000 km from the Earth's centre, inclined; the chaser 25 m away; both turn."""
    y = np.zeros(SIZE)
    speed, tilt = 1.001 * math.sqrt(MU_M3_S2 / 7.0e6), math.radians(60.0)
    y[P] = 7.0e6 * np.array([math.cos(0.7), math.sin(0.7) * math.cos(tilt), math.sin(0.7) * math.sin(tilt)])
    y[V] = speed * np.array([-math.sin(0.7), math.cos(0.7) * math.cos(tilt), math.cos(0.7) * math.sin(tilt)])
    y[D], y[DV] = (-3.0, 3.3, -24.7), (0.027, 0.004, 0.01)
    y[Q_T], y[Q_C] = (0.8, 0.0, 0.6, 0.0), (0.5, 0.5, -0.5, 0.5)
    y[W_T], y[W_C] = (0.02, -0.03, 0.05), (0.004, 0.006, -0.003)
    y[26:30] = (5.0, -4.0, 3.0, 1.0)
    y[MASS] = CHASER_KG
    return y


def bare_world() -> World:
    """A point mass and two bodies, nothing else."""
    world = np.zeros(1, WORLD_DTYPE)
    w = world[0]
    for name, inertia in (("target", TARGET_INERTIA), ("chaser", CHASER_INERTIA)):
        w[name]["inertia"], w[name]["inverse"] = inertia, np.linalg.inv(inertia)
    w["target_mass"], w["first_mass"], w["exhaust"] = TARGET_KG, CHASER_KG, exhaust_speed(220.0)
    w["degree"], w["wheels"], w["rotor"], w["axes"] = 1, 4, 0.1, AXES
    w["wheel_torque"], w["wheel_momentum"] = 0.4, 50.0
    return world


def full_world() -> World:
    """Everything on: J2 to J6, gradient, air of 400 km, light, Sun, Moon, a jet, a push, wheels driven."""
    world = bare_world()
    w = world[0]
    w["degree"], w["gradient"], w["pressure"], w["third"] = 6, 1, 1, (1, 1)
    w["sun"], w["moon"], w["mu_third"] = SUN, MOON, (MU_SUN_M3_S2, MU_MOON_M3_S2)
    w["density"], w["sunlight"] = 3e-12, (1.0, 0.7)
    w["target"]["drag"], w["target"]["sunlit"], w["target"]["lever"] = 13.0, 10.0, (0.1, 0.05, 0.03)
    w["chaser"]["drag"], w["chaser"]["sunlit"], w["chaser"]["lever"] = 7.0, 5.0, (0.1, 0.02, -0.03)
    w["force"], w["torque"], w["thrust"] = (0.3, -0.2, 0.1), (0.002, -0.001, 0.003), 2.0
    w["push"], w["motor"] = (1e-5, -2e-5, 3e-5), (0.004, -0.002, 0.003, 0.001)
    return world


def surroundings(world: World) -> Surroundings:
    """The same for the plain equations."""
    w = world[0]
    light = tuple(float(s) for s in w["sunlight"]) if w["pressure"] else None
    third = tuple(bool(on) for on in w["third"])
    return Surroundings(int(w["degree"]), bool(w["gradient"]), float(w["density"]), w["sun"], w["moon"], third, light)  # type: ignore[arg-type]


def craft_of(world: World) -> tuple[Craft, Craft]:
    """Target and chaser, likewise."""
    w, none = world[0], np.zeros(3)
    t, c = w["target"], w["chaser"]
    target = Craft(
        float(w["target_mass"]), t["inertia"], float(t["drag"]), float(t["sunlit"]), t["lever"], none, none, 0.0, none,
        np.zeros((0, 3)), np.zeros(0),
    )  # fmt: skip
    chaser = Craft(
        float(w["first_mass"]), c["inertia"], float(c["drag"]), float(c["sunlit"]), c["lever"], w["force"], w["torque"],
        float(w["thrust"] / w["exhaust"]), w["push"], w["axes"], w["motor"],
    )  # fmt: skip
    return target, chaser
