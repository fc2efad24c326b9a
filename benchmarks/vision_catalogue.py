"""Images of the light catalogue with what flight software would know of each: for benchmarks and tests of estimators.

Images are drawn by the sensors' own code, at any attitude of the client. Beside each stand the truth and a ``Sight``: lights as
known on board (the Sun by some degrees off), and a prediction with errors as a filter's has them. The same arguments give the
same sample, bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.dataset.exposing import take
from proxops.applications.mission.dataset.lights import CATALOGUE, LightCondition
from proxops.applications.mission.dataset.poses import PosedView, drawn
from proxops.core.images import Image
from proxops.core.imaging_table import CameraSensor, RenderedSensor
from proxops.core.scenery_table import Illuminator, Scenery
from proxops.core.vision import PosePrediction
from proxops.maths.quaternion import put_unit, quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.onboard.vision.known_light import light_in_orbit
from proxops.onboard.vision.sight import EarthInView, Sight
from proxops.optics.scene.light import DistantLight, Light
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.model_error import altered
from proxops.optics.scene.orbit_surroundings import CLIENT, SERVICER, orbit_scene, shipped_craft
from proxops.optics.scene.tree import tree_of
from proxops.sensors.image_generator import painter
from proxops.sensors.moment import OrbitMoment, PictureOrder
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.orbit_staging import OrbitStaging
from proxops.sensors.staging import lamp_on_chaser

Floats = NDArray[np.float64]
CAMERA: Final = CameraSensor(kind="camera", name="eye")
ASIDE: Final = 0.25  # share of the half view, in which the client's origin lies: the chaser points at it
SUN_OFF: Final = math.radians(2.0)  # by which the Sun is known wrongly, in any direction


@dataclass(frozen=True)
class PredictionError:
    """One standard deviation of each axis: of the place as a share of the range and in metres, of the attitude in degrees.
    ``exact``: place and turn are off by exactly √3 times that, in any direction. ``motion``: of each axis, m/s and deg/s."""

    share: float = 0.004
    place_m: float = 0.01
    turn_deg: float = 0.7
    exact: bool = False
    motion: tuple[float, float] = (0.0, 0.0)


FILTERED: Final = PredictionError()
CAPTURE: Final = PredictionError(0.03 / math.sqrt(3.0), 0.0, 5.0 / math.sqrt(3.0), exact=True)


@dataclass(frozen=True, eq=False)
class CatalogueSample:
    """``sight`` is all that an estimator gets."""

    sight: Sight
    T_sensor_target: Floats  # (7) true
    light: str

    @property
    def image(self) -> Image:
        return self.sight.image

    @property
    def range_m(self) -> float:
        return float(np.linalg.norm(self.T_sensor_target[:3]))


class VisionCatalogue:
    """``client``: as it is truly seen, in the target's frame; the shipped mock-up unless given. One of each sensor and client."""

    def __init__(self, spec: RenderedSensor = CAMERA, client: Mesh | None = None, *, aside: float = ASIDE) -> None:
        self.spec, self._aside = spec, aside
        self.client = client or shipped_craft(CLIENT)
        self._generators: dict[float, MeshGenerator] = {}

    def sample(
        self, light: str, range_m: float, seed: int, *, error: PredictionError | None = FILTERED, sun_off: float = SUN_OFF
    ) -> CatalogueSample:  # fmt: skip
        """``light``: a name of the data sets' catalogue. ``error`` None: nothing is predicted."""
        condition = CATALOGUE[light]
        rng = np.random.default_rng((seed, list(CATALOGUE).index(light), round(1000.0 * range_m)))
        view = drawn(self.spec, light, condition, (range_m, range_m * (1.0 + 1e-9)), rng, self._aside)
        image, T = take(self._generator(condition.lamp_w_sr), self.spec, 0, seed, view, condition.exposures)
        lights, earth = lights_known(view, self.spec, condition, sun_off, rng)
        prediction = None if error is None else predicted(T, error, rng)
        return CatalogueSample(Sight(image, prediction, lights, earth), T, light)

    def _generator(self, lamp_w_sr: float) -> MeshGenerator:
        if lamp_w_sr not in self._generators:
            self._generators[lamp_w_sr] = MeshGenerator(self.spec, self.client, lamp_w_sr)
        return self._generators[lamp_w_sr]


