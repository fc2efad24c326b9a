"""The cell file is read strictly: what is unknown, of the wrong type or absurd stops the run with file, key and value."""

import copy
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.coordinates import OK, axes_from_values, flange_poses, values_from_axes
from proxops.lab.user_tool import UserTool

EPOS = builtin("cells", "epos.toml").read_text()


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """The shipped cell with one thing changed (its first occurrence), in a folder of its own."""
    assert old in EPOS, f"epos.toml no longer holds {old!r}"
    path = tmp_path / "mine.toml"
    path.write_text(EPOS.replace(old, new, 1))
    return path


def complaint(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        load_cell(path)
    text = str(caught.value)
    assert str(path) in text
    assert caught.value.exit_code == 2
    return text


# --- the shipped cell against the paper ---


def test_epos_holds_the_papers_numbers(cell: Cell) -> None:
    h = cell.hall[0]
    # Table 3, both robots: x y z in m, roll pitch yaw in deg.
    np.testing.assert_allclose(h["range_lower"][0], [-2.5, -2.5, -0.5, *np.radians([-300, -90, -90])])
    np.testing.assert_allclose(h["range_upper"][0], [24.5, 2.5, 1.2, *np.radians([300, 90, 90])])
    np.testing.assert_allclose(h["range_lower"][1], [-2.5, -1.0, -0.5, -np.inf, *np.radians([-90, -90])])
    np.testing.assert_allclose(h["range_upper"][1], [2.5, 4.0, 1.5, np.inf, *np.radians([90, 90])])
    assert h["port_speed"] == 2.0
    assert h["port_rate"] == pytest.approx(math.pi)
    # Section 2.2.4: rail 0 … 25 m at 1.45 m/s; axes 4 and 6 of robot 2 endless, none of robot 1.
    assert (cell.axes.lower[0], cell.axes.upper[0], cell.axes.speed[0]) == (0.0, 25.0, 1.45)
    endless = ~np.isfinite(cell.axes.upper)
    assert np.flatnonzero(endless).tolist() == [10, 12]
    assert not np.isfinite(cell.axes.lower[endless]).any()
    np.testing.assert_allclose(cell.axes.upper[4:7], np.radians([350, 125, 350]))
    # robots.yaml speeds, in the order rail, robot 1, robot 2.
    np.testing.assert_allclose(np.degrees(cell.axes.speed[1:7]), [110, 110, 100, 170, 170, 238])
    np.testing.assert_allclose(np.degrees(cell.axes.speed[7:]), [86, 84, 84, 100, 110, 184])
    np.testing.assert_allclose(h["lengths1"], [0.35, 0.75, 1.25, -0.055, 1.0, 0.21])
    np.testing.assert_allclose(h["lengths2"], [0.35, 0.75, 1.25, -0.055, 1.1, 0.23])


def test_shares_are_applied_to_the_guards_limits_only(cell: Cell, tmp_path: Path) -> None:
    path = changed(tmp_path, "speed_share = 1.0", "speed_share = 0.5")
    slow = load_cell(path)
    np.testing.assert_allclose(slow.hall[0]["speed"], 0.5 * cell.axes.speed)
    np.testing.assert_allclose(slow.axes.speed, cell.axes.speed)
    np.testing.assert_allclose(cell.hall[0]["acceleration"], 0.9 * cell.axes.acceleration)


def test_the_kernels_see_the_inverse_of_the_tools(cell: Cell) -> None:
    h = cell.hall[0]
    for n in ("1", "2"):
        np.testing.assert_allclose(h[f"port{n}"] @ h[f"port{n}_inv"], np.eye(4), atol=1e-15)


def test_plate_axes_are_those_of_figure_24(cell: Cell) -> None:
    for name, abc in (("plate1", (0, 90, -90)), ("plate2", (0, -90, -90))):
        np.testing.assert_allclose(
            cell.hall[0][name], Rotation.from_euler("ZYX", abc, degrees=True).as_matrix(), atol=1e-15
        )


# --- strictness ---


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "epos"', 'name = "epos"\ncolour = "blue"', ("colour", "unknown key", "blue")),
        ("home_m = 6.0", "home_m = 6.0\nhome_mm = 6000", ("rail.home_mm", "6000")),
        ("port_rate_deg_s", "port_rate_rad_s", ("limits.port_rate_", )),
        ("dead_time_ms = 8.0,", "dead_time_ms = 8.0, delay = 3,", ("rail.servo.delay", "3")),
        ('what = "servicer mock-up', 'colour = "red", what = "servicer mock-up', ("robot1.payload.colour", "red")),
        ("home_m = 6.0", "", ("rail.home_m", "is missing")),
        ("[rail] ", "[rails] ", ("rail",)),
        ('kind = "estop"', 'kind = "window"', ("interlock 1.kind", "window", "estop")),
        ('name = "estop_control_room"', 'name = "E-Stop 1"', ("interlock 1.name", "E-Stop 1")),
    ],
)  # fmt: skip
def test_unknown_and_missing_keys(tmp_path: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    text = complaint(changed(tmp_path, old, new))
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("home_m = 6.0", "home_m = [6.0]", "rail.home_m"),
        ("home_m = 6.0", 'home_m = "six"', "rail.home_m"),
        ("home_m = 6.0", 'home_m = "6.0"', "rail.home_m"),
        ("home_m = 6.0", "home_m = true", "rail.home_m"),
        ("origin_lab_m = [0.0, 0.0, -1.5]", "origin_lab_m = [0.0, -1.5]", "rail.origin_lab_m"),
        ("origin_lab_m = [0.0, 0.0, -1.5]", "origin_lab_m = [0.0, 0.0, -1.5, 0.0]", "rail.origin_lab_m"),
        ("x_m = [-2.5, 24.5]", "x_m = 24.5", "robot1.range.x_m"),
        ('roll_deg = "endless"', 'roll_deg = "forever"', "robot2.range.roll_deg"),
        ('endless = ["a4", "a6"]', 'endless = ["a4", "a7"]', "robot2.endless"),
        ('endless = ["a4", "a6"]', 'endless = "a4"', "robot2.endless"),
        ('model = "kl_1500.urdf"', "model = 1500", "rail.model"),
        ("mount = { on = \"rail\"", "mount = { on = \"ceiling\"", "robot1.mount.on"),
        ("sync_timeout_ms = 20.0", 'sync_timeout_ms = "20"', "limits.sync_timeout_ms"),
        ("speed_share = 1.0", "speed_share = true", "limits.speed_share"),
    ],
)  # fmt: skip
def test_wrong_types(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert key in complaint(changed(tmp_path, old, new))


ABSURD = [
    ("port_speed_m_s = 2.0", "port_speed_m_s = 0.0", "limits.port_speed_m_s"),
    ("port_speed_m_s = 2.0", "port_speed_m_s = -2.0", "limits.port_speed_m_s"),
    ("port_rate_deg_s = 180.0", "port_rate_deg_s = inf", "limits.port_rate_deg_s"),
    ("acceleration_share = 0.9", "acceleration_share = 1.1", "limits.acceleration_share"),
    ("acceleration_share = 0.9", "acceleration_share = nan", "limits.acceleration_share"),
    ("speed_share = 1.0", "speed_share = 0.0", "limits.speed_share"),
    ("wrist_margin_deg = 0.0", "wrist_margin_deg = 45.0", "limits.wrist_margin_deg"),
    ("wrist_margin_deg = 0.0", "wrist_margin_deg = nan", "limits.wrist_margin_deg"),
    ("sync_timeout_ms = 20.0", "sync_timeout_ms = 1e6", "limits.sync_timeout_ms"),
    ("sync_timeout_ms = 20.0", "sync_timeout_ms = nan", "limits.sync_timeout_ms"),
    ("dead_time_ms = 8.0", "dead_time_ms = -1.0", "rail.servo.dead_time_ms"),
    ("dead_time_ms = 8.0", "dead_time_ms = 101.0", "rail.servo.dead_time_ms"),
    ("dead_time_ms = 8.0", "dead_time_ms = nan", "rail.servo.dead_time_ms"),
    ("time_constant_ms = 40.0", "time_constant_ms = nan", "rail.servo.time_constant_ms"),
    ("time_constant_ms = 40.0", "time_constant_ms = 0.0", "rail.servo.time_constant_ms"),
    ("following_error_limit = 0.10", "following_error_limit = nan", "rail.servo.following_error_limit"),
    ("repeatability_mm = 0.02", "repeatability_mm = -0.1", "rail.repeatability_mm"),
    ("repeatability_mm = 0.02", "repeatability_mm = inf", "rail.repeatability_mm"),
    ("repeatability_mm = 0.02", "repeatability_mm = nan", "rail.repeatability_mm"),
    ("mass_kg = 47.0", "mass_kg = -47.0", "robot1.plate.mass_kg"),
    ("mass_kg = 47.0", "mass_kg = nan", "robot1.plate.mass_kg"),
    ("inertia_kgm2 = [19.7, 1.0, 20.3]", "inertia_kgm2 = [19.7, nan, 20.3]", "robot1.plate.inertia_kgm2"),
    ("inertia_kgm2 = [19.7, 1.0, 20.3]", "inertia_kgm2 = [19.7, -1.0, 20.3]", "robot1.plate.inertia_kgm2"),
    ("across_m = 0.27", "across_m = inf", "robot1.rating.across_m"),
    ("load_kg = 100.0", "load_kg = 0.0", "robot1.rating.load_kg"),
    ("origin_lab_m = [0.0, 0.0, -1.5]", "origin_lab_m = [nan, 0.0, -1.5]", "rail.origin_lab_m"),
    ("x_m = [-2.5, 24.5]", "x_m = [24.5, -2.5]", "robot1.range"),
    ("x_m = [-2.5, 24.5]", "x_m = [nan, 24.5]", "robot1.range.x_m"),
    ("roll_deg = [-300.0, 300.0]", "roll_deg = [300.0, 300.0]", "robot1.range"),
    ("yaw_deg = 180.0", "yaw_deg = nan", "robot1.mount.yaw_deg"),
]


@pytest.mark.parametrize(("old", "new", "key"), ABSURD, ids=[new for _, new, _ in ABSURD])
def test_absurd_values(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert key in complaint(changed(tmp_path, old, new))


@pytest.mark.parametrize(
    ("old", "new", "axis", "value"),
    [
        ("home_m = 6.0", "home_m = 26.0", "rail", "26"),
        (
            "home_deg = [0.0, -90.0, 90.0, 0.0, 0.0, 0.0]",
            "home_deg = [0.0, 10.0, 90.0, 0.0, 0.0, 0.0]",
            "robot1_a2",
            "10",
        ),
    ],
)
def test_a_home_outside_the_axis_range_is_named_with_value_and_bound(
    tmp_path: Path, old: str, new: str, axis: str, value: str
) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(BadInput) as caught:
        load_cell(path)
    assert axis in str(caught.value)
    assert value in str(caught.value)
    assert caught.value.bound


def test_two_interlocks_of_one_name_are_refused(tmp_path: Path) -> None:
    """Only one of them could ever be set: the other would be an input that nobody watches."""
    assert "estop_robot1" in complaint(changed(tmp_path, 'name = "estop_robot2"', 'name = "estop_robot1"'))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "name"),
        (b"name = ", "not TOML"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b"[rail]\n[rail]\n", "not TOML"),
        (b"\0", "not TOML"),
    ],
)
def test_files_that_are_no_cells(tmp_path: Path, content: bytes, word: str) -> None:
    path = tmp_path / "cell.toml"
    path.write_bytes(content)
    assert word in complaint(path)


