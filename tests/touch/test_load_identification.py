"""Identification of a tool's load: right within its own uncertainty, and refused by name where the motion tells too little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.touch.feasible_load import central_of, physical_load
from proxops.touch.load_identification import CalibrationRows, LoadIdentification, identify_load, stacked
from proxops.touch.tool_load import GRAVITY, ToolLoad, load_wrench, six_of, symmetric

Floats = NDArray[np.float64]
NOISE = np.array([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])
BIAS = np.array([3.0, -4.0, 1.0, 0.1, -0.2, 0.05])
DRIFT = np.array([0.05, -0.02, 0.01, 0.002, 0.0, -0.001])
LOAD = ToolLoad(
    4.2, np.array([0.004, -0.011, 0.148]), symmetric(np.array([0.046, 0.043, 0.039, 0.0012, -0.0008, 0.0015]))
)


def motion(
    rng: np.random.Generator, n: int, load: ToolLoad = LOAD, w: float = 1.0, alpha: float = 6.0
) -> CalibrationRows:
    """Random attitudes, rates and accelerations, and readings with bias and drift."""
    q = rng.standard_normal((n, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    rates, turns, a = w * rng.standard_normal((n, 3)), alpha * rng.standard_normal((n, 3)), rng.standard_normal((n, 3))
    t = 0.004 * np.arange(n)
    clean = (stacked(q, rates, turns, a, GRAVITY) @ load.parameters).reshape(n, 6)
    reading = clean + BIAS + DRIFT * (t - t.mean())[:, None] + NOISE * rng.standard_normal((n, 6))
    return CalibrationRows(q, rates, turns, a, reading, t)


def deviations(found: LoadIdentification, load: ToolLoad = LOAD) -> Floats:
    """In standard deviations: mass, centre, inertia about it, bias."""
    off = (
        [found.load.mass - load.mass], found.load.com - load.com, six_of(found.load.inertia - load.inertia), found.bias - BIAS,
    )  # fmt: skip
    sigma = [found.mass_sigma], found.com_sigma, found.inertia_sigma, found.bias_sigma
    return np.concatenate(off) / np.concatenate(sigma)


def test_within_three_sigma_and_the_sigmas_are_honest() -> None:
    """40 calibrations: deviations in shares of sigma are standard normal. Of 640 some 1.7 lie beyond three: at most 7."""
    rng = np.random.default_rng(5)
    off = np.array([deviations(identify_load(motion(rng, 600), NOISE, GRAVITY)) for _ in range(40)])
    assert np.sum(np.abs(off) > 3.0) <= 7
    assert np.abs(off).max() < 5.0
    assert np.all(np.abs(np.sqrt((off**2).mean(axis=0)) - 1.0) < 4.0 / np.sqrt(2 * 40))
    assert np.all(np.abs(off.mean(axis=0)) < 4.0 / np.sqrt(40))


def test_compensated_readings_are_noise_at_any_attitude_and_acceleration() -> None:
    """Readings that the identification has not seen, at twice its motion: what is left is the noise, to five standard errors and
    the identification's own uncertainty (0.02 of the noise)."""
    rng = np.random.default_rng(6)
    found = identify_load(motion(rng, 5000), NOISE, GRAVITY)
    fresh = motion(rng, 4000, w=2.0, alpha=12.0)
    assert fresh.t is not None
    left = fresh.reading - BIAS - DRIFT * (fresh.t - fresh.t.mean())[:, None]
    for i in range(len(left)):
        left[i] -= load_wrench(
            found.load.parameters, fresh.attitude[i], fresh.w[i], fresh.alpha[i], fresh.a[i], GRAVITY
        )
    share = np.sqrt((left**2).mean(axis=0)) / NOISE
    assert np.all(np.abs(share - 1.0) < 5.0 / np.sqrt(2 * 4000) + 0.02)
    assert np.all(np.abs(left.mean(axis=0)) / NOISE < 5.0 / np.sqrt(4000) + 0.02)


def test_without_noise_it_is_exact_and_drift_comes_out_when_times_are_given() -> None:
    rng = np.random.default_rng(7)
    rows = motion(rng, 200)
    assert rows.t is not None
    clean = (stacked(rows.attitude, rows.w, rows.alpha, rows.a, GRAVITY) @ LOAD.parameters).reshape(-1, 6) + BIAS
    tiny = NOISE * 1e-9  # of the residuals; weights only tell how to share
    found = identify_load(replace(rows, reading=clean + DRIFT * (rows.t - rows.t.mean())[:, None]), tiny, GRAVITY)
    np.testing.assert_allclose(found.parameters, LOAD.parameters, atol=1e-11)
    np.testing.assert_allclose(found.bias, BIAS, atol=1e-11)
    np.testing.assert_allclose(found.drift, DRIFT, atol=1e-10)
    found = identify_load(replace(rows, reading=clean, t=None), tiny, GRAVITY)
    np.testing.assert_allclose(found.load.com, LOAD.com, atol=1e-11)
    assert not found.drift.any()


