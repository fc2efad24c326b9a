"""Two free craft that touch, ours against MuJoCo: a ball on one meets a flat face of the other, both off the mass centres."""

import math

import numpy as np
import pytest

from proxops.core.floating_object import FloatingScene, ObjectTable
from proxops.space.bounce_law import damping_ratio
from proxops.space.contact_pair import BODY, PAIR_DTYPE, SIZE, P, Q, V, W, advance, softness
from proxops.space.drogue import Drogue
from proxops.space.floating_world import FloatingWorld

OMEGA, RESTITUTION, STEP = 60.0, 0.7, 2.5e-4  # rad/s, -, s: omega dt 0.015 in MuJoCo
# The ball's radius, half of the client's side, and the way from the ball to the client's mass centre.
BALL, FACE, ARM = 0.02, 0.1, np.array([0.9, 0.05, -0.1])
CHASER, CLIENT = (500.0, (120.0, 150.0, 140.0)), (750.0, (200.0, 260.0, 240.0))


def in_mujoco(ball: np.ndarray, speed: np.ndarray, seconds: float) -> np.ndarray:
    chaser = ObjectTable(
        shape="sphere", size_m=(BALL,), place_m=tuple(ball), mass_kg=CHASER[0], inertia_kg_m2=(*CHASER[1], 0.0, 0.0, 0.0),
        mass_centre_m=tuple(ARM), speed_m_s=tuple(speed), friction=0.0, restitution=RESTITUTION,
    )  # fmt: skip
    client = ObjectTable(
        shape="box", size_m=(2 * FACE,) * 3, mass_kg=CLIENT[0], inertia_kg_m2=(*CLIENT[1], 0.0, 0.0, 0.0), friction=0.0,
        restitution=RESTITUTION,
    )  # fmt: skip
    world = FloatingWorld(FloatingScene((chaser, client)), STEP, OMEGA)
    world.step(steps=round(seconds / STEP))
    return world.velocities.ravel()


def in_ours(ball: np.ndarray, speed: np.ndarray, seconds: float) -> np.ndarray:
    pair, y = np.zeros(1, PAIR_DTYPE), np.zeros(SIZE)
    r = pair[0]
    for name, (mass, inertia) in (("chaser", CHASER), ("client", CLIENT)):
        r[name]["mass"], r[name]["inertia"], r[name]["inverse"] = (
            mass,
            np.diag(inertia),
            np.diag(1.0 / np.array(inertia)),
        )
    r["tip"], r["drogue"] = -ARM, Drogue("plate", BALL, FACE + BALL).record  # the chaser's frame in its mass centre
    y[Q], y[BODY + Q], y[P : P + 3], y[V : V + 3] = 1.0, 1.0, ball + ARM, speed
    mass = 1.0 / softness(pair, y, np.array([1.0, 0.0, 0.0]))
    r["law"] = (OMEGA**2 * mass, 2.0 * damping_ratio(RESTITUTION) * OMEGA * mass, 1.0, 0.0, 0.0, 1e-3)
    advance(pair, y, 1e-4, round(seconds / 1e-4))
    return np.concatenate([y[V : V + 3], y[W : W + 3], y[BODY + V : BODY + V + 3], y[BODY + W : BODY + W + 3]])


@pytest.mark.parametrize("beside", [(0.0, 0.0), (0.05, -0.03), (-0.08, 0.08)])
def test_velocities_after_a_bounce_agree(beside: tuple[float, float]) -> None:
    """MuJoCo's spring and damper are by the mass that a contact moves at each moment, ours by that at the beginning; within the
    70 ms of the contact nothing turns by more than 1e-3 rad. What is left: the step in which the damper sets in, 0.1 omega dt."""
    ball, speed = np.array([FACE + BALL + 0.002, *beside]), np.array([-0.03, 0.0, 0.0])
    ours, theirs = in_ours(ball, speed, 0.2), in_mujoco(ball, speed, 0.2)
    assert abs(theirs[0] - speed[0]) > 0.3 * math.hypot(*speed)  # they have met
    np.testing.assert_allclose(ours, theirs, atol=0.004 * 0.03)
