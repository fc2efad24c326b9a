"""Clearances: bounds that never promise too much, memory that never changes the answer, distances as MuJoCo has them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.hall_scene import AXIS_NAMES, build_hall
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, build_cell, builtin
from proxops.lab.coordinates import port_poses
from proxops.lab.shapes import BODIES, FLOOR, MOCKUP, ROBOT1, ROBOT2, Shape, body_poses, hall_shapes
from proxops.maths.pose import pose_from_abc
from proxops.safety.clearance import Clearance
from proxops.safety.fence import fenced
from proxops.safety.levers import lever_table
from proxops.safety.nearness import FENCED, FORMS, fence_clearance
from proxops.safety.pairs import UNWATCHED, WATCHED, body_pairs, watched
from proxops.safety.watched_solids import mockup_boxes

Array = NDArray[np.float64]
Facing = Callable[[float], Array]
COAL = 1e-6  # tolerance of Coal's GJK, m
MUJOCO = 1e-5  # agreement with MuJoCo's own GJK (its tolerance is 1e-6 of the solids' size), m


def anywhere(epos: Cell, rng: np.random.Generator, count: int) -> Array:
    """Axes all over, with robot 1 near enough to matter."""
    lower, upper = np.maximum(epos.axes.lower, -math.pi), np.minimum(epos.axes.upper, math.pi)
    upper[0] = 6.0
    return rng.uniform(lower, upper, (count, 13))


# --- what is watched ---


def test_every_two_bodies_are_watched_or_not_for_a_reason() -> None:
    told = [frozenset(pair) for table in (WATCHED, UNWATCHED) for pair in body_pairs(table)]
    assert len(told) == len(set(told))
    assert set(told) == {frozenset(pair) for pair in itertools.combinations(range(len(BODIES)), 2)}
    assert all(reason for *_, reason in (*WATCHED, *UNWATCHED))


def test_what_can_meet_is_watched() -> None:
    pairs = set(body_pairs(WATCHED))
    assert set(itertools.product(range(ROBOT1, ROBOT2), range(ROBOT2, len(BODIES)))) <= pairs
    for start in (ROBOT1, ROBOT2):
        assert {(FLOOR, start + i) for i in range(2, 9)} <= pairs
        assert {(start + i, start + MOCKUP) for i in range(4)} <= pairs


# --- levers ---


def surface(shape: Shape, rng: np.random.Generator, count: int) -> Array:
    """Random points of a solid's outermost edges, in its body's frame."""
    if shape.kind == "box":
        local = rng.choice((-0.5, 0.5), (count, 3)) * shape.size_m
    else:
        radius, length = shape.size_m
        angle = rng.uniform(0.0, 2.0 * math.pi, count)
        ends = rng.choice((-0.5, 0.5), count) * length
        local = np.stack((radius * np.cos(angle), radius * np.sin(angle), ends), axis=1)
    moved: Array = local @ shape.T_body_shape[:3, :3].T + shape.T_body_shape[:3, 3]
    return moved


def test_no_point_goes_further_than_the_levers_say(epos: Cell) -> None:
    """Steps of all sizes, of one axis and of all; and the levers are not absurdly long: some point comes near."""
    rng, trials = np.random.default_rng(51), 600
    shapes = hall_shapes(epos)
    levers, solids = lever_table(epos, shapes)[:, 1:], shapes[1:]
    bodies = [shape.body for shape in solids]
    clouds = np.stack([surface(shape, rng, 8 * trials).reshape(trials, 8, 3) for shape in solids], axis=1)
    longest = levers == levers.max(axis=1, keepdims=True)
    before, after = np.empty((len(BODIES), 4, 4)), np.empty((len(BODIES), 4, 4))
    tightest = np.zeros(13)
    for trial, q in enumerate(anywhere(epos, rng, trials)):
        step = rng.normal(size=13) * 10.0 ** rng.uniform(-4, 0)
        axis = trial % 14
        if axis < 13:
            step[np.arange(13) != axis] = 0.0
        body_poses(epos.hall, q, before)
        body_poses(epos.hall, q + step, after)
        old, new = (
            clouds[trial] @ poses[bodies, :3, :3].swapaxes(1, 2) + poses[bodies, None, :3, 3]
            for poses in (before, after)
        )
        ways, bounds = np.linalg.norm(new - old, axis=2).max(axis=1), np.abs(step) @ levers
        within = ways <= bounds + 1e-12
        assert within.all(), (solids[int(within.argmin())].name, axis)
        if axis < 13 and abs(step[axis]) < 0.1:
            tightest[axis] = max(tightest[axis], (ways[longest[axis]] / bounds[longest[axis]]).max())
    assert (tightest > 0.5).all(), tightest


# --- memory ---


@pytest.mark.parametrize(("seed", "size"), [(61, 1e-3), (62, 2e-2), (63, 0.3)])
def test_memory_never_changes_the_answer(epos: Cell, hall: Clearance, seed: int, size: float, facing: Facing) -> None:
    """Random walks, slow to jumping, round the docking posture: against all pairs asked exactly."""
    rng = np.random.default_rng(seed)
    remembering, asking = hall.twin(), hall.twin()
    q = facing(1.4)
    inside = 0
    for _ in range(60):
        q = q + rng.normal(size=13) * size * rng.choice((0.0, 1.0), 13)
        enough = rng.choice((0.02, 0.1, 0.3, 1.0, math.inf))
        found = remembering.at(q, enough)
        exact = asking.all_at(q)
        if found.exact:
            assert found.distance_m == pytest.approx(exact.min(), abs=1e-12)
            assert found.distance_m == exact[found.number]
            assert found.pair == hall.names[found.number]
        else:
            assert enough <= found.distance_m <= exact.min() + COAL
        assert found.exact or found.distance_m >= enough
        inside += exact.min() < enough
    assert inside > 5


def test_lower_bounds_hold_for_every_pair_on_a_walk(epos: Cell, hall: Clearance, facing: Facing) -> None:
    """The bounds inside, pair by pair, after every step and without asking again."""
    rng = np.random.default_rng(64)
    remembering, asking = hall.twin(), hall.twin()
    q = facing(1.6)
    remembering.all_at(q)
    for _ in range(40):
        q = q + rng.normal(size=13) * 0.01
        remembering.at(q, -math.inf)  # moves on and asks nothing
        assert (remembering._lower <= asking.all_at(q) + COAL).all()


def test_a_pair_in_its_layer_is_found_as_if_all_were_asked(epos: Cell, hall: Clearance, facing: Facing) -> None:
    rng = np.random.default_rng(65)
    remembering, asking = hall.twin(), hall.twin()
    levers = hall._fixed[0]["levers"][:13, : len(hall.names)]  # the record has room to spare
    q = facing(1.5)
    depths = []
    for _ in range(60):
        q = q + rng.normal(size=13) * 2e-3
        ahead = rng.normal(size=13) * 10.0 ** rng.uniform(-3.0, -1.0)
        found = remembering.nearest_yellow(q, ahead, 0.05)
        layers = np.maximum(np.abs(ahead) @ levers, 0.05)
        depth = asking.all_at(q) - layers
        assert found.layer_m == pytest.approx(layers[found.number], rel=1e-12)
        depths.append(depth.min())
        if depth.min() < 0.0:
            assert found.exact
            assert found.distance_m - found.layer_m == pytest.approx(depth.min(), abs=1e-9)
        else:
            assert found.distance_m >= found.layer_m
    assert min(depths) < 0.0 < max(depths)


def test_axes_that_are_not_numbers_are_red_and_forgotten(epos: Cell, hall: Clearance, facing: Facing) -> None:
    memory = hall.twin()
    q = facing(1.5)
    before = memory.at(q, 1.0)
    for bad in (math.nan, math.inf):
        broken = q.copy()
        broken[0] += 1.0
        broken[5] = bad
        assert memory.at(broken, 1.0)[:3] == (-math.inf, "axes that are not numbers", True)
        assert memory.at(q, 1.0) == before
    assert (memory.all_at(np.full(13, math.nan)) == -math.inf).all()


# --- exact distances ---


def test_distances_are_those_that_mujoco_finds(epos: Cell, hall: Clearance, facing: Facing) -> None:
    """Another library's reading of the same files and its own algorithm, wherever solids are apart; floor and room aside."""
    model = build_hall(epos, 64, 64)
    data = mujoco.MjData(model)
    geoms = {}
    names = {name: name for name in BODIES} | {"rail": "rail/rail", "carriage": "rail/carriage"}
    names |= {"robot1/mockup": "servicer/port", "robot2/mockup": "client/port"}
    for name in BODIES[1:]:
        body = model.body(names[name]).id
        geoms[name] = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and model.geom_group[g] == 0]
    shapes = hall_shapes(epos)
    geom_of = [geoms[s.name.partition("#")[0]][int(s.name.partition("#")[2]) - 1] for s in shapes[1:]]
    pairs = watched(epos, (*shapes, shapes[1], shapes[1]))  # boxes are asked elsewhere
    where = [model.joint(name).qposadr[0] for name in AXIS_NAMES]
    rng = np.random.default_rng(71)
    asked = overlapping = 0
    for q in (epos.home, facing(1.2), *anywhere(epos, rng, 12)):
        ours = hall.all_at(q)
        data.qpos[where] = q
        mujoco.mj_kinematics(model, data)
        for number, pair in enumerate(pairs):
            if number < 4 or pair.kind == FENCED or shapes[pair.first].body == FLOOR:
                continue
            distance = ours[number] + pair.margin_m
            theirs = mujoco.mj_geomDistance(model, data, geom_of[pair.first - 1], geom_of[pair.second - 1], 20.0, None)
            if theirs > 1e-3:
                assert distance == pytest.approx(theirs, abs=MUJOCO), (hall.names[number], q)
                asked += 1
            else:
                assert distance < 2e-3, (hall.names[number], q)
                overlapping += 1
    assert asked > 5000
    assert overlapping > 20


