"""Silhouettes of a craft against MuJoCo's renderer."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import renderer, still

from proxops.core.lens import Lens
from proxops.core.offscreen import PictureUnavailable, import_mujoco, open_renderer
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box, cylinder

WIDTH, HEIGHT, FOCAL = 320, 240, 500.0
LENS = Lens(WIDTH, HEIGHT, FOCAL, FOCAL, 0.5 * WIDTH - 0.5, 0.5 * HEIGHT - 0.5)


def craft() -> Mesh:
    T = np.eye(4)
    T[:3, 3] = 0.7, 0.1, 0.0
    return joined(
        [
            box((0.8, 0.5, 0.6), WHITE_PAINT),
            cylinder(0.12, 1.1, WHITE_PAINT),
            box((0.5, 0.3, 0.04), WHITE_PAINT).moved(T),
        ]
    )


def model(mesh: Mesh) -> str:
    vertices = " ".join(f"{v:.9g}" for v in mesh.vertices.ravel())
    faces = " ".join(str(v) for v in mesh.triangles.ravel())
    fovy = 2.0 * np.degrees(np.arctan(0.5 * HEIGHT / FOCAL))
    return f"""<mujoco><asset><mesh name="craft" vertex="{vertices}" face="{faces}" inertia="shell"/></asset>
      <visual><map znear="0.01" zfar="100"/><quality offsamples="0"/><global offwidth="{WIDTH}" offheight="{HEIGHT}"/></visual>
      <worldbody><camera name="eye" xyaxes="1 0 0 0 -1 0" fovy="{fovy}"/>
      <body mocap="true"><geom type="mesh" mesh="craft"/></body></worldbody></mujoco>"""


def test_silhouettes_are_the_same() -> None:
    try:
        mujoco = import_mujoco()
        loaded = mujoco.MjModel.from_xml_string(model(craft()))
        theirs = open_renderer(loaded, WIDTH, HEIGHT)
    except PictureUnavailable as reason:
        pytest.skip(str(reason))
    theirs.enable_segmentation_rendering()
    data, ours = mujoco.MjData(loaded), renderer(craft(), lens=LENS)
    # MuJoCo moves a mesh into the frame of its inertia; its geom stands there.
    at, turned = loaded.geom_pos[0].copy(), loaded.geom_quat[0].copy()
    assert np.isfinite(at).all() and np.isfinite(turned).all()
    for q in np.random.default_rng(1).standard_normal((5, 4)):
        q /= np.linalg.norm(q)
        data.mocap_pos[0], data.mocap_quat[0] = (0.05, -0.02, 3.0), q
        mujoco.mj_forward(loaded, data)
        theirs.update_scene(data, camera="eye")
        mask = theirs.render()[..., 0] >= 0
        ranges, _ = ours.depth(still((0.05, -0.02, 3.0, *q)), 1)
        own = np.isfinite(ranges[..., 0])
        assert own.sum() > 5000
        assert (own & mask).sum() / (own | mask).sum() >= 0.995
    theirs.close()
