"""Random numbers drawn ahead are those that single calls draw, in their order."""

from __future__ import annotations

import numpy as np

from proxops.maths.draws import ROWS, Draws


def test_uniform_and_normal_numbers_in_turn() -> None:
    drawn, rng = Draws(np.random.default_rng(3), 3, 6), np.random.default_rng(3)
    for _ in range(2 * ROWS + 5):
        assert drawn.row().tolist() == [*rng.random(3), *rng.standard_normal(6)]


def test_normal_numbers_alone() -> None:
    drawn, rng = Draws(np.random.default_rng(3), 0, 12), np.random.default_rng(3)
    for _ in range(2 * ROWS + 5):
        assert drawn.row().tolist() == rng.standard_normal(12).tolist()