def test_floor_and_walls_as_points_of_the_solids_tell(epos: Cell, hall: Clearance) -> None:
    rng = np.random.default_rng(72)
    shapes, boxes, room = hall_shapes(epos), mockup_boxes(epos), epos.file.zones.room
    pairs = watched(epos, (*shapes, shapes[1], shapes[1]))
    walls = np.array([room.x_m, room.y_m, room.z_m])
    T = np.empty((len(BODIES), 4, 4))
    for q in anywhere(epos, rng, 20):
        found = hall.all_at(q)
        body_poses(epos.hall, q, T)
        for k, port in enumerate(port_poses(epos.hall, q)):
            corners = np.array([p @ port[:3, :3].T + port[:3, 3] for p in itertools.product(*boxes[k].T)])
            inside = min((corners - walls[:, 0]).min(), (walls[:, 1] - corners).min())
            assert found[1 + k] == pytest.approx(inside, abs=1e-12)
        assert found[3] == min(q[0], 25.0 - q[0])
        for number, pair in enumerate(pairs):
            if number < 4 or shapes[pair.first].body != FLOOR:
                continue
            shape = shapes[pair.second]
            assert found[number] == pytest.approx(_posed(shape, T).extent_m()[0][2] + 1.856 - 0.03, abs=1e-7)


