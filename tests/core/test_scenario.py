"""Scenarios are read strictly: what is unknown, of the wrong type or absurd is named with file, key, value and bound."""

from pathlib import Path

import pytest

from proxops.core.errors import BadInput
from proxops.core.ramp import TooShort, ramp_for, ramp_over
from proxops.core.scenario import Scenario, load_scenario, parse_scenario, shipped

SHIPPED = {
    "extepos", "straight", "fly_around", "tumbling", "hold", "far_start", "overshoot", "bad_network", "returning",
}  # fmt: skip

WHOLE = """
name = "mine"
about = "one of everything"
seed = 7
[client]
rate_hz = 100
frame = "eci"
velocities = true
sun = [0.0, 3.0, 4.0]
position_noise_mm = 0.2
[network]
drift = -0.01
loss = 0.01
[bridge]
speed_m_s = 0.5
scale = 0.5
[start]
distance_m = 8.0
direction = [2, 0, 0]
[[motion]]
kind = "hold"
duration_s = 2.0
[[motion]]
kind = "approach"
to_m = 5.0
speed_m_s = 0.1
[[motion]]
kind = "fly_around"
angle_deg = -90.0
rate_deg_s = 3.0
axis = [0, 0, 5]
[[motion]]
kind = "tumble"
duration_s = 20.0
spin_deg_s = 5.0
axis = [1, 0, 0]
soft_s = 3.0
[[motion]]
kind = "silence"
duration_s = 4.0
[[motion]]
kind = "jump"
distance_m = 6.0
attitude_deg = [10, 0, 0]
[[motion]]
kind = "overshoot"
speed_m_s = 0.25
duration_s = 40.0
"""


def parsed(text: str) -> Scenario:
    return parse_scenario(text, Path("mine.toml"))


def changed(old: str, new: str) -> str:
    assert WHOLE.count(old) == 1, old
    return WHOLE.replace(old, new)


