"""Two craft stand as they fly; Sun, Earth and lamp shine as closed forms have it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.core.earth import EQUATOR_M
from proxops.core.scenery_table import Illuminator
from proxops.maths.pose import pose_from_packed
from proxops.optics.scene.beam import beam_intensity
from proxops.optics.scene.light import SUN_BAND_W_M2, DistantLight, NearLight, SurroundingLight
from proxops.optics.scene.orbit_lights import EARTH_ALBEDO, earth_share, orbit_lights
from proxops.optics.scene.orbit_surroundings import (
    CHASER,
    CLIENT,
    CLIENT_FULL,
    SERVICER,
    TARGET,
    orbit_poses,
    orbit_scene,
    shipped_craft,
)
from proxops.sensors.staging import lamp_on_chaser

Q = np.array([0.5, 0.5, -0.5, 0.5])


def test_a_distant_earth_shines_as_a_lambert_sphere() -> None:
    """Full: 2/3 of the share of the disc; at half phase 2 / (3 pi); new: nothing (Russell 1916; any textbook on phase
    functions)."""
    R = 1e-4
    for phase in (0.0, 0.7, math.pi / 2.0, 2.5, math.pi):
        wanted = 2.0 / (3.0 * math.pi) * (math.sin(phase) + (math.pi - phase) * math.cos(phase))
        assert earth_share(R, math.cos(phase)) / R**2 == pytest.approx(wanted, abs=5e-4)


def test_close_to_the_ground_the_earth_shines_as_the_ground_below() -> None:
    for cosine in (1.0, 0.5, 0.1):
        assert earth_share(0.5 * math.pi - 1e-4, cosine) == pytest.approx(cosine, abs=1e-3)
    assert earth_share(0.5 * math.pi - 1e-4, -0.1) == pytest.approx(0.0, abs=1e-4)


def test_no_lit_ground_is_seen_from_the_umbra() -> None:
    """At 400 km the Sun sets behind a globe without air 20 deg below the horizon: there the last lit ground is just on the
    limb."""
    R = EQUATOR_M / (EQUATOR_M + 400e3)
    sunset = -math.cos(math.asin(R))  # of the Sun's zenith distance where the ray grazes the globe
    assert earth_share(math.asin(R), sunset - 1e-9) == pytest.approx(0.0, abs=1e-9)
    assert earth_share(math.asin(R), sunset + 0.05) > 0.0


def test_sun_and_earthshine_in_light_and_in_eclipse() -> None:
    sun, earth = orbit_lights((1.0, 0.0, 0.0), 0.4, (-1.0, 0.0, 0.0), 1.2)
    assert isinstance(sun, DistantLight) and sun.irradiance == pytest.approx(0.4 * SUN_BAND_W_M2)
    assert isinstance(earth, SurroundingLight) and earth.direction == (-1.0, 0.0, 0.0)
    assert earth.irradiance == pytest.approx(
        SUN_BAND_W_M2 * EARTH_ALBEDO * earth_share(1.2, 1.0)
    )  # the Sun in the zenith
    dark = orbit_lights((1.0, 0.0, 0.0), 0.0, (1.0, 0.0, 0.0), 1.2)
    assert [light.irradiance for light in dark if not hasattr(light, "intensity")] == [0.0, 0.0]


def test_a_beam_carries_its_flux() -> None:
    """Narrow: a Gaussian of the angle, pi half_angle² / ln 2 steradians; wide: the half space with nothing lost."""
    h = math.radians(2.0)
    assert beam_intensity(10.0, h) == pytest.approx(10.0 * math.log(2.0) / (math.pi * h**2), rel=1e-3)
    assert beam_intensity(10.0, 1e4) == pytest.approx(10.0 / (2.0 * math.pi), rel=1e-6)


def test_the_chasers_lamp_moves_with_it() -> None:
    T = pose_from_packed(np.array([1.0, 2.0, 3.0, *Q]))
    lamp = Illuminator(intensity_w_sr=50.0)
    (light,) = lamp_on_chaser(lamp, T)
    assert isinstance(light, NearLight) and light.intensity == 50.0 and not lamp_on_chaser(Illuminator(), T)
    np.testing.assert_allclose(light.place, T[:3, :3] @ lamp.place_m + T[:3, 3])
    np.testing.assert_allclose(light.direction, -T[:3, 0])


def test_craft_stand_at_their_poses() -> None:
    centre, T_target_chaser = np.array([0.02, -0.01, 0.03]), np.array([5.0, 0.3, -0.2, *(Q * [1, 1, 1, 1])])
    poses = orbit_poses(Q, centre, T_target_chaser)
    T_scene_target, T_scene_chaser = (pose_from_packed(poses[k]) for k in (TARGET, CHASER))
    np.testing.assert_allclose(T_scene_target[:3, :3] @ centre + T_scene_target[:3, 3], 0.0, atol=1e-12)
    np.testing.assert_allclose(T_scene_chaser, T_scene_target @ pose_from_packed(T_target_chaser), atol=1e-12)


def test_the_shipped_scene_has_both_craft_and_their_sizes() -> None:
    half, full = shipped_craft(CLIENT), shipped_craft(CLIENT_FULL)
    scene = orbit_scene(full, shipped_craft(SERVICER))
    assert scene.names == ("target", "chaser") and scene.bodies == 2
    assert full.vertices[:, 0].max() == pytest.approx(2.0 * half.vertices[:, 0].max())
    again = shipped_craft(CLIENT_FULL, 0.5)
    np.testing.assert_allclose(again.vertices.max(axis=0), half.vertices.max(axis=0), atol=1e-9)
