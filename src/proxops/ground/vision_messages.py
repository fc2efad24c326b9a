"""What image processing says of an image as messages: the pose with its worth, and marks that a viewer draws over the image."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import Marks, Processed
from proxops.ground.foxglove import ANNOTATIONS, FOUND, foxglove_message
from proxops.ground.foxglove import POINTS as POINTS_MESSAGE
from proxops.ground.sensor_messages import FLOAT32, sensor_frame, timed

POINTS, LINE_LIST = 1, 4  # of PointsAnnotation.Type
MOST_MARKS: Final = 4000  # of one image: a viewer is not to be flooded
FITS, DOES_NOT, EDGES = (0.15, 0.95, 0.25), (0.95, 0.2, 0.15), (0.25, 0.75, 1.0)
PLANES: Final = (FITS, (0.98, 0.75, 0.1), (0.4, 0.6, 1.0), (0.95, 0.4, 0.9), (0.3, 0.9, 0.9), (0.8, 0.8, 0.3))
"""Colours of points by their group, from 1 on, and again from the first."""


def found_message(processed: Processed, utc_ns: int, truth: NDArray[np.float64] | None) -> bytes:
    """``truth``: T_sensor_target of the image, packed, for who judges it afterwards."""
    found = processed.found
    message = foxglove_message(FOUND)(
        frame_id=sensor_frame(found.sensor), number=found.number, t=found.t, state=processed.state.name,
        doubt=found.doubt.name, trust=found.trust, searched=processed.searched,
    )  # fmt: skip
    if found.T_sensor_target is not None:
        _put_pose(message.T_sensor_target, found.T_sensor_target)
    if found.covariance is not None:
        message.covariance.extend(found.covariance.ravel().tolist())
    if truth is not None:
        _put_pose(message.T_sensor_target_true, truth)
    return timed(message, utc_ns)


def marks_message(marks: Marks, utc_ns: int, words: str) -> bytes:
    """Over a picture or a depth image. ``words``: in its corner."""
    message = foxglove_message(ANNOTATIONS)()
    if len(marks.lines):
        _put_points(message.points.add(), marks.lines.reshape(-1, 2), LINE_LIST, EDGES, 1.0, utc_ns)
    step = max(1, -(-len(marks.points) // MOST_MARKS))
    points, group = marks.points[::step], marks.group[::step]
    for number in np.unique(group).tolist():
        of_group = points[group == number][:, :2]
        _put_points(message.points.add(), of_group, POINTS, colour_of(number), 3.0, utc_ns)
    text = message.texts.add(text=words, font_size=14.0)
    text.timestamp.seconds, text.timestamp.nanos = divmod(max(utc_ns, 0), 10**9)
    text.position.x, text.position.y = 8.0, 20.0
    _put_colour(text.text_color, (1.0, 1.0, 1.0), 1.0)
    _put_colour(text.background_color, (0.0, 0.0, 0.0), 0.6)
    body: bytes = message.SerializeToString(deterministic=True)
    return body


def scan_marks_message(marks: Marks, frame: str, utc_ns: int) -> bytes:
    """Over a scan: its points with their group, 0 for what does not fit."""
    step = max(1, -(-len(marks.points) // MOST_MARKS))
    rows = np.column_stack([marks.points, marks.group])[::step].astype("<f4")
    message = foxglove_message(POINTS_MESSAGE)(frame_id=frame, point_stride=16, data=rows.tobytes())
    message.pose.orientation.w = 1.0
    for k, name in enumerate(("x", "y", "z", "group")):
        message.fields.add(name=name, offset=4 * k, type=FLOAT32)
    return timed(message, utc_ns)


def colour_of(group: int) -> tuple[float, float, float]:
    """Of marks: 0 does not fit; 1, 2, … a plane each, or all that fits."""
    return PLANES[(group - 1) % len(PLANES)] if group else DOES_NOT


def words_of(processed: Processed) -> str:
    """In the corner of an image."""
    found = processed.found
    if found.T_sensor_target is None:
        return f"{processed.state.name}: {found.doubt.name}"
    distance = float(np.linalg.norm(found.T_sensor_target[:3]))
    judged = f"trust {found.trust:.2f}" if found.trusted else found.doubt.name
    return f"{processed.state.name}: {distance:.2f} m, {judged}"


def _put_points(
    message: Any, points: NDArray[np.float32], kind: int, colour: tuple[float, float, float], size: float, utc_ns: int
) -> None:
    message.type, message.thickness = kind, size
    message.timestamp.seconds, message.timestamp.nanos = divmod(max(utc_ns, 0), 10**9)
    _put_colour(message.outline_color, colour, 1.0)
    for x, y in points.tolist():
        message.points.add(x=x, y=y)


def _put_colour(message: Any, colour: tuple[float, float, float], a: float) -> None:
    message.r, message.g, message.b = colour
    message.a = a


def _put_pose(message: Any, T: NDArray[np.float64]) -> None:
    p, q = message.position, message.orientation
    p.x, p.y, p.z, q.w, q.x, q.y, q.z = T.tolist()
