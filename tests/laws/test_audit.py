"""The conservation audit: silent in an eventful flight, loud as soon as something happens behind the ledgers' back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from free_flight import DT, first_state, fly, full_world
from numpy.typing import NDArray

from proxops.space.audit import BOOK, FIGURES, audit, open_book
from proxops.space.two_craft import DV, MASS, Q_C, Q_T, W_C, W_T, D, P, V, World

Array = NDArray[np.float64]
# Seen: 4e-15, 4e-15, 1e-13, 3e-12, 1e-15, 1e-12, all of it rounding (truncation of RK4 at these rates is 1e-19). The chaser's
# are the greatest: its wheels' momenta take the same small increment 50,000 times, which rounds the same way each time.
QUIET = np.array([1e-13, 1e-13, 2e-12, 1e-11, 1e-13, 6e-12])
Figure = tuple[int, ...]


def eventful(between: Callable[[Array, World], None] = lambda y, world: None) -> Array:
    """Figures after 200 s: jets on and off, wheels one way and the other, a push, light into shadow; ``between`` halfway."""
    y, world, book, out = first_state(), full_world(), np.zeros(BOOK), np.zeros(FIGURES)
    open_book(y, world, book)
    w = world[0]
    fly(y, world, DT, 12_500)
    w["force"], w["torque"], w["thrust"] = (8.0, -2.0, 3.0), (0.3, -0.4, 0.2), 22.0
    fly(y, world, DT, 250)
    w["force"], w["torque"], w["thrust"], w["push"] = 0.0, 0.0, 0.0, (0.02, 0.01, -0.03)
    fly(y, world, DT, 250)
    w["push"], w["motor"], w["sunlight"] = 0.0, (-0.3, 0.1, 0.2, -0.4), 0.0
    fly(y, world, DT, 2_000)
    between(y, world)
    w["motor"], w["sunlight"], w["density"] = (0.1, -0.1, 0.2, 0.05), (0.4, 0.5), 8e-12
    fly(y, world, DT, 35_000)
    audit(y, world, book, out)
    return np.abs(out)


def test_an_eventful_flight_adds_up() -> None:
    figures = eventful()
    assert (figures < QUIET).all(), figures
    assert figures.any()  # six exact zeros would mean that nothing was looked at


def changed(part: slice | int, by: float) -> Callable[[Array, World], None]:
    def change(y: Array, world: World) -> None:
        y[part] += by

    return change


def heavier(name: str, by: float) -> Callable[[Array, World], None]:
    def change(y: Array, world: World) -> None:
        world[0][name]["inertia"] *= by

    return change


def degree(y: Array, world: World) -> None:
    world[0]["degree"] = 5


@pytest.mark.parametrize(
    ("broken", "figures"),
    [
        (changed(P, 1.0), (0, 1)),  # the target a metre off, and the chaser with it
        (changed(V, 1e-4), (0, 1)),
        (changed(D, 0.1), (1,)),
        (changed(DV, 1e-4), (1,)),
        (changed(W_T, 1e-6), (2, 4)),
        (changed(W_C, 1e-6), (3, 5)),
        (changed(MASS, -0.1), (3, 5)),  # propellant that left without a jet
        (changed(slice(26, 27), 1e-3), (3, 5)),  # a wheel that sped up by itself
        (changed(Q_T, 0.01), (2,)),
        (changed(Q_C, 0.01), (3,)),
        (heavier("target", 1.001), (2, 4)),
        (heavier("chaser", 1.001), (3, 5)),
        (degree, (0, 1)),  # another field of gravity than the one whose energy is counted
    ],
)
def test_what_happens_behind_its_back_is_seen(broken: Callable[[Array, World], None], figures: Figure) -> None:
    """A hundred times the quiet bound at least, in the figures that should see it."""
    found = eventful(broken)
    assert all(found[k] > 100.0 * QUIET[k] for k in figures), found


def test_what_is_broken_in_the_spin_leaves_the_orbit_quiet() -> None:
    found = eventful(changed(W_T, 1e-3))
    assert found[2] > 1e-3 and found[0] < QUIET[0] and found[1] < QUIET[1] and found[3] < QUIET[3]


@pytest.mark.parametrize("name", ["force", "torque"])
def test_a_wrong_kernel_would_be_seen(name: str) -> None:
    """Forces and torques enter motion and ledger by different ways: momentum that grows with no torque in the ledger, or work
    without force, cannot hide. Shown by emptying the ledgers after a flight under them."""
    y, world, book, out = first_state(), full_world(), np.zeros(BOOK), np.zeros(FIGURES)
    open_book(y, world, book)
    world[0][name] = (1.0, 2.0, -1.0)
    fly(y, world, DT, 500)
    audit(y, world, book, out)
    assert (np.abs(out) < QUIET).all()
    y[31:41] = 0.0
    audit(y, world, book, out)
    assert (np.abs(out) > 100.0 * QUIET).all()


def test_on_a_prescribed_orbit_the_relative_motion_is_audited() -> None:
    """The target stands (a reference at rest far away): the chaser's relative kinetic energy is the work done on it."""
    y, world, book, out = first_state(), full_world(), np.zeros(BOOK), np.zeros(FIGURES)
    world[0]["prescribed"], world[0]["reference"] = 1, y[0:6]
    open_book(y, world, book)
    fly(y, world, DT, 10_000)
    audit(y, world, book, out)
    assert out[0] == 0.0 and (np.abs(out) < QUIET).all()
    y[DV] += 1e-4
    audit(y, world, book, out)
    assert abs(out[1]) > 1e-5