class MeshGenerator:
    """Takes pictures of one mesh in orbit; as ``ImageGenerator``, which knows clients by their files."""

    def __init__(self, spec: RenderedSensor, client: Mesh, lamp_w_sr: float = 0.0, seed: int = 0) -> None:
        self._spec = spec
        self._staging = OrbitStaging(Scenery(illuminator=Illuminator(intensity_w_sr=lamp_w_sr)), None, (spec,))
        self._staging.scene = orbit_scene(client, shipped_craft(SERVICER))
        self._paint = painter(spec, 0, seed, self._staging, tree_of(self._staging.scene))

    def take(self, order: PictureOrder) -> tuple[Image, Floats]:
        """The image, and T_sensor_target (7) at its time."""
        exposure = self._staging.exposure(order, self._spec)
        return self._paint(exposure), self._staging.truth(exposure)


def lights_known(
    view: PosedView, spec: RenderedSensor, condition: LightCondition, sun_off: float, rng: np.random.Generator
) -> tuple[tuple[Light, ...], EarthInView]:
    """In the sensor's frame, as flight software works them out; the Sun ``sun_off`` (rad) beside where it is."""
    orbit = view.moment.orbit
    assert orbit is not None
    lights, earth = light_in_orbit(orbit.to_sun, orbit.p_eci_target, _R_sensor_eci(orbit, spec))
    turn = _turned(rng, sun_off)
    lights = tuple(_carried(turn, light) if isinstance(light, DistantLight) else light for light in lights)
    if condition.lamp_w_sr > 0.0:
        T = T_craft_sensor(spec)
        back = np.eye(4)
        back[:3, :3], back[:3, 3] = T[:3, :3].T, -T[:3, :3].T @ T[:3, 3]
        lights += lamp_on_chaser(Illuminator(intensity_w_sr=condition.lamp_w_sr), back)
    return lights, earth


def _R_sensor_eci(orbit: OrbitMoment, spec: RenderedSensor) -> Floats:
    R_eci_chaser = matrix_from_quat(orbit.q_eci_target) @ matrix_from_quat(orbit.T_target_chaser[3:])
    return np.asarray((R_eci_chaser @ T_craft_sensor(spec)[:3, :3]).T)


def _carried(R: Floats, light: DistantLight) -> DistantLight:
    x, y, z = (R @ np.array(light.direction)).tolist()
    return replace(light, direction=(x, y, z))


def _turned(rng: np.random.Generator, angle: float) -> Floats:
    return np.asarray(matrix_from_quat(quat_from_rotation_vector(angle * any_direction(rng))))


def any_direction(rng: np.random.Generator) -> Floats:
    """(3) of length one."""
    v = rng.standard_normal(3)
    return np.asarray(v / np.linalg.norm(v))


def predicted(T: Floats, error: PredictionError, rng: np.random.Generator) -> PosePrediction:
    """Off the truth by that, and saying so."""
    place = math.hypot(error.share * float(np.linalg.norm(T[:3])), error.place_m)
    sigmas = np.repeat([place, math.radians(error.turn_deg)], 3)
    if error.exact:
        root = math.sqrt(3.0)
        off = sigmas * root * np.concatenate([any_direction(rng), any_direction(rng)])
    else:
        off = sigmas * rng.standard_normal(6)
    q = np.empty(4)
    put_unit(quat_product(quat_from_rotation_vector(off[3:]), np.ascontiguousarray(T[3:])), q)
    motion = np.repeat([error.motion[0], math.radians(error.motion[1])], 3)
    if motion.any():
        motion *= rng.standard_normal(6)
    return PosePrediction(np.concatenate([T[:3] + off[:3], q]), np.diag(sigmas**2), motion)


def pose_error(T_found: Floats, T_true: Floats) -> Floats:
    """(6) m and rad, as ``core/vision.py`` has errors: what takes the found pose to the true one."""
    turn = np.empty(3)
    q_found = quat_inverse(np.ascontiguousarray(T_found[3:]))
    rotation_vector(quat_product(np.ascontiguousarray(T_true[3:]), q_found), turn)
    return np.concatenate([T_true[:3] - T_found[:3], turn])


def believed_client(mesh: Mesh, rng: np.random.Generator, albedo: float = 2.0, part_m: float = 0.0) -> Mesh:
    """As it might be known on board: see ``optics/scene/model_error.py``."""
    return altered(mesh, rng, albedo, part_m)


def mirrored_client(mesh: Mesh) -> Mesh:
    """Left and right exchanged (y)."""
    flip = np.array([1.0, -1.0, 1.0])
    normals = (mesh.corner_normals * flip)[:, ::-1].astype(np.float32)
    return replace(
        mesh,
        vertices=mesh.vertices * flip,
        triangles=np.ascontiguousarray(mesh.triangles[:, ::-1]),
        corner_normals=np.ascontiguousarray(normals),
    )