def test_no_file(tmp_path: Path) -> None:
    assert "cannot read" in complaint(tmp_path / "none.toml")
    assert "cannot read" in complaint(tmp_path)


def test_every_number_of_the_file_is_guarded_against_nan(tmp_path: Path) -> None:
    """Walk the whole file: no number may be NaN or infinite without a complaint."""
    table = tomllib.loads(EPOS)
    slipped = []
    for path, _ in _numbers(table):
        for bad in ("nan", "inf"):
            spoilt = copy.deepcopy(table)
            _put(spoilt, path, float(bad))
            file = tmp_path / "cell.toml"
            file.write_text(_toml(spoilt))
            try:
                load_cell(file)
            except BadInput:
                continue
            slipped.append(f"{'.'.join(map(str, path))} = {bad}")
    assert not slipped


def _numbers(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], float]]:
    if isinstance(node, dict):
        return [found for key, child in node.items() for found in _numbers(child, (*path, key))]
    if isinstance(node, list):
        return [found for k, child in enumerate(node) for found in _numbers(child, (*path, k))]
    return [(path, node)] if isinstance(node, float) else []


def _put(node: Any, path: tuple[Any, ...], value: float) -> None:
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value


def _toml(node: Any) -> str:
    """Inline TOML of a table: enough for a cell."""
    return "\n".join(f"{key} = {_value(child)}" for key, child in node.items())


