"""Imaging sensors in a mission: images come when they are due, the flight does not notice, a seed repeats them."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from small_eyes import EYES, FLIGHT, image_bytes, moment

from proxops import read_log, run
from proxops.applications.mission.eyes import MissionEyes
from proxops.applications.mission.run import run_mission
from proxops.core.errors import BadInput
from proxops.core.grey_picture import png
from proxops.core.image_frame import FrameReader
from proxops.core.images import CameraImage
from proxops.core.mission import parse_mission
from proxops.core.vocabulary import MissionEnd
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.runs.image_orders import ImageOrders
from proxops.runs.image_port import image_port
from proxops.sensors.moment import PictureOrder


def flown(folder: Path, text: str, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "short.toml").write_text(text)
    run(folder / "short.toml", out=folder / name, hall=False, report=False)
    return folder / name


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return flown(tmp_path_factory.mktemp("eyes"), FLIGHT + EYES, "seen")


def test_images_come_when_they_are_due(seen: Path) -> None:
    """Every quarter of a second, 150 ms after the exposure has ended; their truth is the mission's own."""
    log = read_log(seen)
    images = list(log.images("eye"))
    assert [image.number for image in images] == list(range(12))
    assert all(isinstance(image, CameraImage) and image.pixels.shape == (72, 96) for image in images)
    assert np.diff([image.t for image in images]) == pytest.approx(0.25, abs=0.01)
    assert len(list(log.images("scan"))) == 2  # the third is not over at the end


def test_images_carry_the_time_of_the_record_that_has_their_mission_time(seen: Path) -> None:
    log = read_log(seen)
    utc, t = log.values("clock.utc_ns"), log.values("mission.t")
    first = np.flatnonzero(t > 0.0)[0]  # told every few cycles, at once
    began = int(utc[first]) - round(float(t[first]) * 1e9)
    for image in log.recorded_images("eye"):
        assert image.exposed_ns - began == pytest.approx(image.encoded.t * 1e9, abs=2.0)


def test_the_same_seed_gives_the_same_images(seen: Path) -> None:
    again = flown(seen.parent, FLIGHT + EYES, "again")
    one, two = (
        [hashlib.sha256(image_bytes(i)).hexdigest() for i in read_log(run).images("eye")] for run in (seen, again)
    )
    assert one == two


def test_a_flight_that_is_looked_at_is_the_same_flight(seen: Path) -> None:
    alone = read_log(flown(seen.parent, FLIGHT, "alone"))
    log = read_log(seen)
    for variable in ("relative.p_x", "relative.v_z", "mission.nees", "clock.tick"):
        np.testing.assert_array_equal(log.values(variable), alone.values(variable))
    summary = json.loads((seen.parent / "alone" / "summary.json").read_text())
    assert not {"sensors", "images_lost", "hall_against_orbit"} & summary["mission"].keys()
    assert "mission_images_lost" not in {row["name"] for row in summary["criteria"]}


