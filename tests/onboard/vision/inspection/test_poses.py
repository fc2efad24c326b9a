"""Poses of looks: two laid over each other, many held together by ties, the frame as it was called."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from tests.onboard.vision.inspection.known_shapes import apart, on_box, posed

from proxops.core.images import PointScan
from proxops.core.vision import Floats
from proxops.onboard.vision.inspection.closures import PARTNERS, SAME_SIDE, Tie, partners
from proxops.onboard.vision.inspection.look import InspectionLook
from proxops.onboard.vision.inspection.naming import called
from proxops.onboard.vision.inspection.pose_graph import fitted_poses
from proxops.onboard.vision.inspection.registration import FEWEST, registered
from proxops.onboard.vision.inspection.track import Track, inverted

NOISE_M = 0.005


def test_two_sets_of_points_are_laid_over_each_other() -> None:
    rng = np.random.default_rng(1)
    target = on_box(4000, rng) + NOISE_M * rng.standard_normal((4000, 3))
    T = posed((0.04, -0.03, 0.02), (0.03, -0.05, 0.04))
    source = (on_box(2000, rng) - T[:3, 3]) @ T[:3, :3] + NOISE_M * rng.standard_normal((2000, 3))
    found = registered(target, source, np.eye(4), 0.2)
    assert found is not None and found.share > 0.95
    place_m, turn_rad = apart(found.T_target_source, T)
    assert place_m < 0.003 and turn_rad < 0.005


def test_a_direction_that_points_do_not_tell_has_no_information() -> None:
    rng = np.random.default_rng(2)
    plane = np.column_stack([rng.random((3000, 2)), np.zeros(3000)])
    found = registered(plane, plane[::2], np.eye(4), 0.1)
    assert found is not None
    along, across = found.information[0, 0], found.information[2, 2]
    assert along < 0.05 * across


def test_few_points_are_not_laid_over_anything() -> None:
    rng = np.random.default_rng(3)
    assert registered(on_box(1000, rng), on_box(FEWEST - 1, rng), np.eye(4), 0.1) is None


def ring(n: int) -> Floats:
    """(n, 4, 4): once round a client and back to the first."""
    angle = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    return np.array([posed((np.cos(a), np.sin(a), 0.1 * a), (0.2, 0.0, a - np.pi)) for a in angle])


def drifted(X: Floats, rng: np.random.Generator) -> Floats:
    """Each step a little wrong, so that errors add up."""
    out = [X[0]]
    for a, b in pairwise(X):
        wrong = posed(tuple(0.004 * rng.standard_normal(3)), tuple(0.004 * rng.standard_normal(3)))
        out.append(out[-1] @ inverted(a) @ b @ wrong)
    return np.array(out)


def tied(X: Floats, pairs: list[tuple[int, int]]) -> list[Tie]:
    return [Tie(i, j, inverted(X[i]) @ X[j], np.diag([1e4, 2e4, 5e3, 1e3, 2e3, 1e3])) for i, j in pairs]


def test_ties_take_the_drift_away() -> None:
    true = ring(24)
    start = drifted(true, np.random.default_rng(4))
    pairs = [(k - 1, k) for k in range(1, 24)] + [(0, 23), (2, 14), (6, 19)]
    assert max(apart(*both)[0] for both in zip(start, true, strict=True)) > 0.01
    found = fitted_poses(start, tied(true, pairs))
    assert max(max(apart(*both)) for both in zip(found, true, strict=True)) < 1e-6


def test_one_wrong_tie_bends_nothing() -> None:
    true = ring(24)
    ties = tied(
        true, [(k - 1, k) for k in range(1, 24)] + [(j, k) for j in range(0, 24, 3) for k in range(j + 2, 24, 4)]
    )
    wrong = Tie(1, 20, posed((0.3, 0.0, 0.0), (0.0, 0.3, 0.0)) @ inverted(true[1]) @ true[20], ties[0].information)
    found = fitted_poses(drifted(true, np.random.default_rng(5)), [*ties, wrong])
    assert max(max(apart(*both)) for both in zip(found, true, strict=True)) < 1e-3


def test_partners_are_of_the_same_side_and_spread_over_time() -> None:
    angle = np.linspace(0.0, 6.0 * np.pi, 120)
    views = np.stack([np.cos(angle), np.sin(angle), np.zeros(120)], axis=1)
    found = partners(views, 119)
    assert len(found) == PARTNERS == len(set(found))
    assert all(views[j] @ views[119] > SAME_SIDE for j in found)
    assert max(found) - min(found) > 60


def test_the_frame_is_the_middle_of_what_it_was_called() -> None:
    rng = np.random.default_rng(6)
    X, T = ring(31), posed((0.2, -0.1, 0.3), (0.4, 0.2, -0.7))
    looks = []
    for number, now in enumerate(X):
        off = posed(tuple(0.02 * rng.standard_normal(3)), tuple(0.02 * rng.standard_normal(3)))
        gross = posed((0.0, 2.0, 0.0), (0.0, 0.0, 1.0)) if number % 5 == 0 else np.eye(4)
        looks.append(look(float(number), now @ T @ off @ gross if number % 3 else None))
    found = called(Track(tuple(looks), X))
    assert found is not None
    place_m, turn_rad = apart(found, T)
    assert place_m < 0.02 and turn_rad < 0.02
    assert called(Track(tuple(look(float(k), None) for k in range(31)), X)) is None


def look(t: float, named: Floats | None) -> InspectionLook:
    scan = PointScan("scan", 0, t, np.zeros((0, 3), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32))
    return InspectionLook(scan, np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), named)
