"""A log for Foxglove: frames and solids read by MCAP's own library, against the hall's kinematics and shapes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from numpy.typing import NDArray

from proxops.console.hall_description import describe_hall
from proxops.core.frames import FRAMES
from proxops.core.messages import AXES, EVENT_DTYPE, PERIOD_NS, QUATERNION
from proxops.ground.blocks import Block, byte_rows
from proxops.ground.due_rows import DueRows
from proxops.ground.foxglove import TRANSFORMS, foxglove_message
from proxops.ground.hall_stage import stage_of
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.orbit_frames import orbit_places, orbit_poses
from proxops.ground.recover import recover
from proxops.ground.stage import EVERY_NS, JOINT_CHANNEL, ORBIT_CHANNEL, ORBIT_EVERY, Stage, StageMessages
from proxops.ground.transform_rows import TransformRows
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import flange_poses, port_poses
from proxops.lab.shapes import BODIES, FLOOR, body_poses, hall_shapes
from proxops.maths.pose import pose_from_packed

EVERY = EVERY_NS // PERIOD_NS  # cycles of the hall
EXACT = 1e-9  # m and parts of one, of poses put together from some ten transforms
Pose = NDArray[np.float64]
FRAME_OF = {name: name for name in BODIES[1:]} | {
    f"robot{k}/{link}": f"{frame}{k}"
    for k in (1, 2)
    for link, frame in (("base_link", "base"), ("flange", "flange"), ("mockup", "port"))
}
"""The frame of each body of ``lab.shapes``."""


class Said(NamedTuple):
    topic: str
    schema: str
    log_time: int
    sequence: int
    message: Any


def read(path: Path, *topics: str) -> list[Said]:
    """Everything on some topics, decoded by the schemas in the file alone."""
    with path.open("rb") as stream:
        found = make_reader(stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages(topics=list(topics))
        return [Said(c.topic, s.name, m.log_time, m.sequence, body) for s, c, m, body in found]


def pose_of(position: Any, rotation: Any) -> Pose:
    return pose_from_packed(
        np.array([position.x, position.y, position.z, rotation.w, rotation.x, rotation.y, rotation.z])
    )


class Tree:
    """Transforms as a viewer keeps them: the newest of each frame."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Pose]] = {}

    def take(self, transforms: Any) -> None:
        for t in transforms:
            self._known[t.child_frame_id] = t.parent_frame_id, pose_of(t.translation, t.rotation)

    def frames(self) -> set[str]:
        return set(self._known)

    def in_lab(self, frame: str) -> Pose:
        T_lab_frame = np.eye(4)
        while frame != "lab":
            frame, T = self._known[frame]
            T_lab_frame = T @ T_lab_frame
        return T_lab_frame


def axes_by_time(log: Log) -> dict[int, Pose]:
    q = np.stack([log.values(f"actual.{name}") for name in AXES], axis=1)
    return dict(zip(log.values("clock.utc_ns").tolist(), q, strict=True))


def at(said: Said, parts: Any) -> None:
    """Every part bears the time of the message."""
    assert {part.timestamp.seconds * 10**9 + part.timestamp.nanos for part in parts} == {said.log_time}


