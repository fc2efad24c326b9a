"""``proxops orbit``: the free drift is the exact one, the orbit's numbers are those of closed forms, all kinds of orbits work."""

import json
import math
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import erfa
import numpy as np
import pytest

from proxops.applications.mission.orbit_report import orbit_rows
from proxops.applications.mission.orbit_survey import _sidereal_angle, survey_orbit
from proxops.core.earth import MU_M3_S2 as MU
from proxops.core.mission import Mission, parse_mission
from proxops.space.ephemeris import ephemeris_at
from proxops.space.free_drift import acceleration, acceleration_difference, integrate_drift
from proxops.space.kepler import propagate
from proxops.space.lvlh import relative_in_eci, relative_in_lvlh
from proxops.space.reference_orbit import Ephemeris, reference_orbit

TEXT = Path(str(files("proxops").joinpath("missions/approach.toml"))).read_text()
HEAD, REST = TEXT.split("[orbit]")[0], "[start]" + TEXT.split("[start]")[1]
ELEMENTS = """
epoch = "2026-11-16T12:00:00Z"
semi_major_axis_km = 6928.0
eccentricity = {e}
inclination_deg = {i}
node_deg = {node}
"""
ISS = """
kind = "tle"
line1 = "1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927"
line2 = "2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537"
"""


def text_of(orbit: str, start: str = "position_m = [-25.0, 0.0, 0.0]") -> str:
    return f"{HEAD}[orbit]\n{orbit}\n{REST}".replace("position_m = [-25.0, 0.0, 0.0]", start)


def mission(orbit: str, **more: str) -> Mission:
    return parse_mission(text_of(orbit, **more), Path("test.toml"))


def kepler(e: float = 0.0, i: float = 51.6, node: float = 0.0, j2: bool = False) -> str:
    return f'kind = "kepler"\nj2 = {str(j2).lower()}' + ELEMENTS.format(e=e, i=i, node=node)


def test_the_difference_of_gravity_is_the_difference_and_loses_nothing() -> None:
    p, d = np.array([5e6, -3e6, 4e6]), np.array([900.0, -400.0, 300.0])
    here, there, both = np.empty(3), np.empty(3), np.empty(3)
    for degree in (1, 2, 6):
        acceleration(p, degree, here)
        acceleration(p + d, degree, there)
        acceleration_difference(p, d, degree, both)
        np.testing.assert_allclose(both, there - here, rtol=0.0, atol=2e-14)  # rounding of 8 m/s^2, a few times
    acceleration_difference(p, 1e-9 * d, False, both)
    tiny = both.copy()
    acceleration_difference(p, 1e-3 * d, False, both)
    # Linear down to a micrometre; the square of a metre is 1e-7.
    np.testing.assert_allclose(1e6 * tiny, both, rtol=1e-6)


def test_the_drift_is_that_of_two_ellipses() -> None:
    """Two closed-form orbits, subtracted, against the integration of the difference; both carry rounding of 1e-8 m."""
    orbit = reference_orbit(mission(kepler(e=0.05)).file.orbit, 12000.0)
    assert isinstance(orbit, Ephemeris)
    t = np.array([0.0, 1000.0, 5738.0, 11000.0])
    x0, x0_dot, out = np.array([-500.0, 200.0, 100.0]), np.array([0.1, -0.2, 0.05]), np.empty((4, 6))
    integrate_drift(orbit.table, 1, x0, x0_dot, t, out)
    np.testing.assert_allclose(out[0], [*x0, *x0_dot], rtol=0.0, atol=1e-12)
    p, v, d, u, q, w = (np.empty(3) for _ in range(6))
    ephemeris_at(orbit.table, 0.0, p, v)
    relative_in_eci(p, v, -MU * p / np.linalg.norm(p) ** 3, x0, x0_dot, d, u)
    found = np.empty(6)
    for row, moment in zip(out, t.tolist(), strict=True):
        propagate(p + d, v + u, moment, MU, q, w)
        target_p, target_v = np.empty(3), np.empty(3)
        ephemeris_at(orbit.table, moment, target_p, target_v)
        a = -MU * target_p / np.linalg.norm(target_p) ** 3
        relative_in_lvlh(target_p, target_v, a, q - target_p, w - target_v, found[:3], found[3:])
        np.testing.assert_allclose(row[:3], found[:3], rtol=0.0, atol=1e-6)
        # Rounding of the table's nodes, 3e-8 m, over its step of 5 s: so much is in its velocity.
        np.testing.assert_allclose(row[3:], found[3:], rtol=0.0, atol=2e-8)


def test_the_linear_motions_are_as_good_as_they_should_be() -> None:
    about = survey_orbit(mission(kepler(e=0.05), start="position_m = [-100.0, 20.0, 10.0]"), None).about
    assert [row["revolutions"] for row in about["drift"]] == [0.25, 0.5, 1.0]
    for row in about["drift"]:
        assert row["elliptic_error_m"] < 1.0  # the square of a drift of 1 km over the radius, grown
        assert row["cw_error_m"] > 3.0  # 5 % of a hundred metres, more or less
        assert row["distance_m"] == pytest.approx(np.linalg.norm(row["position_m"]))
    circle = survey_orbit(mission(kepler()), None).about
    for row in circle["drift"]:
        assert row["cw_error_m"] == pytest.approx(row["elliptic_error_m"], abs=1e-9)
    # A place straight behind is d^2 / 2r higher than the orbit, so it falls back by 12 pi times that in a revolution.
    behind = 25.0 + 12.0 * math.pi * 25.0**2 / (2.0 * 6.928e6)
    assert circle["drift"][2]["position_m"] == pytest.approx([-behind, 0.0, 0.0], abs=1e-7)