def complaint(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parsed(text)
    assert str(caught.value).startswith("mine.toml: ")
    assert caught.value.exit_code == 2
    return str(caught.value)


# --- what is shipped ---


def test_all_are_shipped_and_named_after_their_files() -> None:
    scenarios = shipped()
    assert {s.name for s in scenarios} == SHIPPED
    for scenario in scenarios:
        assert scenario.source.stem == scenario.name
        assert len(scenario.text.splitlines()) < 40
        assert load_scenario(scenario.name) == scenario
        assert load_scenario(scenario.source) == scenario
    assert len({s.seed for s in scenarios}) == len(scenarios)


def test_extepos_is_the_papers_section_4() -> None:
    scenario = load_scenario("extepos")
    assert scenario.client.frame == "eci"
    assert (scenario.network.drift, scenario.network.jitter_ms, scenario.network.loss) == (0.001, 1.0, 0.001)
    assert [leg.segment.kind for leg in scenario.legs] == [
        "approach", "hold", "fly_around", "hold", "approach", "overshoot",
    ]  # fmt: skip
    # 21.5 m at 5 cm/s and half the flank of 1.5 * 5 cm/s over 1 cm/s2; 60 deg at 1 deg/s and one flank of 7.5 s;
    # 3.75 m at 1 cm/s and half a flank of 1.5 s.
    expected = (430 + 3.75) + 30 + (60 + 7.5) + 30 + (375 + 0.75) + 60
    assert scenario.duration_s == pytest.approx(expected, abs=1e-9)


# --- what a good file becomes ---


def test_every_table_arrives() -> None:
    s = parsed(WHOLE)
    assert (s.name, s.seed, s.client.rate_hz, s.client.frame, s.client.velocities) == ("mine", 7, 100.0, "eci", True)
    assert s.client.sun == pytest.approx((0.0, 0.6, 0.8))
    assert s.start.direction == (1.0, 0.0, 0.0)
    assert (s.network.drift, s.network.delay_ms, s.network.burst) == (-0.01, 0.0, 1.0)
    assert (s.bridge.speed_m_s, s.bridge.scale, s.bridge.timeout_ms, s.bridge.phi_deg) == (0.5, 0.5, None, None)
    # flanks: 1.5 * 0.1 / 0.01 = 15 s, 1.5 * 3 / 0.2 = 22.5 s
    assert [leg.duration_s for leg in s.legs] == pytest.approx([2, 30 + 15, 30 + 22.5, 20, 4, 0, 40])
    assert [leg.start_s for leg in s.legs] == pytest.approx([0, 2, 47, 99.5, 119.5, 123.5, 123.5])
    assert [leg.distance_m for leg in s.legs] == pytest.approx([8, 8, 5, 5, 5, 5, 6])
    assert s.duration_s == pytest.approx(163.5)
    assert parsed("duration_s = 12\n" + WHOLE).duration_s == 12.0


def test_a_moving_end_joins_a_moving_start() -> None:
    slower = 'kind = "approach"\nto_m = 6.5\nspeed_m_s = 0.1\nmoving_end = true\n[[motion]]\n'
    text = changed('kind = "approach"\n', slower + 'kind = "approach"\nmoving_start = true\n')
    assert parsed(text).duration_s == pytest.approx(163.5)  # as in one go


# --- every kind of mistake ---


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "mine"', 'name = "Mine Own"', ("name", "Mine Own")),
        ('name = "mine"\n', "", ("name: is missing",)),
        ("seed = 7", "seed = -1", ("seed: out of range", "got -1", "0 … ")),
        ("seed = 7", "seed = 1.5", ("seed", "got 1.5")),
        ("seed = 7", "seed = true", ("seed: not a number", "got True")),
        ("seed = 7", "sed = 7", ("sed: unknown key", "got 7", "seed")),
        ("seed = 7", "seed = 7\nduration_s = 0", ("duration_s", "got 0", "0.1 … 86400")),
        ("rate_hz = 100", "rate_hz = 39.9", ("client.rate_hz: out of range", "got 39.9", "40 … 1000")),
        ("rate_hz = 100", 'rate_hz = "fast"', ("client.rate_hz: not a number", "got fast", "40 … 1000")),
        ("rate_hz = 100", "rate_hz = nan", ("client.rate_hz", "got nan", "40 … 1000")),
        ("rate_hz = 100", "rate = 100", ("client.rate: unknown key", "got 100", "rate_hz, frame")),
        ('frame = "eci"', 'frame = "moon"', ("client.frame", "got moon", "'lab', 'eci' or 'lvlh'")),
        ("velocities = true", "velocities = 1", ("client.velocities", "neither true nor false", "got 1")),
        ("[0.0, 3.0, 4.0]", "[0.0, 0.0, 0.0]", ("client.sun: no direction", "0.0, 0.0", "1e-6")),
        ("[0.0, 3.0, 4.0]", "[0.0, 3.0]", ("client.sun", "missing")),
        ("[0.0, 3.0, 4.0]", '[0.0, 3.0, "4"]', ("client.sun 3: not a number", "got 4")),
        ("[0.0, 3.0, 4.0]", "[0.0, inf, 4.0]", ("client.sun 2", "finite", "got inf")),
        ("position_noise_mm = 0.2", "position_noise_mm = -1", ("client.position_noise_mm", "got -1", "0 … 1000")),
        ("drift = -0.01", "drift = -0.021", ("network.drift", "got -0.021", "-0.02 … 0.02")),
        ("loss = 0.01", "loss = 1.0", ("network.loss", "got 1.0", "0 … 0.9")),
        ("loss = 0.01", "burst = 0.5", ("network.burst", "got 0.5", "1 … 1000")),
        ("loss = 0.01", "duplicate = 1.1", ("network.duplicate", "got 1.1", "0 … 1")),
        ("loss = 0.01", "reorder_ms = -1", ("network.reorder_ms", "got -1", "0 … 10000")),
        ("scale = 0.5", "scale = 0", ("bridge.scale", "got 0", "0.001 … 1")),
        ("scale = 0.5", "scale = 1.5", ("bridge.scale", "got 1.5", "0.001 … 1")),
        ("scale = 0.5", "timeout_ms = 1", ("bridge.timeout_ms", "got 1", "4 … 10000")),
        ("distance_m = 8.0", "distance_m = 0.0", ("start.distance_m", "got 0.0", "0.01 … 100000")),
        ("distance_m = 8.0\n", "", ("start.distance_m: is missing",)),
        ("direction = [2, 0, 0]", "attitude_deg = [0, 400, 0]", ("start.attitude_deg 2", "got 400", "-360 … 360")),
        ('kind = "hold"', 'kind = "wait"', ("motion 1.kind", "got wait", "'hold', 'approach'")),
        ('kind = "hold"\n', "", ("motion 1.kind: is missing",)),
        ("duration_s = 2.0", "duration_s = -2.0", ("motion 1 (hold).duration_s", "got -2.0", "0.001 … 86400")),
        ("duration_s = 2.0", "for_s = 2.0", ("motion 1 (hold).for_s: unknown key", "got 2.0", "kind, duration_s")),
        ("duration_s = 2.0", "duration_s = 2.0\nspeed_m_s = 1", ("motion 1 (hold).speed_m_s: unknown key",)),
        ("to_m = 5.0", "to_m = -5.0", ("motion 2 (approach).to_m", "got -5.0", "0 … 100000")),
        ("to_m = 5.0\n", "", ("motion 2 (approach).to_m: is missing",)),
        ("to_m = 5.0", 'to_m = 5.0\nmoving_start = "yes"', ("motion 2 (approach).moving_start", "got yes")),
        ("to_m = 5.0", "to_m = 5.0\nacceleration_m_s2 = 0", ("(approach).acceleration_m_s2", "got 0", "0.0001 … 10")),
        ("angle_deg = -90.0", "angle_deg = 4000", ("motion 3 (fly_around).angle_deg", "got 4000", "-3600 … 3600")),
        ("rate_deg_s = 3.0", "rate_deg_s = 0", ("motion 3 (fly_around).rate_deg_s", "got 0", "0.001 … 90")),
        ("axis = [0, 0, 5]\n", "", ("motion 3 (fly_around).axis: is missing",)),
        ("soft_s = 3.0", "soft_s = 10.5", ("motion 4 (tumble).soft_s", "got 10.5", "0 … 10")),
        ("soft_s = 3.0", "nutation_deg = 85", ("motion 4 (tumble).nutation_deg", "got 85", "0 … 80")),
        ("soft_s = 3.0", "inertia_ratio = 2.5", ("motion 4 (tumble).inertia_ratio", "got 2.5", "0.01 … 2")),
        ("distance_m = 6.0", "distance_m = 1e6", ("motion 6 (jump).distance_m", "got 1000000.0", "0.01 … 100000")),
        ("speed_m_s = 0.25", "speed_m_s = 0", ("motion 7 (overshoot).speed_m_s", "got 0", "0.0001 … 100")),
        ("to_m = 5.0", "to_m = 5.0\nmoving_start = true", ("motion 2 (approach)", "-0.1 m/s after 0 m/s", "moving_start")),
        ("to_m = 5.0", "to_m = 5.0\nmoving_end = true", ("motion 3 (fly_around)", "0 m/s after -0.1 m/s", "moving_end")),
        ("[start]", "[begin]", ("begin: unknown key", "start")),
        ("[network]", "[[network]]", ("network",)),
        ("seed = 7", "seed = = 7", ("not TOML", "line 4")),
    ],
)  # fmt: skip
def test_mistakes_are_named(old: str, new: str, words: tuple[str, ...]) -> None:
    text = complaint(changed(old, new))
    for word in words:
        assert word in text, text


