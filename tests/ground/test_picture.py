"""The hall can be drawn, stands where the frames page says, and follows its axes."""

import struct
import zlib

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.offscreen import PictureUnavailable
from proxops.ground.picture import HallPicture, encode_png
from proxops.lab.any_cell import load_cell

HOME = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])
WIDTH, HEIGHT = 320, 180


def axes(rail: float) -> NDArray[np.float64]:
    return np.concatenate([[rail], HOME, HOME])


def pixels(png: bytes) -> NDArray[np.int64]:
    """Decode what `encode_png` writes: one IDAT after signature (8) and IHDR (25), filter type 0."""
    width, height = struct.unpack(">II", png[16:24])
    (length,) = struct.unpack(">I", png[33:37])
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + length]), dtype=np.uint8).reshape(height, 1 + 3 * width)
    return rows[:, 1:].reshape(height, width, 3).astype(np.int64)


@pytest.fixture(scope="module")
def hall() -> HallPicture:
    try:
        return HallPicture(load_cell(), width=WIDTH, height=HEIGHT)
    except PictureUnavailable as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("view", ("overview", "close"))
def test_picture_shows_orange_robots(hall: HallPicture, view: str) -> None:
    image = hall.render(axes(6.0), view=view)  # type: ignore[arg-type]
    assert image.shape == (HEIGHT, WIDTH, 3)
    orange = (image[..., 0] > 150) & (image[..., 1] < 130) & (image[..., 2] < 60)
    assert 0.01 < orange.mean() < 0.5
    columns = np.flatnonzero(orange.any(axis=0))
    assert columns[0] < 0.45 * WIDTH < 0.55 * WIDTH < columns[-1]  # one robot left, one right


def test_moving_the_rail_changes_the_picture_and_moving_back_restores_it(hall: HallPicture) -> None:
    first = hall.render(axes(6.0))
    assert np.abs(first.astype(np.int64) - hall.render(axes(9.0))).mean() > 1.0
    np.testing.assert_array_equal(hall.render(axes(6.0)), first)


def test_machines_stand_where_the_frames_page_says(hall: HallPicture) -> None:
    hall.render(axes(6.0))
    np.testing.assert_allclose(hall.position("robot1/base_link"), (6.0, 0.0, -1.5), atol=1e-12)
    np.testing.assert_allclose(hall.position("robot2/base_link"), (0.0, 1.5, -1.5), atol=1e-12)
    np.testing.assert_allclose(hall.position("robot1/flange"), (6.0 - 1.56, 0.0, 0.445), atol=1e-12)
    np.testing.assert_allclose(hall.position("robot2/flange"), (1.68, 1.5, 0.445), atol=1e-12)
    np.testing.assert_allclose(hall.position("servicer/port"), (4.39, -0.14, 0.445), atol=1e-12)
    np.testing.assert_allclose(hall.position("client/port"), (2.16, 1.5, 0.445), atol=1e-12)


@pytest.mark.parametrize("bad", (np.zeros(12), np.full(13, np.nan)))
def test_bad_axes_are_refused(hall: HallPicture, bad: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="13 finite numbers"):
        hall.render(bad)


def test_unknown_view_names_the_choices(hall: HallPicture) -> None:
    with pytest.raises(ValueError, match="overview, close"):
        hall.render(axes(6.0), view="top")  # type: ignore[arg-type]


def test_missing_gl_says_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    mujoco = pytest.importorskip("mujoco")

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no EGL display")

    monkeypatch.setattr(mujoco, "Renderer", broken)
    with pytest.raises(PictureUnavailable, match="apt-get install libegl1 libgl1-mesa-dri"):
        HallPicture(load_cell())


def test_png_keeps_every_pixel() -> None:
    image = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    np.testing.assert_array_equal(pixels(encode_png(image)), image)