def _value(node: Any) -> str:
    if isinstance(node, dict):
        return "{ " + ", ".join(f"{key} = {_value(child)}" for key, child in node.items()) + " }"
    if isinstance(node, list):
        return "[" + ", ".join(_value(child) for child in node) + "]"
    return f'"{node}"' if isinstance(node, str) else repr(node)


# --- what is only drawn ---


def test_every_input_of_the_shipped_cell_has_a_place_of_its_own_on_the_plan(cell: Cell) -> None:
    assert cell.file.plan is not None
    rooms = {room.name: room for room in cell.file.plan.rooms}
    places = {i.name: i.at_lab_m for i in cell.file.interlock}
    assert None not in places.values()
    for name in ("control room", "preparation room"):
        assert rooms[name].holds(*places[f"estop_{name.replace(' ', '_')}"])
        door = places[f"door_{name.replace(' ', '_')}"]
        assert rooms[name].holds(*door)
        assert rooms["hall"].holds(*door)  # in the wall between the two
    points = np.array(list(places.values()))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 9.0 * np.eye(len(points))
    assert apart.min() > 0.8  # m: each can be clicked on


PLACE = "at_lab_m = [-2.5, 6.2]"
HALL = 'name = "hall", x_m = [-4.2, 29.0]'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (PLACE, "at_lab_m = [-2.5]", ("interlock 1.at_lab_m",)),
        (PLACE, "at_lab_m = [-2.5, 6.2, 0.0]", ("interlock 1.at_lab_m",)),
        (PLACE, 'at_lab_m = ["-2.5", 6.2]', ("interlock 1.at_lab_m",)),
        (PLACE, "at_lab_m = [-2500.0, 6200.0]", ("estop_control_room", "none of the plan's rooms")),
        (HALL, 'name = "hall", x_m = [29.0, -4.2]', ("plan.rooms 1", "from must be below to")),
        (HALL, 'name = "", x_m = [-4.2, 29.0]', ("plan.rooms 1.name",)),
        (HALL, 'name = "control room", x_m = [-4.2, 29.0]', ("plan.rooms", "named twice")),
        (HALL, 'name = "hall", z_m = [0.0, 1.0], x_m = [-4.2, 29.0]', ("plan.rooms 1.z_m",)),
    ],
)
def test_a_plan_that_cannot_be(tmp_path: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    text = complaint(changed(tmp_path, old, new))
    for word in words:
        assert word in text


def test_plan_and_places_may_be_left_out(tmp_path: Path) -> None:
    rooms = EPOS[EPOS.index("[plan]") : EPOS.index("]\n\n", EPOS.index("[plan]")) + 2]
    path = changed(tmp_path, rooms, "")
    path.write_text("".join(line for line in path.read_text().splitlines(True) if not line.startswith("at_lab_m")))
    mine = load_cell(path)
    assert mine.file.plan is None
    assert all(i.at_lab_m is None for i in mine.file.interlock)


CLIENT = 'what = "client mock-up"'


def test_a_drawing_of_a_mock_up_beside_the_cell(tmp_path: Path, cell: Cell) -> None:
    assert cell.cad == (None, None)
    (tmp_path / "client.STL").write_bytes(b"solid\nendsolid\n")
    more = 'cad = "client.STL", cad_scale = 0.001, cad_abc_deg = [90.0, 0.0, 0.0], cad_xyz_m = [0.0, 0.0, -0.5]'
    mine = load_cell(changed(tmp_path, CLIENT, f"{CLIENT}, {more}"))
    assert mine.cad == (None, tmp_path / "client.STL")
    payload = mine.file.robot2.payload
    assert (payload.cad_scale, payload.cad_abc_deg, payload.cad_xyz_m) == (0.001, (90.0, 0.0, 0.0), (0.0, 0.0, -0.5))
    np.testing.assert_array_equal(mine.hall, cell.hall)  # nothing is computed from it


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('cad = "nowhere.glb"', ("robot2.payload.cad", "nowhere.glb", "beside the cell file")),
        ('cad = "client.step"', ("robot2.payload.cad", "client.step")),
        ('cad = "../client.stl"', ("robot2.payload.cad",)),
        ('cad = "/etc/client.stl"', ("robot2.payload.cad",)),
        ('cad = "a\\\\client.stl"', ("robot2.payload.cad",)),
        ('cad = "client.stl", cad_scale = 0.0', ("robot2.payload.cad_scale",)),
        ('cad = "client.stl", cad_scale = nan', ("robot2.payload.cad_scale",)),
        ('cad = "client.stl", cad_xyz_m = [0.0, inf, 0.0]', ("robot2.payload.cad_xyz_m",)),
        ('cad = "client.stl", cad_abc_deg = [0.0, 0.0]', ("robot2.payload.cad_abc_deg",)),
        ("cad_scale = 0.001", ("robot2.payload", "cad_scale", "cad names none")),
    ],
)
def test_a_drawing_that_cannot_be(tmp_path: Path, more: str, words: tuple[str, ...]) -> None:
    (tmp_path / "client.stl").write_bytes(b"solid\nendsolid\n")
    text = complaint(changed(tmp_path, CLIENT, f"{CLIENT}, {more}"))
    for word in words:
        assert word in text