def test_what_cannot_be_looked_at_is_refused_before_anything_moves(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nothing\.stl"):
        flown(tmp_path, FLIGHT + EYES + 'client = "nothing.stl"\n', "refused")
    assert not (tmp_path / "refused" / "run.mcap").exists()


def test_the_summary_tells_of_every_sensor_and_that_no_image_is_lost(seen: Path) -> None:
    summary = json.loads((seen / "summary.json").read_text())
    eye, scan = (summary["mission"]["sensors"][name] for name in ("eye", "scan"))
    assert (eye["sees"], eye["images"], eye["lost"], scan["images"], scan["lost"]) == ("orbit", 12, 0, 2, 0)
    assert 0.0 < eye["exposure_s"][0] <= eye["exposure_s"][1] <= 0.02 and 3.0 < eye["distance_m"][0] < 6.0
    (row,) = (row for row in summary["criteria"] if row["name"] == "mission_images_lost")
    assert row["passed"] and row["value"] == 0


@pytest.mark.parametrize(("number", "words"), [(signal.SIGKILL, "has ended"), (signal.SIGSTOP, "neither answers nor")])
def test_a_process_that_draws_no_more_ends_the_mission_in_good_order(
    number: signal.Signals, words: str, cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The robots come to rest without a stop, the log is whole, the cause is in it."""
    give = ImageOrders.give

    def strike(self: ImageOrders, order: PictureOrder) -> int:
        if order.number == 4:
            os.kill(self.pid, number)
        return give(self, order)

    monkeypatch.setattr(ImageOrders, "give", strike)
    monkeypatch.setattr("proxops.runs.work_line.PATIENCE_S", 2.0)  # a busy machine starts it slowly
    text = FLIGHT.replace("-6.0", "-5.0") + EYES.replace('"orbit"', '"hall"') + "[hall]\njoin_s = 1.0\n"
    ran, outcome = run_mission(cell, parse_mission(text, tmp_path / "short.toml"), tmp_path / "run.mcap")
    assert outcome.end is MissionEnd.IMAGES and words in outcome.failure and 1.0 <= outcome.t < 2.0
    assert ran.stop is None and ran.recorder_code == 0
    log = read_log(tmp_path)
    assert log.ended and any(words in event["text"].decode() for event in log.events)
    assert np.abs(log.values("actual_rate.robot1_a1")[-5:]).max() < 1e-3


def test_a_folder_is_a_sensor_of_a_mission_and_its_images_are_the_logs(tmp_path: Path) -> None:
    """At its own times on the mission's clock; with what the list knows of the truth; what is wrong is an event."""
    folder = tmp_path / "seen"
    folder.mkdir()
    rng = np.random.default_rng(2)
    pictures = [rng.integers(0, 256, (24, 32), np.uint8) for _ in range(5)]
    lines = ["t_s,file", *(f"{7.0 + 0.5 * k},{k}.png" for k in range(5)), "9.75,lost.png"]
    for k, pixels in enumerate(pictures):
        (folder / f"{k}.png").write_bytes(png(pixels))
    (folder / "frames.csv").write_text("\n".join(lines) + "\n")
    own = '[[sensor]]\nkind = "folder"\nname = "own"\npath = "seen"\nwidth = 32\nheight = 24\nlog_hz = 10\n'
    log = read_log(flown(tmp_path, FLIGHT + own, "replayed"))
    images = list(log.images("own"))
    assert [image.t for image in images] == pytest.approx([0.5 * k for k in range(5)])
    for image, pixels in zip(images, pictures, strict=True):
        assert isinstance(image, CameraImage)
        np.testing.assert_array_equal(image.pixels, pixels)
    assert sum(b"lost.png" in event["text"] for event in log.events) == 1


def test_what_keeps_the_walls_time_is_not_for_lockstep(tmp_path: Path) -> None:
    own = '[[sensor]]\nkind = "network"\nname = "own"\nat = "127.0.0.1:47260"\n'
    with pytest.raises(BadInput, match="keeps the wall's time"):
        flown(tmp_path, FLIGHT + own, "refused")
    with pytest.raises(BadInput, match="sensor"):
        flown(tmp_path, FLIGHT + own.replace("127.0.0.1:47260", "somewhere"), "refused")


LENS = """image_width: {width}
image_height: 72
camera_matrix: {{rows: 3, cols: 3, data: [151.0, 0, 48.5, 0, 153.0, 35.0, 0, 0, 1]}}
distortion_coefficients: {{rows: 1, cols: 5, data: [-0.1, 0.01, 0.001, 0, 0]}}
"""


def test_a_lens_file_is_the_lens_of_the_whole_run(tmp_path: Path) -> None:
    """In the mission's table, in the log; one of another size is refused before anything moves, as is one that is not there."""
    (tmp_path / "lens.yaml").write_text(LENS.format(width=96))
    text = FLIGHT + EYES.replace('name = "eye"', 'name = "eye"\nlens_file = "lens.yaml"')
    lens = parse_mission(text, tmp_path / "short.toml").file.imaging[0].lens
    assert lens is not None and (lens.fx, lens.fy, lens.cx, lens.cy) == (151.0, 153.0, 48.5, 35.0)
    log = read_log(flown(tmp_path, text, "seen"))
    plain = read_log(flown(tmp_path, FLIGHT + EYES, "plain"))
    drawn, other = (next(iter(one.images("eye"))) for one in (log, plain))
    assert image_bytes(drawn) != image_bytes(other)
    (tmp_path / "lens.yaml").write_text(LENS.format(width=640))
    with pytest.raises(BadInput, match="another size"):
        flown(tmp_path, text, "refused")
    (tmp_path / "lens.yaml").unlink()
    with pytest.raises(BadInput, match=r"no such file.*lens\.yaml"):
        flown(tmp_path, text, "refused")
    assert not (tmp_path / "refused" / "run.mcap").exists()


def test_a_missions_images_are_served_while_it_flies(tmp_path: Path) -> None:
    """All of them, recorded or not, to who was there in time."""
    listening = image_port("127.0.0.1:0", ["eye"])
    text = FLIGHT + EYES.replace("log_hz = 4.0", "log_hz = 0.0")
    with socket.create_connection(listening.getsockname()) as client:
        run_mission(
            load_cell(), parse_mission(text, tmp_path / "short.toml"), None, use_hall=False, images=listening
        )  # fmt: skip
        client.settimeout(5.0)
        reader, got = FrameReader(), []
        while data := client.recv(65_536):
            got += [(header.sensor, header.number) for header, _ in reader.feed(data)]
    assert [number for name, number in got if name == "eye"] == list(range(12)) and ("scan", 0) in got


def test_live_a_process_that_draws_and_dies_is_replaced() -> None:
    """A flight that navigates by images would be blind for good."""
    eyes, told = MissionEyes(parse_mission(FLIGHT + EYES, Path("short.toml")).file, 1, None, waits=False), list[str]()
    try:
        eyes.tell_conditions(lambda name, words: told.append(words))
        first = eyes.pids
        os.kill(first[0], signal.SIGKILL)
        os.waitid(os.P_PID, first[0], os.WEXITED | os.WNOWAIT)
        for t in np.arange(0.0, 60.0, 0.01).tolist():
            if not told:
                eyes._eyes.look(t, partial(moment, t))
        assert "started again" in told[0] and eyes.pids and eyes.pids != first
    finally:
        eyes.close()
