"""One interface for all orbits: tables that interpolate below a micrometre, derivatives that are derivatives, the epoch."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import TypeAdapter

from proxops.core.earth import MU_M3_S2 as MU
from proxops.core.errors import BadInput
from proxops.core.orbit_table import Orbit
from proxops.space.ephemeris import ephemeris_acceleration, ephemeris_at, interval
from proxops.space.kepler import propagate, state_from_elements
from proxops.space.reference_orbit import Ephemeris, InitialState, elements_of, reference_orbit
from proxops.space.secular_j2 import drifting_state, secular_rates
from proxops.space.tle import read_tle, tle_states

Array = NDArray[np.float64]
READ: TypeAdapter[Orbit] = TypeAdapter(Orbit)
EPOCH = "2026-11-16T12:00:00Z"
ISS = {
    "line1": "1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927",
    "line2": "2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537",
}
VANGUARD = {
    "line1": "1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753",
    "line2": "2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667",
}


def kepler(a_km: float, e: float, kind: str = "kepler", **more: object) -> Orbit:
    return READ.validate_python(
        {"kind": kind, "epoch": EPOCH, "semi_major_axis_km": a_km, "eccentricity": e, "inclination_deg": 51.6,
         "node_deg": 30.0, "perigee_deg": 40.0, "anomaly_deg": -20.0, **more}
    )  # fmt: skip


def table_of(orbit: Orbit, duration_s: float) -> Array:
    found = reference_orbit(orbit, duration_s)
    assert isinstance(found, Ephemeris)
    return found.table


def at(table: Array, t: float) -> tuple[Array, Array, Array]:
    p, v, a = np.empty(3), np.empty(3), np.empty(3)
    ephemeris_at(table, t, p, v)
    ephemeris_acceleration(table, t, a)
    return p, v, a


@pytest.mark.parametrize(("a_km", "e"), [(6600.0, 0.0), (6928.0, 0.001), (25000.0, 0.735), (42164.0, 0.0)])
@pytest.mark.parametrize("j2", [False, True])
def test_interpolation_is_better_than_a_micrometre(a_km: float, e: float, j2: bool) -> None:
    orbit = kepler(a_km, e, j2=j2)
    table, elements, rates = table_of(orbit, 7200.0), elements_of(orbit), np.zeros(3)  # type: ignore[arg-type]
    secular_rates(elements[0], elements[1], elements[2], rates)
    if not j2:
        rates[:] = 0.0, 0.0, math.sqrt(MU / elements[0] ** 3)
    p, v, a = np.empty(3), np.empty(3), np.empty(3)
    for t in np.linspace(-60.0, 7260.0, 1733).tolist():
        drifting_state(elements, rates, t, p, v, a)
        found = at(table, t)
        # Of the interpolation itself 1e-11 m; the rest is the rounding of the anomaly, some 1e-15 of the radius.
        assert np.linalg.norm(found[0] - p) < 1e-6
        assert np.linalg.norm(found[1] - v) < 1e-6
        assert np.linalg.norm(found[2] - a) < 1e-6


def test_interpolation_is_of_the_sixth_order() -> None:
    """With nodes so far apart that rounding does not count: twice the step, 64 times the error; and its size is the bound's."""
    errors = []
    p0, v0 = np.empty(3), np.empty(3)
    state_from_elements(7e6, 0.0, 1.0, 0.0, 0.0, 0.0, MU, p0, v0)
    q, u = np.empty(3), np.empty(3)
    for step in (100.0, 200.0):
        table = np.zeros((20, 10))
        table[:, 0] = step * np.arange(20)
        for row in table:
            propagate(p0, v0, row[0], MU, row[1:4], row[4:7])
            row[7:10] = -MU * row[1:4] / np.linalg.norm(row[1:4]) ** 3
        worst = 0.0
        for t in np.linspace(0.0, 1900.0, 400).tolist():
            propagate(p0, v0, t, MU, q, u)
            worst = max(worst, float(np.linalg.norm(at(table, t)[0] - q)))
        errors.append(worst)
        assert worst == pytest.approx(7e6 * (math.sqrt(MU / 7e6**3) * step) ** 6 / 46080.0, rel=0.1)
    assert errors[1] / errors[0] == pytest.approx(64.0, rel=0.1)