def test_a_folder_is_no_drawing(tmp_path: Path) -> None:
    (tmp_path / "client.obj").mkdir()
    assert "client.obj" in complaint(changed(tmp_path, CLIENT, f'{CLIENT}, cad = "client.obj"'))


def test_loaded_cells_do_not_change(cell: Cell) -> None:
    with pytest.raises(Exception, match="frozen"):
        cell.file.rail.home_m = 7.0  # type: ignore[misc]


# --- a user's own cell ---


def test_a_cell_with_its_own_robot_beside_it(tmp_path: Path) -> None:
    """A longer forearm (1.5 m, KR 210 L150-2) under a new name beside the cell file: reach and kinematics follow it, the
    other models still come from the package."""
    urdf = builtin("models", "kr_240_2.urdf").read_text()
    assert '<origin xyz="1.1 0 0"' in urdf
    (tmp_path / "long_arm.urdf").write_text(urdf.replace('<origin xyz="1.1 0 0"', '<origin xyz="1.5 0 0"'))
    path = changed(tmp_path, 'model = "kr_240_2.urdf"', 'model = "long_arm.urdf"')
    mine = load_cell(path)
    np.testing.assert_allclose(mine.hall[0]["lengths2"], [0.35, 0.75, 1.25, -0.055, 1.5, 0.23])
    np.testing.assert_allclose(mine.hall[0]["lengths1"], [0.35, 0.75, 1.25, -0.055, 1.0, 0.21])
    _, T_lab_flange2 = flange_poses(mine.hall, mine.home)
    np.testing.assert_allclose(T_lab_flange2[:3, 3], (2.08, 1.5, 0.445), atol=1e-12)  # robots.yaml: 2.08 at home
    _round_trip(mine)