def test_least_squares_is_numpys() -> None:
    rows = replace(motion(np.random.default_rng(8), 300), t=None)
    A = np.hstack([stacked(rows.attitude, rows.w, rows.alpha, rows.a, GRAVITY), np.tile(np.eye(6), (300, 1))])
    weight = 1.0 / np.tile(NOISE, 300)
    theta = np.linalg.lstsq(A * weight[:, None], rows.reading.ravel() * weight)[0]
    found = identify_load(rows, NOISE, GRAVITY)
    np.testing.assert_allclose(np.concatenate([found.parameters, found.bias]), theta, rtol=1e-9, atol=1e-12)


def refusal(rows: CalibrationRows, noise: Floats = NOISE) -> str:
    with pytest.raises(BadInput) as caught:
        identify_load(rows, noise, GRAVITY)
    return str(caught.value)


def test_a_still_tool_shows_neither_mass_nor_inertia() -> None:
    rows = motion(np.random.default_rng(9), 500)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (500, 1))
    said = refusal(replace(rows, attitude=still, w=0 * rows.w, alpha=0 * rows.alpha, a=0 * rows.a))
    for name in ("mass", "m·cx", "m·cy", "m·cz", "Jxx", "Jyz", "bias Fz", "bias Tx", "bias Ty"):
        assert f"{name} (" in said
    assert "bias Fx" not in said  # a tool that hangs straight down pulls along z only: Fx is bias, and known


def test_slow_turns_show_the_weight_but_not_the_inertia() -> None:
    rows = motion(np.random.default_rng(10), 2000)
    said = refusal(replace(rows, w=0 * rows.w, alpha=0 * rows.alpha))
    assert all(f"{name} (" in said for name in ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"))
    assert "mass (" not in said
    assert "bias" not in said


def test_turns_about_one_axis_leave_the_others_in_the_dark() -> None:
    rows = motion(np.random.default_rng(11), 2000)
    z = np.array([0.0, 0.0, 1.0])
    said = refusal(replace(rows, w=rows.w * z, alpha=rows.alpha * z))
    assert all(f"{name} (" in said for name in ("Jxx", "Jyy", "Jxy"))
    assert "Jzz (" not in said
    assert "Jxz (" not in said


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda r: replace(r, reading=np.where(np.arange(6) == 2, np.nan, r.reading)), "reading is no number"),
        (lambda r: replace(r, w=r.w[:-1]), "load calibration: w"),
        (lambda r: replace(r, t=r.t[::-1]), "times"),
        (lambda r: CalibrationRows(*(getattr(r, n)[:20] for n in ("attitude", "w", "alpha", "a", "reading", "t"))), "too few"),
        (lambda r: replace(r, reading=r.reading + np.where(np.arange(600) > 400, 8.0, 0.0)[:, None]), "do not fit"),
        (lambda r: replace(r, reading=-r.reading), "no mass"),
        (lambda r: replace(r, reading=0.0 * r.reading + NOISE * np.random.default_rng(1).standard_normal((600, 6))), "no mass"),
    ],
)  # fmt: skip
def test_bad_rows_are_refused(change, complaint: str) -> None:  # type: ignore[no-untyped-def]
    assert complaint in refusal(change(motion(np.random.default_rng(12), 600)))


def test_noise_must_be_known() -> None:
    assert "noise" in refusal(motion(np.random.default_rng(12), 600), np.zeros(6))


def test_an_inertia_that_no_body_has_is_refused() -> None:
    """Readings of a 'body' with moments 1 : 1 : 3."""
    rows = motion(np.random.default_rng(13), 600)
    impossible = LOAD.parameters.copy()
    impossible[4:] += six_of(np.diag([0.04, 0.04, 0.12]) - LOAD.inertia)
    reading = (stacked(rows.attitude, rows.w, rows.alpha, rows.a, GRAVITY) @ impossible).reshape(-1, 6)
    assert "triangle" in refusal(
        replace(rows, reading=reading + NOISE * np.random.default_rng(1).standard_normal((600, 6)))
    )


def test_a_flat_tool_is_moved_to_the_edge_within_its_uncertainty() -> None:
    """A plate has the largest moment equal to the others' sum; noise throws half of the results over the edge."""
    plate = ToolLoad(2.0, np.array([0.0, 0.0, 0.05]), np.diag([0.01, 0.02, 0.03]))
    rng, moved = np.random.default_rng(14), 0
    for _ in range(20):
        found = identify_load(motion(rng, 600, plate), NOISE, GRAVITY)
        a, b, c = np.linalg.eigvalsh(found.load.inertia)
        assert c <= (a + b) * (1.0 + 1e-9)
        assert np.abs(deviations(found, plate)).max() < 5.0
        moved += found.moved
    assert 3 <= moved <= 20


def test_parameters_about_the_origin_and_about_the_centre() -> None:
    central = central_of(LOAD.parameters)
    np.testing.assert_allclose(central[:3], LOAD.com, rtol=1e-14)
    np.testing.assert_allclose(central[3:], six_of(LOAD.inertia), rtol=1e-12)
    body = physical_load(LOAD.parameters, 1e-12 * np.eye(10))
    assert not body.moved
    # centre = h / m: relative errors of both, h = 0.62 kg m
    assert body.com_sigma[2] == pytest.approx(1e-6 / LOAD.mass * np.hypot(1.0, LOAD.com[2]), rel=1e-6)
