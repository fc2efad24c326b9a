"""Estimators that a user brings: found by their names, limited in time, and nothing that they say is believed unjudged."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.image_frame import FrameReader
from proxops.core.images import CameraImage, Image
from proxops.core.imaging_table import CameraSensor
from proxops.core.vision import Marks, PoseFound, PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.own.answer_check import NoAnswer, checked
from proxops.onboard.vision.own.named import estimator_named, let_go
from proxops.onboard.vision.own.own_class import OwnEstimator
from proxops.onboard.vision.own.sight_message import ANSWERED, ASKED, HEAD, MOST_BYTES
from proxops.onboard.vision.sight import EarthInView, PoseEstimator, Sight
from proxops.optics.scene.light import DistantLight, NearLight
from proxops.optics.scene.orbit_surroundings import CLIENT, shipped_craft

EYE = CameraSensor(kind="camera", name="eye", width=32, height=24)
POSE = [0.1, -0.2, 6.0, 1.0, 0.0, 0.0, 0.0]
ONES = (1e-4 * np.eye(6)).ravel().tolist()
CLIENT_MESH = shipped_craft(CLIENT)
GOOD = {"doubt": "NONE", "trust": 0.7, "T_sensor_target": POSE, "covariance": ONES}


def sight(number: int = 3) -> Sight:
    pixels = np.arange(32 * 24, dtype=np.uint16).reshape(24, 32)
    image = CameraImage("eye", number, 12.5, 1e-3, 0.0, 4095, pixels)
    expected = PosePrediction(np.array(POSE), 0.01 * np.eye(6), np.zeros(6))
    lights = (DistantLight((0.0, 0.0, -1.0), 950.0), NearLight((0.0, 0.1, 0.0), (0.0, 0.0, 1.0), 20.0))
    return Sight(image, expected, lights, EarthInView(np.array([0.0, 1.0, 0.0]), 1.1), (10.0, 12.0, 5.0))


def found(**changed: Any) -> PoseFound:
    values = {
        "trust": 0.5,
        "T_sensor_target": np.array(POSE),
        "covariance": 1e-4 * np.eye(6),
        "doubt": Doubt.NONE,
    } | changed
    return PoseFound("eye", 3, 12.5, **values)


# ---------------------------------------------------------------------- what may be said
@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"T_sensor_target": np.full(7, np.nan)}, "finite"),
        ({"T_sensor_target": np.zeros(6)}, "7 finite"),
        ({"T_sensor_target": np.array([0, 0, 6, 2.0, 0, 0, 0])}, "no pose"),
        ({"T_sensor_target": "nothing"}, "no array"),
        ({"T_sensor_target": [10**400] * 7}, "no array"),
        ({"T_sensor_target": None}, "neither a pose nor a doubt"),
        ({"covariance": None}, "without covariance"),
        ({"covariance": np.eye(3)}, "6 x 6"),
        ({"covariance": np.full((6, 6), np.inf)}, "finite"),
        ({"covariance": -np.eye(6)}, "eigenvalues"),
        ({"covariance": np.zeros((6, 6))}, "eigenvalues"),
        ({"covariance": np.eye(6) + np.eye(6, k=1)}, "symmetric"),
        ({"trust": float("nan")}, "trust"),
        ({"trust": "much"}, "trust"),
        ({"trust": 2.0}, "trust"),
        ({"doubt": 0}, "no Doubt"),
    ],
)  # fmt: skip
def test_what_is_no_pose_is_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(NoAnswer, match=why):
        checked(found(**changed))


def test_what_is_one_is_taken_as_it_should_be() -> None:
    one = checked(found(T_sensor_target=[0, 0, 6, 1.0005, 0, 0, 0], covariance=(1e-4 * np.eye(6)).tolist()))
    assert one.trusted and one.T_sensor_target is not None and one.T_sensor_target[3] == 1.0
    assert checked(found(doubt=Doubt.DARK, T_sensor_target=None, covariance=None)).doubt is Doubt.DARK
    told = checked(found(doubt=Doubt.SUPPORT, covariance=None))
    assert not told.trusted and told.T_sensor_target is not None
    for nowhere in (np.nan, 1e30):
        bad_marks = Marks(np.full((2, 2), nowhere, np.float32), np.zeros(2, np.uint8), np.empty((0, 4), np.float32))
        assert checked(found(marks=bad_marks)).marks is None
    assert checked(found(marks=3)).trusted


# ---------------------------------------------------------------------- a class
CLASSES = """
import os, sys, time
import numpy as np
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt

class Good:
    def __init__(self, sensor, client):
        self.name, self.faces = sensor.name, len(client.triangles)
    def estimate(self, sight):
        assert self.faces and sight.image.sensor == self.name
        return PoseFound("x", 0, 0.0, Doubt.NONE, 0.9, sight.prediction.T_sensor_target, sight.prediction.covariance)