@pytest.mark.parametrize("distance_m", [1.5, 1.2])
def test_spacecraft_boxes_face_to_face(epos: Cell, hall: Clearance, distance_m: float, facing: Facing) -> None:
    """Servicer's probe 0.42 m before its port, client's disc 0.715 m before its own, 20 mm of margin each."""
    found = hall.at(facing(distance_m), 0.35)
    assert found.exact
    assert found.pair == "spacecraft box 1 – spacecraft box 2"
    assert found.distance_m == pytest.approx(distance_m - 0.42 - 0.715 - 0.04, abs=COAL)


def test_the_red_boxes_are_those_of_the_mock_ups(epos: Cell) -> None:
    expected = [[[-0.44, -0.21, -0.40], [0.045, 0.21, 0.12]], [[-0.475, -0.45, -0.887], [0.735, 0.45, 0.887]]]
    np.testing.assert_allclose(mockup_boxes(epos), expected, atol=1e-9)


def test_other_boxes_can_be_given(epos: Cell, facing: Facing) -> None:
    smaller = mockup_boxes(epos)
    smaller[1, 1, 0] = 0.2
    found = Clearance(epos, smaller).all_at(facing(1.5))
    assert found[0] == pytest.approx(1.5 - 0.44 - 0.2, abs=COAL)


