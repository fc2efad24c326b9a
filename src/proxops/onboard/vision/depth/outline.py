"""What a client's outline adds to a pose that its surfaces do not determine: seen square on, its roll shows in nothing else.

Beams that fit the model and have a neighbour that does not are its outline as it is seen. With D the distance from the model's
outline as drawn at the pose (outside positive) and n its slope, beam i, which ends at x, gives

    e_i = D(u_i) + c,      −de/dδ = n·∂u/∂x [I   −[x − p]×]

in beams' spacings. c is half a spacing or some more, for neither a pixel that lies over the edge nor its neighbours need fit; it
is found beside the pose. The surfaces' pose and covariance are the prior. Along ``ALIKE_M`` of the outline errors count as one.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np

from proxops.maths.pose_change import pose_change
from proxops.maths.rotation import Array, matrix_from_quat, matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.depth.agreement import draw
from proxops.onboard.vision.depth.association import CAST, associate
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.covariance import deviations
from proxops.onboard.vision.depth.range_grid import RangeGrid

SURE_RAD: Final = math.radians(0.2)  # deviation of the attitude beyond which the outline is asked
FIT_SIGMAS: Final = 3.5
ACROSS_M: Final = 0.01  # beside noise: what fits
ALIKE_M: Final = 0.2
SIGMA: Final = 0.7  # spacings, of a beam, beside what parts of the model are off
WITHIN: Final = 4.0  # spacings from the drawn outline
OFFSET: Final = (0.75, 1.0)  # of c, and its deviation
KERNEL: Final = 2.0  # deviations at which a weight is a quarter
ROUNDS: Final = 2
STILL: Final = 0.2  # spacings: a step below that is the last
FEWEST: Final = 30
MARGIN: Final = 3.0  # spacings from the sides of the view


def outlined(
    model: ClientModel, beams: Beams, grid: RangeGrid, T_sensor_target: Array, P: Array
) -> tuple[Array, Array]:
    """Pose and covariance with what the outline tells; as they were where that is not seen or not needed."""
    if deviations(P)[1] < SURE_RAD:
        return T_sensor_target, P
    prior, T = np.linalg.inv(P), T_sensor_target
    edge = _at_outline(model, beams, grid, T)
    for _ in range(ROUNDS):
        found = _equations(model, edge, T)
        if found is None:
            return T_sensor_target, P
        J, e, weight = found
        off = e - J[:, 6] * OFFSET[0]
        H, g = np.zeros((7, 7)), np.zeros(7)
        H[:6, :6], H[6, 6] = prior, OFFSET[1] ** -2
        g[:6] = prior @ pose_change(T, T_sensor_target)
        H += (weight[:, None] * J).T @ J
        g += J.T @ (weight * off)
        step = np.linalg.solve(H, g)
        R = matrix_from_rotation_vector(np.ascontiguousarray(step[3:6])) @ matrix_from_quat(np.ascontiguousarray(T[3:]))
        T = np.concatenate([T[:3] + step[:3], quat_from_matrix(R)])
        if np.abs(J[:, :6] @ step[:6]).max() < STILL:
            break
    out = np.linalg.inv(H)[:6, :6]
    return T, np.asarray(0.5 * (out + out.T))


def _equations(model: ClientModel, edge: Beams, T: Array) -> tuple[Array, Array, Array] | None:
    """J (n, 7) by the pose and c, e (n) in spacings, weights."""
    if len(edge) < FEWEST:
        return None
    p, R = T[:3], matrix_from_quat(np.ascontiguousarray(T[3:]))
    x, z = edge.end, edge.end[:, 2]
    u = x[:, :2] / z[:, None]
    D, (a, b) = _drawn_distance(model, R, p, u, edge.apart_rad)
    lateral = np.stack([a, b, -(a * u[:, 0] + b * u[:, 1])], axis=1) / (z * edge.apart_rad)[:, None]
    J = np.concatenate([lateral, np.cross(x - p, lateral), -np.ones((len(x), 1))], axis=1)
    known = (np.abs(D) < WITHIN) & (np.hypot(a, b) > 0.7)
    if np.count_nonzero(known) < FEWEST:
        return None
    J, e = J[known], D[known]
    middle = float(np.median(e))
    wide_m = edge.apart_rad * float(np.median(z))
    square = SIGMA**2 + (model.part_m / wide_m) ** 2
    robust = KERNEL**2 * square / (KERNEL**2 * square + (e - middle) ** 2)
    return J, e, robust**2 * min(wide_m / ALIKE_M, 1.0) / square


def _at_outline(model: ClientModel, beams: Beams, grid: RangeGrid, T: Array) -> Beams:
    """Those that meet the client, next to one that does not."""
    n, p, R = len(beams), T[:3], matrix_from_quat(np.ascontiguousarray(T[3:]))
    raw, rows, along = np.zeros(n), np.zeros((n, 6)), np.zeros(n)
    face, how = np.full(n, -1, np.int32), np.zeros(n, np.uint8)
    reach = FIT_SIGMAS * float(np.median(beams.sigma)) + ACROSS_M
    associate(model.surface, R, p, beams.origin, beams.end, reach, beams.spot_rad, raw, rows, along, face, how)
    fits = (how == CAST) & (np.abs(raw) < FIT_SIGMAS * beams.sigma * np.abs(along) + ACROSS_M)
    cell = np.floor(beams.cell - beams.cell.min(axis=0)).astype(np.int64) + 2
    seen = np.zeros((int(cell[:, 1].max()) + 3, int(cell[:, 0].max()) + 3), np.uint8)
    seen[cell[fits, 1], cell[fits, 0]] = 1
    whole = cv2.morphologyEx(seen, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    inner = cv2.erode(whole, np.ones((3, 3), np.uint8))
    (x, y, size), (height, width) = grid.frame, grid.near.shape
    u, margin = beams.end[:, :2] / beams.end[:, 2:], MARGIN * beams.apart_rad
    low, high = np.array([x, y]) + margin, np.array([x + size * width, y + size * height]) - margin
    inside = ((u > low) & (u < high)).all(axis=1)
    return beams.some(fits & inside & (inner[cell[:, 1], cell[:, 0]] == 0))


def _drawn_distance(model: ClientModel, R: Array, p: Array, u: Array, size: float) -> tuple[Array, tuple[Array, Array]]:
    """At places ``u`` (n, 2) of the plane z = 1: distance from the drawn outline in cells of ``size``, outside positive, and its
    slope."""
    room = 2.0 * WITHIN * size
    low, high = u.min(axis=0) - room, u.max(axis=0) + room
    columns, rows = (int(n) + 1 for n in (high - low) / size)
    frame = np.array([low[0], low[1], size])
    ranges, signal = np.zeros((rows, columns)), np.zeros((rows, columns))
    draw(model.surface, model.infrared, R, p, frame, np.zeros(4, np.int64), ranges, signal)
    met = (ranges > 0.0).astype(np.uint8)
    far_out = cv2.distanceTransform(1 - met, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    far_in = cv2.distanceTransform(met, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    D = cv2.GaussianBlur(np.where(met, 0.5 - far_in, far_out - 0.5).astype(np.float32), (0, 0), 1.0)
    down, right = np.gradient(D)
    at = ((u - low) / size - 0.5).astype(np.float32)
    values = [
        cv2.remap(np.ascontiguousarray(part, np.float32), at[:, :1], at[:, 1:], cv2.INTER_LINEAR)[:, 0].astype(
            np.float64
        )
        for part in (D, right, down)
    ]
    return values[0], (values[1], values[2])