def test_a_moving_start_needs_room_to_stop() -> None:
    head = (
        'name = "a"\nabout = "b"\nseed = 0\n[start]\ndistance_m = 8\n[[motion]]\nkind = "approach"\nspeed_m_s = 0.2\n'
    )
    text = complaint(head + "to_m = 7\nmoving_start = true")
    assert "motion 1 (approach)" in text
    assert "got 1 m" in text
    assert "3 m or more" in text  # half of 0.2 m/s times the flank of 1.5 * 0.2 / 0.01 = 30 s
    assert parsed(head + "to_m = 5\nmoving_start = true").duration_s == pytest.approx(30.0)


def test_motion_must_take_time() -> None:
    head = 'name = "a"\nabout = "b"\nseed = 0\n[start]\ndistance_m = 8\n[[motion]]\nkind = "jump"\ndistance_m = 3\n'
    assert "got 0 s; allowed: 0.1 … 86400 s" in complaint(head)
    assert "motion: " in complaint(head.partition("[[")[0])


def test_names_and_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no such scenario; got extpos; allowed: .*extepos.*"):
        load_scenario("extpos")
    with pytest.raises(BadInput, match="no such scenario"):
        load_scenario("../scenarios/extepos")
    with pytest.raises(BadInput, match=r"nowhere\.toml: cannot read"):
        load_scenario(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(BadInput, match=r"latin\.toml: the scenario is not text in UTF-8; got byte 0xe9 at offset 8"):
        load_scenario(str(tmp_path / "latin.toml"))


def test_nothing_changes_after_loading() -> None:
    scenario = load_scenario("hold")
    for change in (lambda: setattr(scenario, "seed", 3), lambda: setattr(scenario.client, "rate_hz", 1.0)):
        with pytest.raises((AttributeError, ValueError), match=r"frozen|cannot assign"):
            change()


# --- ramps ---


def test_ramps_cover_their_way() -> None:
    for way in (0.0, 1e-6, 0.1, 0.3, 5.0):
        ramp = ramp_over(way, 0.1, 0.05)
        assert ramp.way == pytest.approx(way, abs=1e-15)
        assert ramp.rate <= 0.1
        assert ramp.cruise_s >= 0.0
        if ramp.rise_s:
            assert 1.5 * ramp.rate / ramp.rise_s == pytest.approx(0.05)  # the steepest point of 3x^2 - 2x^3
    assert ramp_over(1.0, 0.1, 0.05, moving_start=True, moving_end=True).duration_s == pytest.approx(10.0)
    assert ramp_for(20.0, 1.0, 3.0).way == pytest.approx(17.0)
    with pytest.raises(TooShort) as short:
        ramp_over(0.1, 0.1, 0.05, moving_end=True)
    assert short.value.needed == pytest.approx(0.15)