def test_a_model_beside_the_cell_wins_over_a_shipped_one(tmp_path: Path) -> None:
    urdf = builtin("models", "kl_1500.urdf").read_text()
    (tmp_path / "kl_1500.urdf").write_text(urdf.replace('upper="25"', 'upper="12"'))
    (tmp_path / "mine.toml").write_text(EPOS)
    assert load_cell(tmp_path / "mine.toml").axes.upper[0] == 12.0


def test_a_model_that_is_nowhere(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.urdf"):
        load_cell(changed(tmp_path, 'model = "kr_240_2.urdf"', 'model = "none.urdf"'))


def test_a_hall_with_robots_placed_otherwise(tmp_path: Path) -> None:
    """Robot 2 at (-3, -2, -1), yawed by 90 deg; the rail begins at x = 1 with robot 1 looking along +x."""
    path = changed(
        tmp_path, "yaw_deg = 0.0, xyz_lab_m = [0.0, 1.5, -1.5]", "yaw_deg = 90.0, xyz_lab_m = [-3.0, -2.0, -1.0]"
    )
    path.write_text(
        path.read_text()
        .replace("yaw_deg = 180.0", "yaw_deg = 0.0")
        .replace("origin_lab_m = [0.0, 0.0, -1.5]", "origin_lab_m = [1.0, 0.0, -1.5]")
    )
    mine = load_cell(path)
    T_lab_flange1, T_lab_flange2 = flange_poses(mine.hall, mine.home)
    np.testing.assert_allclose(T_lab_flange1[:3, 3], (1.0 + 6.0 + 1.56, 0.0, 0.445), atol=1e-12)
    np.testing.assert_allclose(T_lab_flange2[:3, 3], (-3.0, -2.0 + 1.68, 0.945), atol=1e-12)  # base x is lab y
    np.testing.assert_allclose(T_lab_flange2[:3, 2], (0.0, 1.0, 0.0), atol=1e-12)
    _round_trip(mine)


@pytest.mark.parametrize("yaw", [90.0, 170.0, -45.0])
def test_a_robot_that_looks_across_the_rail_works_or_is_refused(tmp_path: Path, yaw: float) -> None:
    """``data lin`` shares x between rail and arm. If only ±x can be done, other yaws must not load."""
    path = changed(tmp_path, "yaw_deg = 180.0", f"yaw_deg = {yaw}")
    try:
        mine = load_cell(path)
    except BadInput as refused:
        assert "yaw" in str(refused)
    else:
        _round_trip(mine)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            'mount = { on = "rail", yaw_deg = 180.0 }',
            'mount = { on = "rail", yaw_deg = 180.0, xyz_lab_m = [9.0, 9.0, 9.0] }',
        ),
        (
            'mount = { on = "rail", yaw_deg = 180.0 }',
            'mount = { on = "floor", yaw_deg = 180.0, xyz_lab_m = [5.0, 0.0, -1.5] }',
        ),
        ('mount = { on = "floor", yaw_deg = 0.0', 'mount = { on = "rail", yaw_deg = 0.0'),
    ],
    ids=["xyz of the robot on the rail", "robot 1 on the floor", "robot 2 on the rail"],
)
def test_a_mount_that_would_be_passed_over_is_refused(tmp_path: Path, cell: Cell, old: str, new: str) -> None:
    """Either the hall changes with the file, or the file is refused; never accepted without effect."""
    try:
        mine = load_cell(changed(tmp_path, old, new))
    except BadInput:
        return
    q = np.array([7.0, *cell.home[1:]])
    ours, theirs = flange_poses(mine.hall, q), flange_poses(cell.hall, q)
    assert not all(np.allclose(a, b) for a, b in zip(ours, theirs, strict=True)), "the mount had no effect"