def test_home_is_clear(epos: Cell, hall: Clearance) -> None:
    assert hall.at(epos.home, math.inf).distance_m > 0.5


def test_ports_anywhere_in_table_3_keep_their_box_in_the_room_but_for_the_fence(epos: Cell) -> None:
    """The farthest corner of a box at the edge of a range, in any attitude. By how much the fence cuts robot 2's ranges is what
    the cell says: 0.34 m of x, 0.94 m of y."""
    room, fence, cut = epos.file.zones.room, epos.file.zones.fence, {}
    for k, (robot, box) in enumerate(zip(epos.robots, mockup_boxes(epos), strict=True), 1):
        reach = np.linalg.norm(np.abs(box).max(axis=0))
        for name in ("x_m", "y_m", "z_m"):
            span, walls = getattr(robot.range, name), getattr(room, name)
            for end, beyond in enumerate((walls[0] - (span[0] - reach), span[1] + reach - walls[1])):
                if beyond > 0.0:
                    assert walls[end] == getattr(fence, name)[end]
                    cut[k, name, end] = round(float(beyond), 2)
    assert cut == {(2, "x_m", 0): 0.34, (2, "y_m", 1): 0.94}


# --- the fence ---


def test_fence_as_points_of_the_solids_tell(epos: Cell, hall: Clearance) -> None:
    rng = np.random.default_rng(73)
    fence, T = np.array([epos.file.zones.fence.x_m, epos.file.zones.fence.y_m]), np.empty((len(BODIES), 4, 4))
    shapes = (*hall_shapes(epos), *hall_shapes(epos)[1:3])
    pairs = [*watched(epos, shapes), *fenced(epos, shapes[:-2], lever_table(epos, shapes[:-2]))]
    assert len(pairs) == len(hall.names)
    for q in anywhere(epos, rng, 30):
        found = hall.all_at(q)
        body_poses(epos.hall, q, T)
        for number, pair in enumerate(pairs):
            if pair.kind == FENCED:
                lower, upper = _posed(shapes[pair.first], T).extent_m()
                inside = min((lower[:2] - fence[:, 0]).min(), (fence[:, 1] - upper[:2]).min())
                assert found[number] == pytest.approx(inside - 0.03, abs=1e-12), hall.names[number]


@pytest.mark.parametrize("form", ["box", "cylinder", "sphere"])
def test_fence_clearance_of_every_form_of_solid(form: str) -> None:
    """Against the ends that the solid says it has."""
    rng, fence = np.random.default_rng(74), np.array([[-1.0, -2.0], [3.0, 1.5]])
    size = {"box": (0.3, 0.5, 0.8), "cylinder": (0.2, 0.9), "sphere": (0.25,)}[form]
    for _ in range(20):
        T = pose_from_abc(*rng.uniform(-1.0, 1.0, 3), *rng.uniform(-3.0, 3.0, 3))
        shape = Shape("", 0, form, size, T)  # type: ignore[arg-type]
        lower, upper = shape.extent_m()
        inside = min((lower[:2] - fence[0]).min(), (fence[1] - upper[:2]).min())
        found = fence_clearance(fence, T, np.array(shape.half_m), FORMS.index(form))
        assert found == pytest.approx(inside, abs=1e-12)


