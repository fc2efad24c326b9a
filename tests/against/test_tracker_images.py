"""The edge tracker on images that its own renderer did not draw, and on a client whose mesh is not its model's: as exact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from benchmarks.vision_catalogue import CAMERA, FILTERED, VisionCatalogue, pose_error, predicted
from benchmarks.vision_tracking import PLACE_BOUND, RANGES_M, TURN_BOUND, tried
from divided_mesh import finely_divided
from numpy.typing import NDArray

from proxops.core.images import CameraImage
from proxops.core.offscreen import PictureUnavailable, import_mujoco, open_renderer
from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.vision.camera_estimator import CameraEstimator
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.orbit_surroundings import CLIENT, shipped_craft
from proxops.optics.scene.palette import paint

Floats = NDArray[np.float64]
ALBEDOS = (0.08, 0.35, 0.55, 0.15, 0.8, 0.05)
SUN = np.array([0.4, -0.5, -0.77]) / np.linalg.norm([0.4, -0.5, -0.77])  # towards it, in the sensor's frame
WIDTH, HEIGHT, FOCAL = CAMERA.width, CAMERA.height, CAMERA.lens.fx
IMAGES = 5


def painted() -> Mesh:
    """Matt: what both renderers draw alike."""
    client = shipped_craft(CLIENT)
    return replace(client, palette=tuple(paint(albedo) for albedo in ALBEDOS[: len(client.palette)]))


def model(mesh: Mesh) -> str:
    """In MuJoCo's camera frame the sensor's y and z are turned round. A mesh for each material."""
    assets, geoms = [], []
    for k, albedo in enumerate(ALBEDOS[: len(mesh.palette)]):
        faces = mesh.triangles[mesh.material == k]
        used, faces = np.unique(faces, return_inverse=True)
        vertices = " ".join(f"{v:.9g}" for v in mesh.vertices[used].ravel())
        assets.append(
            f'<mesh name="m{k}" vertex="{vertices}" face="{" ".join(map(str, faces.ravel()))}" inertia="shell"/>'
            f'<material name="p{k}" rgba="{albedo} {albedo} {albedo} 1" specular="0" shininess="0" reflectance="0"/>'
        )
        geoms.append(f'<geom type="mesh" mesh="m{k}" material="p{k}" contype="0" conaffinity="0"/>')
    away = " ".join(f"{-x:.9g}" for x in SUN)
    fovy = 2.0 * np.degrees(np.arctan(0.5 * HEIGHT / FOCAL))
    return f"""<mujoco><statistic extent="2" center="0 0 0"/><visual><headlight active="0"/>
      <map znear="0.05" zfar="50" shadowclip="2"/>
      <quality shadowsize="4096" offsamples="8"/><global offwidth="{WIDTH}" offheight="{HEIGHT}"/></visual>
      <asset>{"".join(assets)}</asset><worldbody><camera name="eye" xyaxes="1 0 0 0 -1 0" fovy="{fovy}"/>
      <body mocap="true"><light mode="trackcom" directional="true" dir="{away}" diffuse="1 1 1" ambient="0 0 0" specular="0 0 0"/>
      {"".join(geoms)}</body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def theirs() -> Any:
    try:
        mujoco = import_mujoco()
        loaded = mujoco.MjModel.from_xml_string(model(painted()))
        drawn = open_renderer(loaded, WIDTH, HEIGHT)
    except PictureUnavailable as reason:
        pytest.skip(str(reason))
    data = mujoco.MjData(loaded)
    yield mujoco, loaded, data, drawn
    drawn.close()


def picture(theirs: Any, T: Floats, rng: np.random.Generator) -> CameraImage:
    """With the noise of 3,000 electrons in white."""
    mujoco, loaded, data, drawn = theirs
    data.mocap_pos[0], data.mocap_quat[0] = T[:3], T[3:]
    # The light belongs to the body, so that its shadows are drawn where that is; its direction is the world's.
    loaded.light_dir[0] = matrix_from_quat(T[3:]).T @ -SUN
    mujoco.mj_forward(loaded, data)
    drawn.update_scene(data, camera="eye")
    level = drawn.render()[..., 1].astype(float)
    noisy = level + np.sqrt(255.0 / 3000.0 * level) * rng.standard_normal(level.shape)
    return CameraImage("eye", 0, 0.0, 1e-3, 0.0, 255, np.clip(np.round(noisy), 0, 255).astype(np.uint8))


@pytest.mark.parametrize("k", [1, 2])
def test_images_of_mujoco_give_the_same_accuracy(theirs: Any, k: int) -> None:
    rng, range_m, errors = np.random.default_rng(7), RANGES_M[k], []
    estimator = CameraEstimator(CAMERA.lens, painted(), 0.3)
    for _ in range(IMAGES):
        q = rng.standard_normal(4)
        T = np.array([0.02 * range_m, -0.03 * range_m, range_m, *(q / np.linalg.norm(q))])
        light = DistantLight((float(SUN[0]), float(SUN[1]), float(SUN[2])), 950.0)
        found = estimator.estimate(Sight(picture(theirs, T, rng), predicted(T, FILTERED, rng), (light,)))
        if found.trusted and found.T_sensor_target is not None:
            errors.append(pose_error(found.T_sensor_target, T))
    assert len(errors) >= IMAGES - 1
    rows = np.array(errors)
    assert 1e3 * np.median(np.linalg.norm(rows[:, :3], axis=1)) / range_m <= PLACE_BOUND[k]
    assert np.degrees(np.median(np.linalg.norm(rows[:, 3:], axis=1))) <= TURN_BOUND[k]


@pytest.mark.parametrize("k", [1, 2])
def test_a_client_of_another_mesh_gives_the_same_accuracy(k: int) -> None:
    known = shipped_craft(CLIENT)
    seen = VisionCatalogue(client=finely_divided(known))
    cell = [one for one in tried(seen, "usual", RANGES_M[k], IMAGES, known=known) if one.accepted]
    assert len(cell) >= IMAGES - 1
    rows = np.array([one.error for one in cell])
    assert 1e3 * np.median(np.linalg.norm(rows[:, :3], axis=1)) / RANGES_M[k] <= PLACE_BOUND[k]
    assert np.degrees(np.median(np.linalg.norm(rows[:, 3:], axis=1))) <= TURN_BOUND[k]
