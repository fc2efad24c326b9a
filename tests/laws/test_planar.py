"""Planar arms in closed form: the turn of the base against quadrature, against Stokes over the loop's area, against Pinocchio."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import dblquad, quad

from proxops.arms.dynamics import Dynamics
from proxops.arms.joint_course import LinearCourse, RestToRest
from proxops.arms.model import load_model
from proxops.arms.planar import PlanarChain, chain_of, planar_chain
from proxops.core.errors import BadInput
from proxops.space.prescribed_joints import PrescribedArm

Array = NDArray[np.float64]
ONE, TWO = (planar_chain(load_model(name, "tip")) for name in ("planar_one", "planar_two"))
TURN = -1.520836718150573  # rad, given with the case: base 100 kg, 10 kg m2; link 20 kg, 1 kg m2; levers 0.5 m
LOOP = np.radians([[0.0, 30.0], [120.0, 30.0], [120.0, 150.0], [0.0, 150.0], [0.0, 30.0]])


def skewed(rng: np.random.Generator) -> PlanarChain:
    """Three links whose mass centres lie beside their axes."""
    return chain_of(
        rng.uniform(5, 50, 4), rng.uniform(0.5, 5, 4), rng.uniform(-1, 1, 4) + 1j * rng.uniform(-1, 1, 4),
        rng.uniform(-1, 1, 3) + 1j * rng.uniform(-1, 1, 3),
    )  # fmt: skip


def test_a_full_turn_of_one_joint() -> None:
    assert ONE.turn(np.zeros(1), 0, 2.0 * math.pi) == pytest.approx(TURN, abs=1e-14)


def test_the_full_turn_by_hand() -> None:
    """−(π + (α − J/2) 2π / √(J² − 4k²)) with w = m0 m1 / M, k = w a c, α = I1 + w c², J = I0 + I1 + w (a² + c²)."""
    w = 100.0 * 20.0 / 120.0
    k, alpha, j = w * 0.25, 1.0 + w * 0.25, 11.0 + w * 0.5
    turn = -(math.pi + (alpha - 0.5 * j) * 2.0 * math.pi / math.sqrt(j * j - 4.0 * k * k))
    assert turn == pytest.approx(TURN, abs=1e-14)


@pytest.mark.parametrize("name", ["planar_one", "planar_two"])
def test_momenta_are_those_of_the_mass_matrix(name: str) -> None:
    model = load_model(name, "tip")
    chain, dynamics, rng = planar_chain(model), Dynamics(model), np.random.default_rng(2)
    for _ in range(20):
        joints = rng.uniform(-3, 3, model.n)
        h = chain.momenta(joints)
        base = dynamics.update(model.configuration(joints), np.zeros(6 + model.n)).base
        assert base[5] == pytest.approx(-h[1:] / h[0], abs=1e-13)


def test_one_joint_at_a_time_against_quadrature() -> None:
    """Any joint of a skewed chain, over more than two turns, both ways: 1e-10 is what the quadrature promises."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        chain, joints, j, to = skewed(rng), rng.uniform(-3, 3, 3), int(rng.integers(3)), rng.uniform(-15, 15)

        def slope(x: float, chain: PlanarChain = chain, joints: Array = joints, j: int = j) -> float:
            h = chain.momenta(np.where(np.arange(3) == j, x, joints))
            return float(-h[1 + j] / h[0])

        assert chain.turn(joints, j, to) == pytest.approx(
            quad(slope, joints[j], to, epsabs=1e-11, limit=500)[0], abs=1e-10
        )


def test_a_loop_is_the_integral_of_the_curvature_over_its_area() -> None:
    """Stokes: ∮ −(h1 dq1 + h2 dq2) / h0 = ∬ (∂(h1/h0)/∂q2 − ∂(h2/h0)/∂q1) dq1 dq2, anticlockwise; derivatives by differences."""
    step = 1e-5

    def curl(q2: float, q1: float) -> float:
        def ratio(i: int, a: float, b: float) -> float:
            h = TWO.momenta(np.array([a, b]))
            return float(h[i] / h[0])

        first = (ratio(1, q1, q2 + step) - ratio(1, q1, q2 - step)) / (2.0 * step)
        second = (ratio(2, q1 + step, q2) - ratio(2, q1 - step, q2)) / (2.0 * step)
        return first - second

    (a, b), (c, d) = LOOP[0], LOOP[2]
    area = dblquad(curl, a, c, b, d, epsabs=1e-8, epsrel=1e-8)[0]
    assert TWO.turn_along(LOOP) == pytest.approx(area, abs=1e-8)
    assert abs(area) > 0.1


def test_a_path_that_goes_back_the_same_way_turns_nothing() -> None:
    there = LOOP[:4]
    assert TWO.turn_along(np.vstack([there, there[-2::-1]])) == pytest.approx(0.0, abs=1e-14)
    assert TWO.turn_along(LOOP[::-1]) == pytest.approx(-TWO.turn_along(LOOP), abs=1e-14)


@pytest.mark.parametrize(("name", "path"), [("planar_one", np.radians([[0.0], [360.0]])), ("planar_two", LOOP)])
def test_simulated_by_the_momentum_at_two_paces(name: str, path: Array) -> None:
    """How fast the joints move makes no difference: 1e-8 in steps of 1/200 of the course (RK4)."""
    model = load_model(name, "tip")
    closed = planar_chain(model).turn_along(path)
    for seconds in (2.0, 30.0):
        course = RestToRest(np.linspace(0.0, seconds, len(path)), path)
        arm = PrescribedArm(model, course, model.configuration(path[0]))
        arm.advance(seconds, seconds / 400.0, course.nodes)
        assert 2.0 * math.atan2(arm.q[5], arm.q[6]) == pytest.approx(closed, abs=1e-8)


def test_steps_end_at_the_nodes_whatever_their_length() -> None:
    """Rates jump at the nodes; a step that reached over one by a rounding would turn the base by 1e-3 too far. RK4
    leaves 1e-8."""
    model = load_model("planar_two", "tip")
    closed = planar_chain(model).turn_along(LOOP)
    for shift in (0.0, 0.1, 682.3):
        course = LinearCourse(shift + np.array([0.0, 1.1, 2.3, 3.7, 4.9]), LOOP)
        arm = PrescribedArm(model, course, model.configuration(LOOP[0]), t=shift)
        arm.advance(shift + 4.9, 0.013, course.nodes)
        assert 2.0 * math.atan2(arm.q[5], arm.q[6]) == pytest.approx(closed, abs=1e-8)


def test_only_planar_chains_and_one_joint_at_a_time() -> None:
    with pytest.raises(BadInput, match="planar"):
        planar_chain(load_model("ets7_a", "tool"))
    with pytest.raises(BadInput, match="one joint at a time"):
        TWO.turn_along(np.array([[0.0, 0.0], [1.0, 1.0]]))
