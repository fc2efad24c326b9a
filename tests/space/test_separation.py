"""Nobody looks for contacts while objects cannot meet: what happens is the same to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proxops.core.floating_object import BoxTable, FloatingScene, ObjectTable, ObstacleTable
from proxops.space.floating_world import FloatingWorld

DT, STEPS = 1e-3, 4


def world(seed: int) -> FloatingWorld:
    """A cube and a ball that tumble and drift fast among walls, a leaning capsule and a turned block."""
    rng = np.random.default_rng(seed)

    def three(size: float) -> Any:
        return tuple(rng.uniform(-size, size, 3).tolist())

    cube = ObjectTable(size_m=(0.3, 0.2, 0.25), mass_kg=8.0, turn_deg=three(40.0), speed_m_s=three(0.5),
                       turn_rate_deg_s=three(150.0), friction=0.4, restitution=0.9)  # fmt: skip
    ball = ObjectTable(shape="sphere", size_m=(0.05,), mass_kg=1.0, place_m=(0.0, 0.35, 0.0), speed_m_s=three(0.8))
    post = ObstacleTable(shape="capsule", size_m=(0.03, 0.5), place_m=(0.1, -0.4, 0.0), turn_deg=three(30.0))
    block = ObstacleTable(size_m=(0.1, 0.2, 0.1), place_m=(-0.35, 0.2, 0.3), turn_deg=three(60.0))
    return FloatingWorld(FloatingScene((cube, ball), (post, block), BoxTable(size_m=(1.0, 1.0, 1.0))), DT)


@pytest.mark.parametrize("seed", range(6))
def test_the_same_to_the_bit(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spared, looking, rng = world(seed), world(seed), np.random.default_rng(seed)
    monkeypatch.setattr(looking._separation, "lasts", lambda *_: False)
    first, second, apart, touched = np.zeros(spared.state_size), np.zeros(spared.state_size), 0, 0
    for cycle in range(400):
        wrench = rng.normal(size=6) * (40.0 if cycle % 50 < 3 else 0.0)
        for each in (spared, looking):
            each.step(wrench, STEPS)
        spared.save(first)
        looking.save(second)
        apart, touched = apart + (not spared._looks), touched + looking.touching
        assert first.tobytes() == second.tobytes() and spared.touching == looking.touching
    assert apart > 50 and touched > 5  # both are common


def test_what_is_no_number_is_not_apart() -> None:
    one = world(0)
    assert not one._separation.lasts(np.full_like(one._qpos, np.nan), one._qvel, np.zeros(6), 0.004)
    assert not one._separation.lasts(one._qpos, np.full_like(one._qvel, np.inf), np.zeros(6), 0.004)
