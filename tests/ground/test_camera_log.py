"""Images of an experiment's camera and its frames in the log, read by MCAP's own library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

from proxops.core.camera import CameraSpec
from proxops.core.clock import LOCKSTEP_EPOCH, parse_utc_ns
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.ring import Ring
from proxops.ground.blocks import BLOCK_RECORDS
from proxops.ground.log import Log
from proxops.ground.recover import recover
from proxops.ground.row_stream import RowStream
from proxops.ground.viewer_feed import ViewerFeed
from proxops.ground.viewer_message import PIECE, PIECE_BYTES, ViewerMessage, ViewerMessages, pieces
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_rotation_vector

T = np.arange(2 * BLOCK_RECORDS + 7) * 0.004
SEEN = (0.0, 0.1, T[BLOCK_RECORDS - 1], T[BLOCK_RECORDS] - 0.002, T[BLOCK_RECORDS], 1.4, T[-1])
CAMERA = CameraSpec(64, 48, 50.0)
ROW = np.dtype([("t", "f8"), ("x", "f8")])
SIZES = (1, PIECE_BYTES - 200, PIECE_BYTES, 3 * PIECE_BYTES + 5, 7, 100_000, 12)  # bytes of an image
TURN = matrix_from_rotation_vector(np.array([0.1, -0.2, 0.3]))


def png(number: int) -> bytes:
    return np.random.default_rng(number).bytes(SIZES[number])


def recorded(path: Path, batch: int = 7) -> None:
    """Rows and images as a loop has them: an image before the row of its time."""
    rows = np.zeros(T.size, ROW)
    rows["t"], rows["x"] = T, T**2
    feed = ViewerFeed([("inertial", "hand"), ("hand", "camera")], ("camera", CAMERA))
    stream = RowStream(path, {}, live=False)
    stream.begin(ROW, lambda rows: (Series("hand", "somewhere", (("x", "m"),), rows["x"][:, None]),), feed)
    waiting = list(enumerate(SEEN))
    for count, t in enumerate(T):
        while waiting and waiting[0][1] <= t:
            number, at = waiting.pop(0)
            feed.show(at, png(number))
        if count % 10 == 0:
            feed.place(float(t), [pose(np.eye(3), np.array([t, 0.0, 0.0])), pose(TURN, np.array([0.0, t, 1.0]))])
        if count % batch == 0:
            stream.take(rows[: count + 1])
    stream.take(rows, all_of_them=True)
    series = (Series("hand", "somewhere", (("x", "m"),), rows["x"][:, None]),)
    assert stream.finish(ExperimentResult(rows["t"], series, {}, ())) == 0


VIEWED = ["/pool", "/events", "/camera/image", "/camera/calibration", "/tf"]


def decoded(path: Path) -> list[tuple[str, int, Any]]:
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        return [(c.topic, m.log_time, body) for _, c, m, body in reader.iter_decoded_messages(VIEWED)]


def test_every_image_stands_at_its_time_with_its_calibration(tmp_path: Path) -> None:
    recorded(tmp_path / "run.mcap")
    found, epoch = decoded(tmp_path / "run.mcap"), parse_utc_ns(LOCKSTEP_EPOCH)
    images = [(time, body) for topic, time, body in found if topic == "/camera/image"]
    assert [time - epoch for time, _ in images] == [round(t * 1e9) for t in SEEN]
    assert [(body.data, body.format, body.frame_id) for _, body in images] == [
        (png(number), "png", "camera") for number in range(len(SEEN))
    ]
    assert [body.timestamp.seconds * 10**9 + body.timestamp.nanos for _, body in images] == [time for time, _ in images]
    calibrations = [(time, body) for topic, time, body in found if topic == "/camera/calibration"]
    assert [time for time, _ in calibrations] == [time for time, _ in images]
    for _, body in calibrations:
        assert (body.width, body.height, body.frame_id) == (64, 48, "camera")
        assert list(body.K) == CAMERA.intrinsics.ravel().tolist()
        assert np.reshape(body.P, (3, 4))[:, :3].ravel().tolist() == list(body.K)


def test_frames_stand_where_they_were(tmp_path: Path) -> None:
    recorded(tmp_path / "run.mcap")
    found = [(time, body) for topic, time, body in decoded(tmp_path / "run.mcap") if topic == "/tf"]
    epoch = parse_utc_ns(LOCKSTEP_EPOCH)
    assert [time - epoch for time, _ in found] == [round(t * 1e9) for t in T[::10]]
    for t, (_, body) in zip(T[::10], found, strict=True):
        hand, camera = body.transforms
        assert (hand.parent_frame_id, hand.child_frame_id) == ("inertial", "hand")
        assert (camera.parent_frame_id, camera.child_frame_id) == ("hand", "camera")
        assert (hand.translation.x, hand.rotation.w) == (t, 1.0)
        assert (camera.translation.y, camera.translation.z) == (t, 1.0)
        assert camera.rotation.w == pytest.approx(np.cos(0.5 * np.sqrt(0.14)), abs=1e-12)


def test_our_own_reader_goes_on(tmp_path: Path) -> None:
    recorded(tmp_path / "run.mcap")
    log = Log.open(tmp_path / "run.mcap")
    assert log.complete and log.pool.size == T.size
    beside = {"/camera/image": len(SEEN), "/camera/calibration": len(SEEN), "/tf": len(T[::10])}
    assert log.topics == {"/pool": 11, "/events": 1, "/cycles": 3, **beside}


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """Whenever the recorder looks, and however many rows come at once."""
    recorded(tmp_path / "one.mcap")
    recorded(tmp_path / "other.mcap", batch=40)
    assert (tmp_path / "one.mcap").read_bytes() == (tmp_path / "other.mcap").read_bytes()


def test_a_log_that_was_cut_off_keeps_its_images(tmp_path: Path) -> None:
    recorded(tmp_path / "run.mcap")
    data = (tmp_path / "run.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(
        data[: data.rindex(b"/camera/image") - 2000]
    )  # the summary names the topic last
    recover(tmp_path / "cut.mcap", tmp_path / "whole.mcap")
    images = [body.data for topic, _, body in decoded(tmp_path / "whole.mcap") if topic == "/camera/image"]
    assert len(images) >= 5 and images == [png(number) for number in range(len(images))]


def test_a_message_of_which_a_piece_was_overwritten_is_left_out() -> None:
    ring = Ring.create("viewer", PIECE, 4)
    try:
        reader = ViewerMessages(ring)
        for number in (3, 6, 1):  # four pieces, one, one: two of the first are gone
            for piece in pieces(ViewerMessage(8, number, number, png(number))):
                ring.push(piece)
        assert reader.read() == 2 + 1  # the writer may be at work on the oldest: it is not trusted
        assert reader.drained and ring.lost == 3
        (beside,), chunks = reader.until(None)
        assert not chunks
        assert beside.utc_ns.tolist() == [6, 1]
        assert png(6) in beside.records and png(1) in beside.records
    finally:
        ring.close()
