"""Draws the picture of docs/vision.md that shows how the edge tracker works: ``PYTHONPATH=src:. python docs/draw_vision.py``.

An image of the light catalogue, the picture that its prediction leads one to expect, both along one normal, and the pose found.
"""

from pathlib import Path
from typing import Final

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from benchmarks.vision_catalogue import CAMERA, PredictionError, VisionCatalogue
from benchmarks.vision_tracking import estimator_with
from matplotlib.axes import Axes
from numpy.typing import NDArray

from proxops.core.images import CameraImage
from proxops.core.vision import Floats, Marks
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.control_points import ControlPoints, between_pixels, control_points
from proxops.onboard.vision.edge_search import LIKENESS, NORMAL, SHIFT, U, V, search, searched
from proxops.onboard.vision.edge_tracker import HALF, LEAST_SLOPE, MARGIN, POINTS, SMOOTHED, WIDEST
from proxops.onboard.vision.expected_picture import Draughtsman, ExpectedPicture, Picture, smoothed
from proxops.onboard.vision.lens_kernel import lens_numbers

OUT: Final = Path(__file__).parent / "pictures" / "vision_tracker.jpg"
LIGHT, RANGE_M, SEED = "usual", 6.0, 3
OFF: Final = PredictionError(0.004, 0.0, 0.5, exact=True)
RIM: Final = 28  # px of what is drawn that are not shown
REACH: Final = 11  # px of the profiles that are drawn
GREEN, RED, BLUE = "#3fb950", "#f85149", "#58a6ff"


def main() -> None:
    catalogue = VisionCatalogue()
    sample = catalogue.sample(LIGHT, RANGE_M, SEED, error=OFF)
    assert isinstance(sample.image, CameraImage) and sample.sight.prediction is not None
    found = estimator_with(catalogue.client, SEED).estimate(sample.sight)
    assert found.marks is not None and found.trusted
    picture = smoothed(sample.image.pixels.astype(np.float32), SMOOTHED)
    T = sample.sight.prediction.T_sensor_target
    drawn_by = Draughtsman(CAMERA.lens, catalogue.client)
    expected = drawn_by.draw(T, sample.sight.lights, MARGIN)
    level = smoothed(expected.radiance, float(np.hypot(CAMERA.blur_px, SMOOTHED)))
    bright = float(np.percentile(level[expected.ids >= 0], 75))
    points = control_points(expected, level, drawn_by, LEAST_SLOPE * bright, HALF, POINTS)
    rows = looked_for(picture, points, T)
    chosen = telling(points, rows)
    _draw(picture, level, expected, points, rows, chosen, found.marks)


def looked_for(picture: Picture, points: ControlPoints, T: Floats) -> Floats:
    rows = searched(len(points))
    search(
        picture, np.zeros(2), points.place, points.along, points.profile, pose_from_packed(T), lens_numbers(CAMERA.lens),
        WIDEST, rows,
    )  # fmt: skip
    return rows


def telling(points: ControlPoints, rows: Floats) -> int:
    """A point at a contour that lies clearly elsewhere."""
    score = rows[:, LIKENESS] + 0.05 * np.minimum(np.abs(rows[:, SHIFT]), 5.0) + 0.2 * points.contour
    return int(np.argmax(score))


def _draw(
    picture: Picture, level: Picture, expected: ExpectedPicture, points: ControlPoints, rows: Floats, chosen: int, marks: Marks
) -> None:  # fmt: skip
    top, left, bottom, right = expected.box
    figure, axes = plt.subplots(1, 4, figsize=(13.2, 4.2), gridspec_kw={"width_ratios": [1, 1, 1.05, 1]})
    row = rows[chosen]
    for axis, shown, title in ((axes[0], level, "expected"), (axes[1], picture[top:bottom, left:right], "image")):
        _show(axis, shown, title)
        _normal(axis, row, left, top)
    axes[0].plot(rows[:, U] - left, rows[:, V] - top, ".", color=BLUE, ms=1.2)
    _profiles(axes[2], picture, points.profile[chosen], row)
    _show(axes[3], picture[top:bottom, left:right], "found")
    for u0, v0, u1, v1 in marks.lines:
        axes[3].plot([u0 - left, u1 - left], [v0 - top, v1 - top], color=GREEN, lw=0.7)
    figure.tight_layout()
    figure.savefig(OUT, dpi=100, pil_kwargs={"quality": 88})


def _show(axis: Axes, shown: NDArray[np.float32], title: str) -> None:
    axis.imshow(np.clip(shown / np.percentile(shown, 99.7), 0.0, 1.0) ** (1.0 / 2.2), cmap="gray")
    height, width = shown.shape
    axis.set(title=title, xticks=[], yticks=[], xlim=(RIM, width - RIM), ylim=(height - RIM, RIM))


def _normal(axis: Axes, row: Floats, left: int, top: int) -> None:
    ends = np.array([-1.0, 1.0]) * (REACH + HALF)
    axis.plot(row[U] - left + ends * row[NORMAL], row[V] - top + ends * row[NORMAL + 1], color=RED, lw=1.2)


def _profiles(axis: Axes, picture: Picture, profile: Floats, row: Floats) -> None:
    steps, own = np.arange(-REACH, REACH + 1), np.arange(-HALF, HALF + 1)
    seen = [between_pixels(picture, row[U] + s * row[NORMAL], row[V] + s * row[NORMAL + 1]) for s in steps]
    here = np.array(
        [between_pixels(picture, row[U] + s * row[NORMAL], row[V] + s * row[NORMAL + 1]) for s in own + row[SHIFT]]
    )
    gain, offset = np.polyfit(profile, here, 1)
    axis.plot(steps, seen, "o-", color="black", ms=3, lw=1, label="image P")
    axis.plot(own, gain * profile + offset, "s--", color=BLUE, ms=3, lw=1, label="expected, a T + b")
    axis.plot(own + row[SHIFT], gain * profile + offset, "-", color=GREEN, lw=2.5, alpha=0.8, label="shifted by s")
    axis.annotate(
        f"s = {row[SHIFT]:.2f} px", (0.97, 0.06), xycoords="axes fraction", ha="right", color=RED, fontsize=11
    )
    axis.set(title="along the red normal", xlabel="px, towards the brighter side", ylabel="level")
    axis.legend(fontsize=8)


if __name__ == "__main__":
    main()
