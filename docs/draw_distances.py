"""Draws the picture of docs/vision.md of poses from distances: ``PYTHONPATH=src:. python docs/draw_distances.py``.

A depth image with the planes of the client that its pixels were fitted to; a scan with the model at the pose that was found.
"""

from pathlib import Path
from typing import Final

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from benchmarks.vision_catalogue import CatalogueSample, VisionCatalogue
from benchmarks.vision_depth import MOVING, Known, sensors
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from proxops.core.images import DepthImage
from proxops.core.vision import PoseFound
from proxops.maths.pose import pose_from_packed
from proxops.optics.scene.mesh import Mesh

OUT: Final = Path(__file__).parent / "pictures" / "vision_distances.jpg"
RANGE_M, SEED = 5.0, 4
PLANES: Final = 9  # with a colour of their own
RED: Final = "#f85149"


def main() -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13.2, 4.6))
    specs = sensors()
    _, sample, found = looked_at(VisionCatalogue(specs["ToF"]))
    _depth(left, middle, sample, found)
    seen, sample, found = looked_at(VisionCatalogue(specs["LiDAR"]))
    _scan(right, seen.client, found)
    figure.tight_layout()
    figure.savefig(OUT, dpi=90, pil_kwargs={"quality": 85})


def looked_at(seen: VisionCatalogue) -> tuple[VisionCatalogue, CatalogueSample, PoseFound]:
    sample = seen.sample("usual", RANGE_M, SEED, error=MOVING)
    found = Known(seen.spec, seen.client)(seen.client, SEED, 0.0, 0.0).estimate(sample.sight)
    assert found.trusted and found.marks is not None
    return seen, sample, found


def _depth(left: Axes, middle: Axes, sample: CatalogueSample, found: PoseFound) -> None:
    assert isinstance(sample.image, DepthImage) and found.marks is not None
    points, group = found.marks.points, found.marks.group
    low, high = points.min(axis=0) - 12, points.max(axis=0) + 12
    for axis, title in ((left, "depth image, m"), (middle, "planes of the client, fitted beams")):
        axis.set(title=title, xticks=[], yticks=[], xlim=(low[0], high[0]), ylim=(high[1], low[1]), aspect="equal")
    shown = left.imshow(sample.image.range_m, cmap="viridis")
    shown.set_clim(*np.nanpercentile(sample.image.range_m, (2, 98)))
    plt.colorbar(shown, ax=left, shrink=0.8)
    left.set(xlim=(low[0], high[0]), ylim=(high[1], low[1]))
    middle.scatter(*points[group == 0].T, s=5, color=RED, label="over an edge, or does not fit")
    fits = group > 0
    middle.scatter(*points[fits].T, s=5, c=np.minimum(group[fits], PLANES + 1), cmap="tab10", vmin=0.5, vmax=10.5)
    middle.legend(fontsize=8, loc="lower right")


def _scan(axis: Axes, client: Mesh, found: PoseFound) -> None:
    """Triangles that face the sensor, the farthest first, with the scan's points before them."""
    assert found.marks is not None and found.T_sensor_target is not None
    T = pose_from_packed(found.T_sensor_target)
    corners = (client.vertices @ T[:3, :3].T + T[:3, 3])[client.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces = corners[(normals * corners[:, 0]).sum(axis=1) < 0.0]
    faces = faces[np.argsort(-faces[:, :, 2].mean(axis=1))]
    axis.add_collection(
        PolyCollection(faces[:, :, :2] / faces[:, :, 2:], facecolor="#d7dde5", edgecolor="#8b95a3", lw=0.3)
    )
    points = found.marks.points
    flat = points[:, :2] / points[:, 2:]
    fits = found.marks.group > 0
    axis.scatter(*flat[~fits].T, s=4, color=RED, label="over an edge, or does not fit")
    axis.scatter(*flat[fits].T, s=2, c=points[fits, 2], cmap="viridis")
    axis.set(title="scan over the model at the pose found", xticks=[], yticks=[], aspect="equal")
    axis.invert_yaxis()
    axis.legend(fontsize=8, loc="lower right")


if __name__ == "__main__":
    main()