class Raises(Good):
    def estimate(self, sight): raise ValueError("no idea")
class Exits(Good):
    def estimate(self, sight): sys.exit(3)
class Cancels(Good):
    def estimate(self, sight): raise GeneratorExit
class Talks(Good):
    def estimate(self, sight):
        print("looking")
        return super().estimate(sight)
class Forks(Good):
    def estimate(self, sight):
        self.copy = os.fork()
        return super().estimate(sight)
class Hangs(Good):
    def estimate(self, sight):
        while True:
            try:
                time.sleep(0.001)
            except Exception:
                pass
class Silent(Good):
    def estimate(self, sight): return None
class Nan(Good):
    def estimate(self, sight):
        return PoseFound("x", 0, 0.0, Doubt.NONE, 0.9, np.full(7, np.nan), np.eye(6))
class Broken:
    def __init__(self, sensor, client): raise RuntimeError("no weights")
    def estimate(self, sight): return None
class Other:
    pass
"""


@pytest.fixture
def classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my_estimators.py"
    path.write_text(CLASSES)
    return path


def test_a_class_is_found_in_a_file_and_in_a_module(classes: Path) -> None:
    for name in (f"{classes}:Good", "my_estimators:Good"):
        one = estimator_named(name, EYE, CLIENT_MESH, 5.0).estimate(sight())
        assert one.trusted and one.trust == 0.9
    sys.modules.pop("my_estimators")


@pytest.mark.parametrize(
    ("name", "doubt", "told"),
    [
        ("Raises", Doubt.BROKEN, "no idea"),
        ("Exits", Doubt.BROKEN, "SystemExit"),
        ("Cancels", Doubt.BROKEN, "GeneratorExit"),
        ("Hangs", Doubt.STALE, "no answer in 0.05 s"),
        ("Silent", Doubt.BROKEN, "not NoneType"),
        ("Nan", Doubt.BROKEN, "finite"),
    ],
)
def test_whatever_a_class_does_there_is_an_answer(
    name: str, doubt: Doubt, told: str, classes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    estimator = estimator_named(f"{classes}:{name}", EYE, CLIENT_MESH, 0.05)
    for number in (1, 2):
        one = estimator.estimate(sight(number))
        assert one.doubt is doubt and one.T_sensor_target is None and one.number == number
    assert told in capsys.readouterr().err


def test_what_a_class_prints_is_not_our_output(classes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert estimator_named(f"{classes}:Talks", EYE, CLIENT_MESH, 5.0).estimate(sight()).trusted
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "looking\n")


def test_a_copy_that_a_class_has_made_of_its_process_answers_nothing(classes: Path) -> None:
    ours, owner = estimator_named(f"{classes}:Forks", EYE, CLIENT_MESH, 5.0), os.getpid()
    assert isinstance(ours, OwnEstimator)
    one = ours.estimate(sight())
    if os.getpid() != owner:
        os._exit(1)
    assert one.trusted and os.waitpid(ours._estimator.copy, 0)[1] == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nonsense", "without a class"),
        ("nowhere.py:Good", "no such file"),
        ("no_such_module:Good", "cannot be loaded"),
        ("my_estimators.py:Other", "no method estimate"),
        ("my_estimators.py:Nobody", "no Nobody"),
        ("my_estimators.py:Broken", "no weights"),
        ("tcp://somewhere", "no address"),
        ("tcp://example.com:1", "no address"),
        ("tcp://127.0.0.1:99999", "no address"),
    ],
)
def test_names_that_lead_nowhere_are_told(name: str, why: str, classes: Path) -> None:
    with pytest.raises(BadInput, match=why):
        estimator_named(name, EYE, CLIENT_MESH, 1.0)


# ---------------------------------------------------------------------- another computer
Say = Callable[[dict[str, Any], socket.socket], None]


class Server:
    """Hears questions and answers with what ``say`` does; each connection after the other."""

    def __init__(self, say: Say) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.name = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.say, self.asked, self.images = say, list[dict[str, Any]](), list[Image]()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join(5.0)

    def come_again(self) -> None:
        """At the same port."""
        self._server = socket.create_server(("127.0.0.1", int(self.name.rpartition(":")[2])))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            with line:
                self._questions(line)

    def _questions(self, line: socket.socket) -> None:
        file, reader = line.makefile("rb"), FrameReader()
        try:
            while head := file.read(HEAD.size):
                magic, _, size = HEAD.unpack(head)
                assert magic == ASKED
                self.asked.append(json.loads(file.read(size)))
                while not (whole := reader.feed(file.read(1))):
                    pass
                self.images.append(whole[0][1])
                self.say(self.asked[-1], line)
        except OSError:
            pass


def tell(line: socket.socket, told: Any) -> None:
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    line.sendall(HEAD.pack(ANSWERED, 1, len(body)) + body)


def well(asked: dict[str, Any], line: socket.socket) -> None:
    tell(line, {"number": asked["number"], **GOOD})


@pytest.fixture
def served() -> Iterator[Callable[[Say], tuple[Server, PoseEstimator]]]:
    made: list[tuple[Server, PoseEstimator]] = []

    def make(say: Say) -> tuple[Server, PoseEstimator]:
        server = Server(say)
        made.append((server, estimator_named(server.name, EYE, CLIENT_MESH, 1.0)))
        return made[-1]

    yield make
    for server, estimator in made:
        let_go(estimator)
        server.close()


def test_another_computer_is_told_all_that_is_known_and_no_more(served: Any) -> None:
    server, estimator = served(well)
    one = estimator.estimate(sight())
    assert one.trusted and one.T_sensor_target is not None and one.T_sensor_target.tolist() == POSE
    assert one.covariance is not None and np.allclose(one.covariance, 1e-4 * np.eye(6))
    (asked,), (image,) = server.asked, server.images
    assert isinstance(image, CameraImage) and (image.pixels == sight().image.pixels).all()  # type: ignore[union-attr]
    assert asked["lens"]["fx"] == EYE.lens.fx and asked["prediction"]["T_sensor_target"] == POSE
    assert [light["kind"] for light in asked["lights"]] == ["distant", "near"]
    assert set(asked) == {
        "sensor", "gives", "lens", "number", "t_s", "limit_s", "prediction", "lights", "earth", "designated"
    }  # fmt: skip


def late(asked: dict[str, Any], line: socket.socket) -> None:
    time.sleep(1.3)
    well(asked, line)


def slowly(asked: dict[str, Any], line: socket.socket) -> None:
    for byte in HEAD.pack(ANSWERED, 1, 1000):
        line.sendall(bytes([byte]))
        time.sleep(0.15)


@pytest.mark.parametrize(
    ("say", "doubt"),
    [
        (late, Doubt.STALE),
        (slowly, Doubt.STALE),
        (lambda asked, line: line.shutdown(socket.SHUT_RDWR), Doubt.BROKEN),
        (lambda asked, line: line.sendall(b"HTTP/1.1 200 OK\r\n\r\n"), Doubt.BROKEN),
        (lambda asked, line: line.sendall(HEAD.pack(ANSWERED, 1, MOST_BYTES + 1)), Doubt.BROKEN),
        (lambda asked, line: line.sendall(HEAD.pack(ANSWERED, 7, 10)), Doubt.BROKEN),
        (lambda asked, line: tell(line, b"{"), Doubt.BROKEN),
        (lambda asked, line: tell(line, b"[" * 200_000), Doubt.BROKEN),
        (lambda asked, line: tell(line, [1]), Doubt.BROKEN),
        (lambda asked, line: tell(line, {**GOOD, "number": 77}), Doubt.BROKEN),
        (lambda asked, line: tell(line, {**GOOD, "number": 1, "T_sensor_target": [float("nan")] * 7}), Doubt.BROKEN),
        (lambda asked, line: tell(line, {**GOOD, "number": 1, "covariance": None}), Doubt.BROKEN),
        (lambda asked, line: tell(line, {**GOOD, "number": 1, "covariance": [1.0] * 35}), Doubt.BROKEN),
        (lambda asked, line: tell(line, {**GOOD, "number": 1, "T_sensor_target": [1.0] * 9}), Doubt.BROKEN),
        (lambda asked, line: tell(line, {"number": 1, "doubt": "MAYBE"}), Doubt.BROKEN),
        (lambda asked, line: tell(line, {"number": 1, "doubt": ["NONE"]}), Doubt.BROKEN),
    ],
)  # fmt: skip
def test_hostile_answers_cost_their_image_and_nothing_more(say: Say, doubt: Doubt, served: Any) -> None:
    server, estimator = served(say)
    one = estimator.estimate(sight(1))
    assert one.doubt is doubt and one.T_sensor_target is None
    server.say = well
    after = [estimator.estimate(sight(number)) for number in range(2, 6)]
    assert after[-1].trusted and all(one.number == number for number, one in enumerate(after, 2))


def test_a_computer_that_goes_and_comes_again_is_found_again(served: Any) -> None:
    server, estimator = served(well)
    assert estimator.estimate(sight(1)).trusted
    server.say = lambda asked, line: line.shutdown(socket.SHUT_RDWR)
    assert estimator.estimate(sight(2)).doubt is Doubt.BROKEN
    server.close()
    assert estimator.estimate(sight(3)).doubt is Doubt.BROKEN
    server.say = well
    server.come_again()
    assert estimator.estimate(sight(4)).trusted


def test_nobody_there_at_the_beginning_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(BadInput, match="nobody answers"):
        estimator_named(f"tcp://127.0.0.1:{port}", EYE, CLIENT_MESH, 1.0)