def test_what_is_not_watched_cannot_reach_the_fence(epos: Cell) -> None:
    """Arms in the worst postures that chance and stretched elbows find, along the whole rail."""
    shapes = hall_shapes(epos)
    asked = {pair.first for pair in fenced(epos, shapes, lever_table(epos, shapes))}
    assert {BODIES[shapes[i].body] for i in asked} == {
        "robot2/link_4",
        "robot2/link_5",
        "robot2/link_6",
        "robot2/flange",
    }
    unasked = [
        s for i, s in enumerate(shapes) if i not in asked and s.body >= ROBOT1 and s.body % (ROBOT2 - ROBOT1) != 2
    ]
    assert len(unasked) == 35 - 7 - len(asked) and not any("mockup" in s.name for s in unasked)
    rng, T = np.random.default_rng(75), np.empty((len(BODIES), 4, 4))
    fence = np.array([epos.file.zones.fence.x_m, epos.file.zones.fence.y_m])
    postures = np.concatenate((anywhere(epos, rng, 150), anywhere(epos, rng, 150)))
    postures[150:, [2, 3, 8, 9]] = rng.uniform(-0.1, 0.0, (150, 4))  # stretched out
    postures[:, 0] = rng.choice((0.0, 25.0), 300)
    for q in postures:
        body_poses(epos.hall, q, T)
        for shape in unasked:
            lower, upper = _posed(shape, T).extent_m()
            assert (lower[:2] > fence[:, 0] + 0.03).all() and (upper[:2] < fence[:, 1] - 0.03).all(), shape.name


def _posed(shape: Shape, T: Array) -> Shape:
    return Shape("", 0, shape.kind, shape.size_m, T[shape.body] @ shape.T_body_shape)


def test_a_nearer_fence_is_watched_by_all_that_reach_it(epos: Cell) -> None:
    """The carriage and robot 1 too, where the fence stands across the rail."""
    fence = epos.file.zones.fence.model_copy(update={"x_m": (-3.4, 25.5)})
    zones = epos.file.zones.model_copy(update={"fence": fence})
    nearer = replace(epos, file=epos.file.model_copy(update={"zones": zones}))
    shapes = hall_shapes(epos)
    names = {pair.name for pair in fenced(nearer, shapes, lever_table(epos, shapes))}
    assert {"carriage – fence", "robot1/base_link – fence", "robot1/link_1 – fence", "robot1/link_2 – fence"} <= names
    assert not any("mockup" in name for name in names)


# --- refusals ---


def test_a_room_with_the_floor_in_it_is_refused(epos: Cell) -> None:
    room = epos.file.zones.room.model_copy(update={"z_m": (-1.9, 2.0)})
    zones = epos.file.zones.model_copy(update={"room": room})
    other = build_cell(epos.file.model_copy(update={"zones": zones}), epos.source, epos.tool)
    with pytest.raises(BadInput, match="the floor lies inside the room"):
        Clearance(other)


def test_a_box_inside_out_is_refused(epos: Cell) -> None:
    with pytest.raises(BadInput, match="red box of robot 2"):
        Clearance(epos, mockup_boxes(epos) * np.array([1.0, -1.0])[:, None, None])


def test_a_room_beyond_the_fence_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(builtin("cells", "epos.toml").read_text().replace("y_m = [-3.15, 4.3]", "y_m = [-3.15, 5.1]"))
    with pytest.raises(BadInput, match=r"room\.y_m = \[-3\.15, 5\.1\] reaches beyond the fence"):
        load_cell(path)