def test_the_orbits_numbers_are_those_of_closed_forms() -> None:
    survey = survey_orbit(mission(kepler(e=0.02, i=97.6, j2=True)), 5.0)
    about = survey.about
    assert about["hours"] == pytest.approx(5.0)
    assert about["period_s"] == pytest.approx(2.0 * math.pi * math.sqrt(6.928e6**3 / MU))
    low, high = about["altitude_km"]
    assert low == pytest.approx(6928.0 * 0.98 - 6378.137, abs=0.5)  # as near as the samples come
    assert high == pytest.approx(6928.0 * 1.02 - 6378.137, abs=0.5)
    assert about["elements"]["meaning"] == "mean"
    assert 0.9 < about["node_drift_deg_day"] < 1.1
    assert np.abs(survey.curves.latitude_deg).max() == pytest.approx(180.0 - 97.6, abs=0.1)
    assert ("eccentricity", "0.0200000") in orbit_rows(about)


@pytest.mark.parametrize(("node", "i"), [(0.0, 30.0), (55.0, 80.0), (140.0, 97.0), (250.0, 66.0)])
def test_the_shadow_is_that_of_a_circle_behind_a_cylinder(node: float, i: float) -> None:
    about = survey_orbit(mission(kepler(node=node, i=i)), None).about
    edge = math.sqrt(1.0 - (6378.137 / 6928.0) ** 2) / math.cos(math.radians(about["beta_deg"]))
    share = math.acos(edge) / math.pi if edge < 1.0 else 0.0
    assert about["eclipse_share"] == pytest.approx(share, abs=3e-3)  # 600 samples per revolution, two edges


@pytest.mark.parametrize("days", [-9000.0, 0.3, 9816.0, 15000.0])
def test_sidereal_time_is_erfas(days: float) -> None:
    theirs = erfa.gmst06(2451545.0, days, 2451545.0, days)
    # t^2 is left out.
    assert math.remainder(_sidereal_angle(days) - theirs, 2.0 * math.pi) == pytest.approx(0.0, abs=2e-6)


# --- the command

Run = Callable[..., tuple[int, str, str]]


def test_the_shipped_mission_is_told_and_drawn(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("orbit", "approach", "--hours", "1")
    assert code == 0
    for word in ("semi-major axis", "6928.000 km", "5738.82 s", "in shadow", "free drift", "turns"):
        assert word in out
    assert (tmp_path / "runs/approach/orbit.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "runs/approach/orbit.json").read_text())["name"] == "approach"


@pytest.mark.parametrize("orbit", [kepler(e=0.03, j2=True), ISS], ids=["kepler", "tle"])
def test_other_orbits_as_json(run: Run, tmp_path: Path, orbit: str) -> None:
    (tmp_path / "mine.toml").write_text(text_of(orbit))
    code, out, _ = run("orbit", "mine.toml", "--json", "--out", "there")
    about = json.loads(out)
    assert code == 0
    assert about["files"] == ["there/orbit.json", "there/orbit.png"]
    assert 300.0 < about["altitude_km"][0] < about["altitude_km"][1] < 900.0
    assert len(about["drift"]) == 3


def test_a_short_path_of_the_users_own(run: Run, tmp_path: Path) -> None:
    orbit = reference_orbit(mission(kepler()).file.orbit, 2000.0)
    assert isinstance(orbit, Ephemeris)
    rows = []
    for t in range(0, 2001, 100):
        p, v = np.empty(3), np.empty(3)
        ephemeris_at(orbit.table, float(t), p, v)
        rows.append(f"{{ t_s = {t}.0, position_km = {(p / 1e3).tolist()}, velocity_km_s = {(v / 1e3).tolist()} }}")
    path = f'kind = "path"\nepoch = "2026-11-16T12:00:00Z"\npoint = [{", ".join(rows)}]'
    (tmp_path / "path.toml").write_text(text_of(path))
    code, out, _ = run("orbit", "path.toml", "--json")
    about = json.loads(out)
    assert code == 0
    assert about["hours"] == pytest.approx(2000.0 / 3600.0)
    assert [row["revolutions"] for row in about["drift"]] == [0.25]
    assert about["elements"]["semi_major_axis_km"] == pytest.approx(6928.0, abs=0.01)


def test_bad_input_is_named(run: Run, tmp_path: Path) -> None:
    code, _, err = run("orbit", "nowhere")
    assert (code, "no such scenario; got nowhere; allowed: approach" in err) == (2, True)
    code, _, err = run("orbit", "nowhere.toml")
    assert (code, "cannot read the scenario" in err) == (2, True)
    (tmp_path / "bad.toml").write_text(text_of(ISS.replace("51.6416", "51.6417")))
    code, _, err = run("orbit", "bad.toml")
    assert (code, "bad.toml: orbit.line2: wrong checksum" in err) == (2, True)
