"""What stands together in a range grid, and what of it is about a place."""

from __future__ import annotations

import numpy as np

from proxops.onboard.vision.depth.clusters import FEWEST, Cluster, parts_about


def test_of_a_wall_only_what_is_about_the_place_is_looked_at() -> None:
    """A client before a wall of 20 m that it is one thing with; another thing that is far."""
    across = np.linspace(-10.0, 10.0, 400)
    wall = np.stack([across, np.zeros(400), np.full(400, 18.5)], axis=1)
    client = np.array([[0.1 * k, 0.0, 18.0] for k in range(-4, 5)])
    found = [Cluster(np.concatenate([wall, client])), Cluster(wall + np.array([0.0, 30.0, 0.0]))]
    (part,) = parts_about(found, np.array([0.0, 0.0, 18.0]), 1.0)
    assert all(any((one == place).all() for place in part.places) for one in client)
    assert np.linalg.norm(part.places - [0.0, 0.0, 18.0], axis=1).max() < 1.0 and len(part.places) < 60
    assert not parts_about(found, np.array([0.0, 5.0, 18.0]), 1.0) and FEWEST > 1
