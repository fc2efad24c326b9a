"""The automatic exposure against light that steps, fails, flickers and saturates, with pictures that come late."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from proxops.core.images import CameraImage, MeteredPart
from proxops.core.imaging_table import CameraSensor
from proxops.sensors.camera.exposure_control import AutomaticBounds, ExposureControl

SIZE = (48, 64)
WHITE = 255


def automatic(**given: object) -> CameraSensor:
    return CameraSensor.model_validate({"name": "eye", "kind": "camera", **given})


def seen(light: float, control: ExposureControl, share: float = 0.05, white: int = WHITE) -> CameraImage:
    """A craft that fills a share of the picture before black; ``light``: share of white in a second without gain."""
    levels = np.zeros(SIZE[0] * SIZE[1])
    levels[: int(share * levels.size)] = light * control.exposure_s * 10 ** (control.gain_db / 20)
    pixels = np.clip(np.rint(levels * white), 0, white).reshape(SIZE)
    kind = np.uint8 if white == 255 else np.uint16
    return CameraImage("eye", 0, 0.0, control.exposure_s, control.gain_db, white, pixels.astype(kind))


def flown(
    light: Callable[[int], float], pictures: int, late: int = 0, spec: CameraSensor | None = None
) -> list[ExposureControl]:
    """The setting of each picture; ``late``: pictures that are exposed before one has arrived."""
    control, under_way, settings = ExposureControl.of(spec or automatic()), deque[CameraImage](), []
    for k in range(pictures):
        settings.append(control)
        under_way.append(seen(light(k), control))
        if len(under_way) > late:
            control = control.after(under_way.popleft())
    return settings


def levels(settings: list[ExposureControl], light: Callable[[int], float]) -> list[float]:
    return [light(k) * s.exposure_s * 10 ** (s.gain_db / 20) for k, s in enumerate(settings)]


def step(before: float, after: float, at: int = 12) -> Callable[[int], float]:
    return lambda k: before if k < at else after


@pytest.mark.parametrize("late", [0, 1, 3])
@pytest.mark.parametrize("light", [(30.0, 30_000.0), (30_000.0, 30.0), (3_000.0, 3_000.0)])
def test_a_thousandfold_step_is_followed_in_a_few_pictures(light: tuple[float, float], late: int) -> None:
    at = 12 * (late + 1)
    lit = step(*light, at=at)
    reached = levels(flown(lit, 2 * at, late), lit)
    assert reached[at - 1] == pytest.approx(0.6, rel=0.1)
    assert reached[at + 6 * (late + 1) :] == pytest.approx([0.6] * (at - 6 * (late + 1)), rel=0.1)


@pytest.mark.parametrize("late", [0, 1, 3])
def test_it_does_not_hunt(late: int) -> None:
    """After it has arrived it changes nothing any more, and on its way down it never falls so low that it must turn back far:
    the picture before was white."""
    lit = step(50.0, 20_000.0)
    settings = flown(lit, 60, late)
    assert len(set(settings[40:])) == 1
    assert min(levels(settings, lit)[12:]) > 0.6 / 6.0


def test_eclipse_takes_exposure_and_gain_to_their_bounds_and_the_sun_takes_them_back() -> None:
    spec = automatic(gain_db=3.0, highest_gain_db=20.0, longest_exposure_ms=15.0)
    lit: Callable[[int], float] = lambda k: 0.0 if 10 <= k < 30 else 5_000.0  # noqa: E731
    settings = flown(lit, 45, spec=spec)
    assert settings[29].exposure_s == 0.015 and 19.3 < settings[29].gain_db <= 20.0  # so near that it need not change
    assert settings[9].gain_db == settings[-1].gain_db == 3.0
    assert levels(settings, lit)[-8:] == pytest.approx([0.6] * 8, rel=0.1)


def test_gain_comes_only_when_the_exposure_is_at_its_longest() -> None:
    for light in np.geomspace(1.0, 1e5, 30).tolist():
        last = flown(lambda _, light=light: light, 15)[-1]
        assert last.gain_db == 0.0 or last.exposure_s == 0.02
        assert 1e-5 <= last.exposure_s <= 0.02 and 0.0 <= last.gain_db <= 22.0


def test_too_much_light_ends_at_the_shortest_exposure() -> None:
    settings = flown(lambda _: 1e9, 10)
    assert settings[-1].exposure_s == 1e-5 and settings[-1] == settings[-2]


def test_flicker_is_not_made_worse() -> None:
    """Light that changes by 40 % from picture to picture: the level swings no more than half as much again."""
    lit: Callable[[int], float] = lambda k: 1_000.0 * (1.2 if k % 2 else 0.8)  # noqa: E731
    for late in (0, 1, 2):
        reached = np.array(levels(flown(lit, 40, late), lit)[15:])
        assert reached.max() < 1.0 and reached.min() > 0.3


def test_a_little_flicker_changes_nothing() -> None:
    lit: Callable[[int], float] = lambda k: 1_000.0 * (1.02 if k % 2 else 0.98)  # noqa: E731
    assert len(set(flown(lit, 30)[12:])) == 1


def test_glints_hot_pixels_and_the_suns_disc_do_not_darken_the_craft() -> None:
    """White in less than a tenth of what is lit, or in less than a thousandth of the picture."""
    control = ExposureControl.of(automatic())
    pixels = np.zeros((480, 640), np.uint8)
    pixels[200:280, 200:300] = seen(0.6 / control.exposure_s, control).pixels.max()
    image = CameraImage("eye", 0, 0.0, control.exposure_s, 0.0, WHITE, pixels)
    pixels[200:210, 200:270] = WHITE
    assert control.after(image) == control
    pixels[200:215, 200:270] = WHITE
    assert control.after(image).exposure_s < control.exposure_s
    pixels[:] = 0
    pixels[200:216, 200:219] = WHITE
    assert control.after(image).exposure_s > control.exposure_s


def in_a_hall(control: ExposureControl) -> CameraImage:
    """A craft of 60 x 60 px, before a floor that is twenty times darker and all over the picture."""
    light = np.full((480, 640), 50.0)
    light[200:260, 300:360] = 1_000.0
    levels = np.clip(light * control.exposure_s * 10 ** (control.gain_db / 20), 0.0, 1.0)
    return CameraImage(
        "eye", 0, 0.0, control.exposure_s, control.gain_db, WHITE, np.rint(levels * WHITE).astype(np.uint8)
    )


@pytest.mark.parametrize(("part", "white"), [(MeteredPart(170, 270, 290, 390, 3600.0), False), (None, True)])
def test_who_knows_where_the_craft_is_does_not_expose_for_the_floor(part: MeteredPart | None, white: bool) -> None:
    control = ExposureControl.of(automatic())
    for _ in range(20):
        control = control.after(in_a_hall(control), part)
    reached = 1_000.0 * control.exposure_s * 10 ** (control.gain_db / 20)
    assert reached > 1.0 if white else reached == pytest.approx(0.6, rel=0.1)


def test_a_floor_beside_the_craft_in_its_part_of_the_picture_does_not_count() -> None:
    """Twice as wide a part, as of a craft whose place is not known well: it covers as many pixels."""
    control = ExposureControl.of(automatic())
    for _ in range(20):
        control = control.after(in_a_hall(control), MeteredPart(110, 210, 350, 450, 3600.0))
    assert 1_000.0 * control.exposure_s == pytest.approx(0.6, rel=0.1)


@pytest.mark.parametrize("edge_px", [4, 12])
def test_a_craft_far_away_or_at_the_pictures_rim_is_exposed_where_its_part_is_known(edge_px: int) -> None:
    """With its part it has fewer pixels than the share of the picture that may be brighter."""
    control = ExposureControl.of(automatic())
    part = MeteredPart(0, 0, edge_px, edge_px, 0.5 * edge_px**2)
    for _ in range(20):
        light = np.zeros((480, 640))
        light[:edge_px, : edge_px * 3 // 4] = 1_000.0
        shown = np.rint(np.clip(light * control.exposure_s, 0.0, 1.0) * WHITE).astype(np.uint8)
        control = control.after(CameraImage("eye", 0, 0.0, control.exposure_s, control.gain_db, WHITE, shown), part)
    assert 1_000.0 * control.exposure_s == pytest.approx(0.6, rel=0.1)


@pytest.mark.parametrize("before", [1e-5, 1.0, 100.0])
def test_a_large_glint_leaves_the_craft_its_light(before: float, shots: Any) -> None:
    """20 times as bright as the craft, 1.2 % of it: found from the dark and from glare."""
    from proxops.sensors.camera.camera import Camera

    spec = automatic(width=160, height=120)
    camera, control = Camera(spec, 0, 1), ExposureControl.of(spec)
    light = np.zeros((120, 160), np.float32)
    light[40:80, 50:100], light[40:45, 50:55] = 200.0, 4_000.0
    for k in range(16):
        sun = np.float32(before if k < 8 else 1.0)
        image = camera.develop(light * sun, shots.exposure(k, control.exposure_s, control.gain_db))
        control = control.after(image)
    assert np.median(image.pixels[46:78, 56:98]) / WHITE == pytest.approx(0.6, rel=0.15)


def test_the_level_without_light_is_taken_off() -> None:
    spec = automatic(black_share=0.1, bits=12)
    control = ExposureControl.of(spec)
    pixels = np.full(SIZE, 410, np.uint16)
    pixels[:10] = 1000  # (1000 - 410) / 4095 = 0.144 of white, where 0.5 is wanted
    image = CameraImage("eye", 0, 0.0, control.exposure_s, 0.0, 4095, pixels)
    assert isinstance(control.bounds, AutomaticBounds)
    assert control.bounds.correction(image) == pytest.approx(0.5 / 0.144, rel=0.01)


def test_a_fixed_exposure_stays() -> None:
    control = ExposureControl.of(automatic(exposure_ms=2.5, gain_db=6.0))
    assert (control.exposure_s, control.gain_db) == (0.0025, 6.0)
    for light in (0.0, 1e9):
        assert control.after(seen(light, control)) is control


def test_sixteen_bits_do_as_eight() -> None:
    control = ExposureControl.of(automatic())
    light = 0.3 / control.exposure_s
    fine, coarse = (control.after(seen(light, control, white=white)) for white in (65_535, 255))
    assert fine.exposure_s == pytest.approx(coarse.exposure_s, rel=0.01)


def test_with_a_camera_and_its_noise_it_settles(shots: Any) -> None:
    from proxops.sensors.camera.camera import Camera

    spec = automatic(width=160, height=120)
    camera, control, kept = Camera(spec, 0, 1), ExposureControl.of(spec), []
    light = np.zeros((120, 160), np.float32)
    light[40:80, 50:100] = 3.0
    for k in range(25):
        image = camera.develop(light, shots.exposure(k, control.exposure_s, control.gain_db))
        control = control.after(image)
        kept.append(control)
    assert len(set(kept[8:])) == 1
    assert np.median(image.pixels[42:78, 52:98]) / WHITE == pytest.approx(0.6, rel=0.15)