def test_without_j2_it_is_the_ellipse_itself() -> None:
    orbit = kepler(7000.0, 0.2, j2=False)
    first = reference_orbit(kepler(7000.0, 0.2, "numerical"), 0.0)
    assert isinstance(first, InitialState)
    q, u = np.empty(3), np.empty(3)
    for t in (0.0, 1000.0, 86400.0):
        propagate(first.p, first.v, t, MU, q, u)
        p, v, a = at(table_of(orbit, 86400.0), t)
        np.testing.assert_allclose(p, q, rtol=0.0, atol=1e-6)  # 15 revolutions of rounding
        np.testing.assert_allclose(v, u, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(a, -MU * q / np.linalg.norm(q) ** 3, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize(("lines", "gap"), [(ISS, 0.1), (VANGUARD, 2.0)])
def test_a_tle_is_followed_and_its_velocity_is_the_derivative(lines: dict[str, str], gap: float) -> None:
    table = table_of(READ.validate_python({"kind": "tle", **lines}), 6000.0)
    tle = read_tle(lines["line1"], lines["line2"], None, 1.0)
    t = np.linspace(-55.0, 6055.0, 1501)
    p, v = tle_states(tle, t)
    found = [at(table, moment) for moment in t.tolist()]
    miss = np.array([np.linalg.norm(f[0] - q) for f, q in zip(found, p, strict=True)])
    # SGP4 solves Kepler's equation to 1e-12 rad, so single positions jump by up to 1e-5 m: it is no smoother than that.
    assert np.median(miss) < 1e-7
    assert np.quantile(miss, 0.9) < 1e-6
    assert miss.max() < 2e-5
    h = 0.5
    slope = (tle_states(tle, t + h)[0] - tle_states(tle, t - h)[0]) / (2.0 * h)
    # Differences over a second: r n (n h)^2 / 6 is 5e-4 m/s, and what SGP4 itself says is further off.
    assert max(np.linalg.norm(f[1] - s) for f, s in zip(found, slope, strict=True)) < 2e-3
    off = max(np.linalg.norm(f[1] - u) for f, u in zip(found, v, strict=True))
    assert 5e-3 < off < gap


def test_tables_reach_beyond_the_mission_and_find_their_rows() -> None:
    table = table_of(kepler(7000.0, 0.0), 101.0)
    assert table[0, 0] <= -60.0
    assert table[-1, 0] >= 161.0
    assert (np.diff(table[:, 0]) == 5.0).all()
    assert interval(table, -1e9) == 0
    assert interval(table, 1e9) == table.shape[0] - 2
    assert table[interval(table, 52.0), 0] == 50.0
    assert table[interval(table, 50.0), 0] == 50.0


def test_epochs_are_in_terrestrial_time() -> None:
    found = reference_orbit(kepler(7000.0, 0.0, epoch="2000-01-01T12:00:00Z"), 1.0)
    assert found.epoch_tt == pytest.approx(64.184, abs=1e-9)  # TT - UTC then: 32 + 32.184 s
    later = reference_orbit(kepler(7000.0, 0.0, "numerical", epoch="2026-11-16T14:00:00+02:00"), 1.0)
    assert later.epoch_tt == pytest.approx(9816 * 86400.0 + 69.184, abs=1e-6)
    assert later.epoch_utc == "2026-11-16T12:00:00+00:00"
    own = reference_orbit(READ.validate_python({"kind": "tle", **ISS}), 1.0)
    assert own.epoch_utc.startswith("2008-09-20T12:25:40.104192")


def test_a_path_must_cover_the_mission() -> None:
    def path(first: float) -> Orbit:
        points = [{"t_s": first + 30.0 * k, "position_km": (7000.0, 225.0 * k, 0.0)} for k in range(4)]
        return READ.validate_python({"kind": "path", "epoch": EPOCH, "point": points})

    assert table_of(path(0.0), 90.0).shape == (4, 10)
    with pytest.raises(BadInput, match="ends before the mission; got 90 s; allowed: 91 s or more"):
        reference_orbit(path(0.0), 91.0)
    with pytest.raises(BadInput, match="begins after the mission; got 5 s"):
        reference_orbit(path(5.0), 60.0)