def test_frames_stand_where_the_kinematics_has_them(swung: Log, cell: Cell) -> None:
    tree, poses, axes = Tree(), np.empty((len(BODIES), 4, 4)), axes_by_time(swung)
    (fixed,) = read(swung.path, "/tf_static")
    tree.take(fixed.message.transforms)
    at(fixed, fixed.message.transforms)
    moved = read(swung.path, "/tf")
    for said in moved[:: len(moved) // 12]:
        tree.take(said.message.transforms)
        at(said, said.message.transforms)
        q = axes[said.log_time]
        body_poses(cell.hall, q, poses)
        for body, name in enumerate(BODIES[1:], 1):
            assert np.abs(tree.in_lab(FRAME_OF[name]) - poses[body]).max() < EXACT, name
        named = zip(("flange", "port"), (flange_poses(cell.hall, q), port_poses(cell.hall, q)), strict=True)
        for frame, (first, second) in named:
            assert np.abs(tree.in_lab(f"{frame}1") - first).max() < EXACT
            assert np.abs(tree.in_lab(f"{frame}2") - second).max() < EXACT
    assert {"base1", "base2", "flange1", "flange2", "port1", "port2"} <= tree.frames() & set(FRAMES)


def test_transforms_come_25_times_a_second(swung: Log) -> None:
    moved = read(swung.path, "/tf")
    ticks = swung.values("clock.tick")
    assert [said.sequence for said in moved] == ticks[ticks % EVERY == 0].tolist()
    assert set(np.diff([said.log_time for said in moved])) == {EVERY * PERIOD_NS} == {40_000_000}
    assert {said.schema for said in moved} == {"foxglove.FrameTransforms"}
    assert read(swung.path, "/orbit/tf") == []


def placed(entity: Any) -> Iterator[tuple[str, tuple[float, ...], Pose]]:
    """Kind, size as ours and pose of every primitive of an entity."""
    for box in entity.cubes:
        yield "box", (box.size.x, box.size.y, box.size.z), pose_of(box.pose.position, box.pose.orientation)
    for one in entity.cylinders:
        assert one.size.x == one.size.y and one.bottom_scale == one.top_scale == 1.0
        yield "cylinder", (0.5 * one.size.x, one.size.z), pose_of(one.pose.position, one.pose.orientation)
    for ball in entity.spheres:
        assert ball.size.x == ball.size.y == ball.size.z
        yield "sphere", (0.5 * ball.size.x,), pose_of(ball.pose.position, ball.pose.orientation)
    for mesh in entity.triangles:
        corners = np.array([(p.x, p.y, p.z) for p in mesh.points])
        assert len(mesh.indices) % 3 == 0 and set(mesh.indices) == set(range(len(corners)))
        yield "mesh", tuple(np.ptp(corners, axis=0).tolist()), pose_of(mesh.pose.position, mesh.pose.orientation)


def assert_alike(found: Any, wanted: list[tuple[str, tuple[float, ...], Pose]]) -> None:
    shown = list(placed(found))
    wanted = sorted(wanted, key=lambda one: ["box", "cylinder", "sphere", "mesh"].index(one[0]))
    assert [(kind, size) for kind, size, _ in shown] == [(kind, size) for kind, size, _ in wanted]
    for (_, _, T), (_, _, wished) in zip(shown, wanted, strict=True):
        assert np.abs(T - wished).max() < EXACT


def test_solids_are_those_of_the_guard(swung: Log, cell: Cell) -> None:
    (said,) = read(swung.path, "/hall/solids")
    at(said, said.message.entities)
    assert said.schema == "foxglove.SceneUpdate"
    entities = {entity.id: entity for entity in said.message.entities}
    assert list(entities) == list(BODIES[1:])
    for body, name in enumerate(BODIES):
        if body != FLOOR:
            own = [(s.kind, s.size_m, s.T_body_shape) for s in hall_shapes(cell) if s.body == body]
            assert_alike(entities[name], own)
            assert entities[name].frame_id == FRAME_OF[name] and entities[name].frame_locked


def test_looks_are_those_of_the_console(swung: Log, cell: Cell) -> None:
    (said,) = read(swung.path, "/hall/visuals")
    entities = {entity.id: entity for entity in said.message.entities}
    links = describe_hall(cell)["links"]
    assert set(entities) == {link["name"] for link in links} | {"floor", "pedestal"}
    for link in links:
        own = [(v["kind"], tuple(v["size_m"]), np.reshape(v["T_link_solid"], (4, 4))) for v in link["visuals"]]
        assert_alike(entities[link["name"]], own)
    (slab,) = placed(entities["floor"])
    top = slab[2][2, 3] + 0.5 * slab[1][2]
    assert top == pytest.approx(describe_hall(cell)["floor_z_m"], abs=EXACT)


def test_every_solid_has_a_frame(swung: Log) -> None:
    tree = Tree()
    for said in read(swung.path, "/tf_static", "/tf"):
        tree.take(said.message.transforms)
    for said in read(swung.path, "/hall/visuals", "/hall/solids"):
        for entity in said.message.entities:
            tree.in_lab(entity.frame_id)


def test_first_messages_make_the_whole_scene(swung: Log) -> None:
    """Whoever opens a log at its beginning sees the hall at once; the schemas precede all that needs them."""
    first, once = swung.values("clock.utc_ns")[0], {"/tf_static", "/hall/visuals", "/hall/solids"}
    assert {said.topic: said.log_time for said in read(swung.path, *once)} == dict.fromkeys(once, first)


def test_the_tool_of_the_run_counts(cell: Cell) -> None:
    """Frames follow the cell and the user tool of the run, not the shipped ones."""
    other = load_cell(None, type(cell.tool)(cell.tool.T_flange_port2, cell.tool.T_flange_port1, "swapped"))
    assert stage_of(other).fixed != stage_of(cell).fixed
    assert stage_of(other).joints == stage_of(cell).joints


def test_a_stage_survives_its_way_to_the_recorder(cell: Cell) -> None:
    stage = stage_of(cell)
    sent = json.dumps(stage.plain())
    assert json.dumps(Stage.of(json.loads(sent)).plain()) == sent


def test_the_same_run_has_the_same_bytes(swung: Log, swing_once: Callable[[Path], Log], tmp_path: Path) -> None:
    again = swing_once(tmp_path / "again.mcap")
    assert again.path.read_bytes() == swung.path.read_bytes()


def test_our_own_reader_counts_them_and_reads_on(swung: Log) -> None:
    topics = describe(swung)["topics"]
    assert topics["/tf"]["count"] == len(read(swung.path, "/tf"))
    assert topics["/tf"]["rate_hz"] == pytest.approx(25.0, rel=0.02)
    assert [topics[t]["count"] for t in ("/tf_static", "/hall/visuals", "/hall/solids", "/orbit/tf")] == [1, 1, 1, 0]
    assert swung.complete and describe(swung)["cycles"]["count"] == swung.count


def test_a_killed_run_has_them_up_to_its_last_chunk(
    start: Callable[..., Any], made_up: Callable[..., Any], wait: Callable[..., None], cell: Cell, tmp_path: Path
) -> None:
    run, pool = start(stage=stage_of(cell)), made_up(600)
    run.push(pool)
    wait(run.taken, "the recorder reads on")
    wait(lambda: len(Log.open(run.out).pool) >= 500, "two blocks are in the file")
    os.kill(run.recorder.pid, signal.SIGKILL)
    recover(run.out, tmp_path / "whole.mcap")
    kept = len(Log.open(tmp_path / "whole.mcap").pool)
    for topic, every in (("/tf", EVERY), ("/orbit/tf", ORBIT_EVERY)):
        assert [said.sequence for said in read(tmp_path / "whole.mcap", topic)] == list(range(0, kept, every))
    assert len(read(tmp_path / "whole.mcap", "/hall/visuals")) == 1


def test_records_without_numbers_are_left_out(cell: Cell, made_up: Callable[..., Any]) -> None:
    """A viewer can do nothing with NaN."""
    pool = made_up(62)
    pool["actual"]["robot1_a3"][20] = np.nan
    for name in pool["orbit"].dtype.names or ():
        pool["orbit"][name][:41] = 0.0  # the mission begins later
    block = Block(pool, np.empty(0, EVENT_DTYPE), np.empty(0, np.int64))
    joints, orbit = StageMessages(stage_of(cell)).beside(block)
    assert (joints.channel, orbit.channel) == (JOINT_CHANNEL, ORBIT_CHANNEL)
    assert joints.utc_ns.tolist() == pool["clock"]["utc_ns"][[0, 10, 30, 40, 50, 60]].tolist()
    assert orbit.utc_ns.tolist() == pool["clock"]["utc_ns"][[50]].tolist()


@pytest.mark.parametrize("ticks", [range(0), range(1, 2), range(11, 20)])
def test_a_block_may_have_none(cell: Cell, made_up: Callable[..., Any], ticks: range) -> None:
    """As the last one of a log mostly has not."""
    block = Block(made_up(20)[list(ticks)], np.empty(0, EVENT_DTYPE), np.empty(0, np.int64))
    assert StageMessages(stage_of(cell)).beside(block) == []


@given(st.integers(0, 2**33 * 10**9), st.lists(st.tuples(st.text("abc/é1", max_size=200), st.text("xyz")), max_size=4))
def test_messages_of_fixed_length_say_what_was_put_in(utc_ns: int, frames: list[tuple[str, str]]) -> None:
    rng = np.random.default_rng(len(frames))
    poses = rng.standard_normal((2, len(frames), 7))
    encoder = TransformRows(frames)
    rows = encoder.rows(np.array([utc_ns, 0]), poses)
    for row, pose, time in zip(rows, poses, (utc_ns, 0), strict=True):
        found = foxglove_message(TRANSFORMS).FromString(row.tobytes()).transforms
        assert [(t.parent_frame_id, t.child_frame_id) for t in found] == frames
        for t, (x, y, z, qw, qx, qy, qz) in zip(found, pose, strict=True):
            assert t.timestamp.seconds * 10**9 + t.timestamp.nanos == time
            assert (t.translation.x, t.translation.y, t.translation.z) == (x, y, z)
            assert (t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z) == (qw, qx, qy, qz)


def test_craft_stand_in_lvlh(made_up: Callable[..., Any]) -> None:
    """x along the flight, z to the Earth, y against the orbit's normal (docs/frames.md), over the pole too."""
    pool = made_up(50)
    orbit, relative = pool["orbit"], pool["relative"]
    p, v = (np.stack([orbit[f"{what}_{axis}"] for axis in "xyz"], axis=1) for what in "pv")
    p[0], v[0] = (0.0, 0.0, 7e6), (7e3, 0.0, 0.0)
    p[1], v[1] = (0.0, 0.0, -7e6), (0.0, 7e3, 0.0)
    for i, axis in enumerate("xyz"):
        orbit[f"p_{axis}"], orbit[f"v_{axis}"] = p[:, i], v[:, i]
    for craft in ("target", "chaser"):
        q = np.stack([pool[f"{craft}_attitude"][name] for name in QUATERNION], axis=1)
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        for i, name in enumerate(QUATERNION):
            pool[f"{craft}_attitude"][name] = q[:, i]
    found = orbit_poses(DueRows(pool.dtype, 1, orbit_places(pool.dtype)).of(byte_rows(pool)).values)
    for row, (record, ours) in enumerate(zip(pool, found, strict=True)):
        z = -p[row] / np.linalg.norm(p[row])
        y = np.cross(v[row], p[row]) / np.linalg.norm(np.cross(v[row], p[row]))
        R_eci_lvlh = np.stack([np.cross(y, z), y, z], axis=1)
        for k, craft in enumerate(("target", "chaser")):
            q_eci = np.array([record[f"{craft}_attitude"][name] for name in QUATERNION])
            wanted = R_eci_lvlh.T @ pose_from_packed(np.array([0.0, 0.0, 0.0, *q_eci]))[:3, :3]
            assert np.abs(pose_from_packed(ours[k])[:3, :3] - wanted).max() < EXACT
        assert ours[0, :3].tolist() == [0.0, 0.0, 0.0]
        assert ours[1, :3].tolist() == [relative[f"p_{axis}"][row] for axis in "xyz"]
