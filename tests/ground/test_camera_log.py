"""Images of an experiment's camera in its log, read by MCAP's own library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

from proxops.core.clock import LOCKSTEP_EPOCH, parse_utc_ns
from proxops.core.experiment_result import CameraView, ExperimentResult, Series
from proxops.ground.blocks import BLOCK_RECORDS
from proxops.ground.experiment_log import write_experiment
from proxops.ground.log import Log
from proxops.ground.picture import encode_png

T = np.arange(2 * BLOCK_RECORDS + 7) * 0.004
SEEN = (0.0, 0.1, T[BLOCK_RECORDS - 1], T[BLOCK_RECORDS] - 0.002, T[BLOCK_RECORDS], 0.4, T[-1])


def recorded(path: Path) -> CameraView:
    images = tuple((float(t), encode_png(np.full((4, 6, 3), i, np.uint8))) for i, t in enumerate(SEEN))
    view = CameraView("camera", (6, 4), (5.0, 5.5, 2.5, 1.5), images)
    series = (Series("hand", "somewhere", (("x", "m"),), T[:, None]),)
    write_experiment(path, ExperimentResult(T, series, {}, (), camera=view), {})
    return view


def test_every_image_stands_at_its_time_with_its_calibration(tmp_path: Path) -> None:
    view = recorded(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        found = [(c.topic, m.log_time, body) for _, c, m, body in reader.iter_decoded_messages()]
    epoch = parse_utc_ns(LOCKSTEP_EPOCH)
    images = [(time, body) for topic, time, body in found if topic == "/camera/image"]
    assert [time - epoch for time, _ in images] == [round(t * 1e9) for t in SEEN]
    assert [(body.data, body.format, body.frame_id) for _, body in images] == [
        (png, "png", "camera") for _, png in view.images
    ]
    calibrations = [(time, body) for topic, time, body in found if topic == "/camera/calibration"]
    assert [time for time, _ in calibrations] == [time for time, _ in images]
    for _, body in calibrations:
        assert (body.width, body.height, body.frame_id) == (6, 4, "camera")
        assert list(body.K) == [5.0, 0.0, 2.5, 0.0, 5.5, 1.5, 0.0, 0.0, 1.0]
        assert np.reshape(body.P, (3, 4))[:, :3].ravel().tolist() == list(body.K)


def test_our_own_reader_goes_on(tmp_path: Path) -> None:
    recorded(tmp_path / "run.mcap")
    log = Log.open(tmp_path / "run.mcap")
    assert log.complete and log.pool.size == T.size
    assert log.topics == {"/pool": T.size, "/events": 0, "/camera/image": len(SEEN), "/camera/calibration": len(SEEN)}