def test_a_tool_of_ones_own() -> None:
    tool = UserTool(np.eye(4), np.eye(4), "none")
    mine = load_cell(tool=tool)
    assert mine.tool is tool
    np.testing.assert_array_equal(mine.hall[0]["port2"], np.eye(4))


def _round_trip(cell: Cell) -> None:
    """Poses in the lab lead back to the axes they came from."""
    rng = np.random.default_rng(31)
    v, back = np.empty(22), np.empty(13)
    for _ in range(50):
        q = cell.home + rng.uniform(-0.3, 0.3, 13) + np.array([0.0, *[0, 0, 0, 0, 0.6, 0] * 2])
        for system in System:
            values_from_axes(cell.hall, int(system), q, np.array([0, 0, 0, 0, 0, 0, 1.0]), v)
            code, _ = axes_from_values(cell.hall, int(system), v, q + 0.01, False, back)
            assert code == OK
            np.testing.assert_allclose(back, q, atol=1e-9, err_msg=system.name)


# --- the watchdog's patience ---


def test_the_links_patience_is_three_cycles_unless_the_cell_says_otherwise(cell: Cell, tmp_path: Path) -> None:
    assert cell.file.link.patience_cycles == 10  # of the shipped virtual hall
    assert load_cell(changed(tmp_path, "patience_cycles = 10", "")).file.link.patience_cycles == 3
    assert load_cell(changed(tmp_path, "patience_cycles = 10", "patience_cycles = 25")).file.link.patience_cycles == 25


@pytest.mark.parametrize("value", ["1", "251", "3.0", "true", '"3"', "nan"])
def test_an_absurd_patience_is_refused(tmp_path: Path, value: str) -> None:
    said = complaint(changed(tmp_path, "patience_cycles = 10", f"patience_cycles = {value}"))
    assert "link.patience_cycles" in said


@pytest.mark.parametrize("value", ["7.9", "1001", "nan", "true"])
def test_an_absurd_stall_is_refused(tmp_path: Path, value: str) -> None:
    assert "link.stall_ms" in complaint(changed(tmp_path, "patience_cycles = 10", f"stall_ms = {value}"))


def test_a_stall_is_forty_milliseconds_unless_the_cell_says_otherwise(cell: Cell, tmp_path: Path) -> None:
    assert cell.file.link.stall_ns == 40_000_000
    assert load_cell(changed(tmp_path, "patience_cycles = 10", "stall_ms = 250")).file.link.stall_ns == 250_000_000


def test_a_misspelt_key_of_the_link_is_refused(tmp_path: Path) -> None:
    assert "link.patience" in complaint(changed(tmp_path, "patience_cycles = 10", "patience = 3"))
