"""Draws docs/bridge_mapping.svg and docs/bridge_pipeline.svg.

Run: python docs/draw_bridge.py
The mapping is drawn from the bridge's own kernels: the best posture that ``PostureSearch`` finds for two craft 5 m apart with
parallel axes, to scale, with the solids that collision avoidance uses. The drawings are plain SVG text, so a changed number
shows as a changed line.
"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from draw_pipeline import draw_pipeline
from numpy.typing import NDArray
from svg_sheet import AXES, CHASER, DIM, FAINT, INK, LINE, TARGET, Point, Sheet

from proxops.bridge.cost import cost_of
from proxops.bridge.descent import FREE_DTYPE, begin
from proxops.bridge.mapping import LATERAL_MAX, PHI, PLACE_DTYPE, place, rig_axes, rig_of
from proxops.bridge.posture import PostureSearch
from proxops.lab.any_cell import load_cell
from proxops.lab.shapes import (
    BODIES,
    CARRIAGE,
    FLANGE,
    FLOOR,
    MOCKUP,
    RAIL,
    ROBOT1,
    ROBOT2,
    Shape,
    body_poses,
    hall_shapes,
)

Vector = NDArray[np.float64]
Plane = Callable[[Vector], Point]

APART_M = 5.0
SCALE = 96.0  # pixels per metre


class Rig:
    """The posture that is drawn: places of everything, in the lab."""

    def __init__(self) -> None:
        self.cell = load_cell()
        self.pose = np.array([APART_M, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        search = PostureSearch(self.cell, cost_of(self.cell), self.pose, self.cell.home.copy())
        search.run()
        best = search.best(self.cell.home)[0]
        free, found = np.zeros(1, FREE_DTYPE), np.zeros(1, PLACE_DTYPE)
        rig = rig_of(self.cell, best.signs)
        begin(rig, self.pose, best.free, free)
        place(self.cell.hall, rig, self.pose, free[0]["x"], free[0]["reference"], best.q, found)
        self.found, self.phi = found[0], float(best.free[PHI])
        self.q = self.found["q"]
        self.reference = self.found["R1"] @ free[0]["reference"]
        self.bodies = np.zeros((len(BODIES), 4, 4))
        body_poses(self.cell.hall, self.q, self.bodies)
        self.shapes = hall_shapes(self.cell)


# ---------------------------------------------------------------------- solids
def outline(points: list[Point]) -> list[Point]:
    """Convex hull, counter-clockwise."""

    def half(ordered: list[Point]) -> list[Point]:
        kept: list[Point] = []
        for x, y in ordered:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2], kept[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    ordered = sorted(set(points))
    return half(ordered) + half(ordered[::-1])


def surface(shape: Shape) -> NDArray[np.float64]:
    """Points whose hull is the solid (a sphere or cylinder nearly), in its own frame."""
    x, y, z = shape.half_m
    if shape.kind == "box":
        return np.array([(x * i, y * j, z * k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    turns = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    if shape.kind == "cylinder":
        return np.array([(x * math.cos(t), x * math.sin(t), k * z) for t in turns for k in (-1, 1)])
    slices = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 9)
    return np.array(
        [(x * math.cos(s) * math.cos(t), x * math.cos(s) * math.sin(t), x * math.sin(s)) for t in turns for s in slices]
    )


def colours(body: int) -> str:
    if body in (RAIL, CARRIAGE):
        return 'fill="#eef0f2" stroke="#b6bcc4" stroke-width="0.8"'
    own = (body - ROBOT1) if body < ROBOT2 else (body - ROBOT2)
    chaser = body < ROBOT2
    if own == MOCKUP:
        fill, edge = ("#fdba74", CHASER) if chaser else ("#67c5d8", TARGET)
    else:
        fill, edge = ("#fdeee0", "#e2a57a") if chaser else ("#e2f3f6", "#7fb9c5")
    return f'fill="{fill}" fill-opacity="0.85" stroke="{edge}" stroke-width="{1.2 if own >= FLANGE else 0.8}"'


def draw_solids(sheet: Sheet, rig: Rig, plane: Plane, depth: Vector) -> None:
    """All solids, furthest first along ``depth``."""
    drawn = []
    for shape in rig.shapes:
        if shape.body == FLOOR:
            continue
        T = rig.bodies[shape.body] @ shape.T_body_shape
        points = surface(shape) @ T[:3, :3].T + T[:3, 3]
        drawn.append((float((points @ depth).max()), shape.body, points))
    for _, body, points in sorted(drawn, key=lambda row: row[0]):
        sheet.path(outline([plane(p) for p in points]), colours(body), closed=True)


def draw_port(sheet: Sheet, plane: Plane, P: Vector, R: Vector, length: float = 0.36) -> None:
    origin = plane(P)
    for k, (letter, colour) in enumerate(AXES):
        tip = plane(P + length * R[:, k])
        far = math.dist(origin, tip)
        if far < 6.0:
            continue
        sheet.path([origin, tip], f'stroke="{colour}" stroke-width="2" marker-end="url(#{letter})"')
        x, y = (origin[i] + (far + 8.0) / far * (tip[i] - origin[i]) for i in (0, 1))
        sheet.text(x - 3, y + 4, letter, f'class="s" style="fill:{colour}"')


def draw_rig(sheet: Sheet, rig: Rig, plane: Plane) -> None:
    """Wrist centres, the line, ports and the vectors c1, c2."""
    o = rig.found
    W1, W2, P1, P2 = (plane(o[key]) for key in ("W1", "W2", "P1", "P2"))
    draw_port(sheet, plane, o["P1"], o["R1"])
    draw_port(sheet, plane, o["P2"], o["R2"])
    sheet.path([P1, W1], f'stroke="{CHASER}" stroke-width="2.2" stroke-dasharray="5 3" marker-end="url(#chaser)"')
    sheet.path([P2, W2], f'stroke="{TARGET}" stroke-width="2.2" stroke-dasharray="5 3" marker-end="url(#target)"')
    sheet.path([W2, W1], f'stroke="{LINE}" stroke-width="2.4" marker-end="url(#line)"')
    for at, colour in ((W1, CHASER), (W2, TARGET)):
        sheet.dot(at, colour)
    for at, colour in ((P1, CHASER), (P2, TARGET)):
        sheet.add(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="3.5" fill="{colour}"/>')


# ---------------------------------------------------------------------- the two views
LEFT, X0 = 30.0, -0.75  # page and lab x of the left edge


def across(x: float) -> float:
    return LEFT + (x - X0) * SCALE


def label(sheet: Sheet, at: Point, words: str, dx: float, dy: float, colour: str = INK, kind: str = "i") -> None:
    sheet.text(at[0] + dx, at[1] + dy, words, f'class="{kind}" style="fill:{colour}"')


def draw_top(sheet: Sheet, rig: Rig, top_y: float) -> None:
    """From the ceiling: x right, y up."""
    o = rig.found
    zero = top_y + 2.75 * SCALE

    def plane(p: Vector) -> Point:
        return across(float(p[0])), zero - float(p[1]) * SCALE

    sheet.text(LEFT - 8, top_y + 8, "From above", 'class="h"')
    draw_solids(sheet, rig, plane, np.array([0.0, 0.0, 1.0]))
    draw_rig(sheet, rig, plane)
    W1, W2, P1, P2 = (plane(o[key]) for key in ("W1", "W2", "P1", "P2"))
    middle = (0.5 * (W1[0] + W2[0]), 0.5 * (W1[1] + W2[1]))
    label(sheet, middle, f"L = |d| = {o['L']:.2f} m", 6, -10, LINE)
    label(sheet, W1, "W₁", -3, 26, CHASER)
    label(sheet, W2, "W₂", -12, -14, TARGET)
    label(sheet, P1, "port 1 (chaser)", -132, 44, CHASER, "s")
    label(sheet, P2, "port 2 (target)", 24, 66, TARGET, "s")
    label(sheet, (0.5 * (P1[0] + W1[0]), 0.5 * (P1[1] + W1[1])), "c₁", -3, -12, CHASER)
    label(sheet, (0.5 * (P2[0] + W2[0]), 0.5 * (P2[1] + W2[1])), "c₂", -14, 19, TARGET)
    corner = (W2[0], W1[1])
    sheet.path([W2, corner, W1], f'stroke="{FAINT}" fill="none" stroke-dasharray="4 4"')
    label(sheet, (0.5 * (W2[0] + W1[0]), W1[1]), f"dx = {o['d'][0]:.2f} m, from the root", -86, -7)
    label(sheet, (W2[0], 0.62 * W1[1] + 0.38 * W2[1]), f"dy = {o['d'][1]:.2f} m".replace("-", "−"), 8, 0)
    below = zero + 0.98 * SCALE
    for x in (0.0, float(rig.q[0])):
        sheet.path([(across(x), zero - 8), (across(x), below + 5)], f'stroke="{FAINT}" stroke-dasharray="2 3"')
    text = f"rail = {rig.q[0]:.2f} m = dx + W₂ₓ − (W₁ₓ with the rail at zero)"
    sheet.dimension((across(0), below), (across(rig.q[0]), below), text, (across(1.9), below - 6))
    sheet.text(across(-0.62), zero - 2.12 * SCALE, "robot 2", f'class="s" style="fill:{TARGET}"')
    sheet.text(sheet.width - 132, zero - 0.74 * SCALE, "robot 1 on the rail", f'class="s" style="fill:{CHASER}"')


def draw_side(sheet: Sheet, rig: Rig, top_y: float) -> None:
    """From the −y side: x right, z up."""
    o = rig.found
    zero = top_y + 1.32 * SCALE

    def plane(p: Vector) -> Point:
        return across(float(p[0])), zero - float(p[2]) * SCALE

    sheet.text(LEFT - 8, top_y + 8, "From the side", 'class="h"')
    floor = zero + 1.856 * SCALE
    sheet.path([(LEFT - 12, floor), (sheet.width - 18, floor)], f'stroke="{DIM}" stroke-width="1.5"')
    pedestal = (
        f'x="{across(-0.45):.1f}" y="{zero + 1.5 * SCALE:.1f}" width="{0.9 * SCALE:.1f}" height="{0.356 * SCALE:.1f}"'
    )
    sheet.add(f'<rect {pedestal} fill="#eef0f2" stroke="#b6bcc4"/>')
    draw_solids(sheet, rig, plane, np.array([0.0, -1.0, 0.0]))
    draw_rig(sheet, rig, plane)
    W1, W2 = plane(o["W1"]), plane(o["W2"])
    sheet.path([W2, (W1[0], W2[1])], f'stroke="{FAINT}" stroke-dasharray="4 4"')
    x = W1[0] - 88
    sheet.dimension(
        (x, W2[1]), (x, W1[1] + 4), f"dz = {o['d'][2]:.2f} m", (x - 82, 0.5 * (W1[1] + W2[1]) + 9), 'class="i"'
    )
    label(sheet, (0.5 * (W1[0] + W2[0]), 0.5 * (W1[1] + W2[1])), "u = d / L", -30, -10, LINE)
    label(sheet, W1, "W₁", -8, -12, CHASER)
    label(sheet, W2, "W₂", -6, 24, TARGET)


# ---------------------------------------------------------------------- the two panels below
def draw_root(sheet: Sheet, rig: Rig, x: float, y: float) -> None:
    """The plane of the rail's direction and the lateral offset: where wrist centre 1 can be."""
    o = rig.found
    L, lateral = float(o["L"]), math.hypot(o["d"][1], o["d"][2])
    scale, centre = 21.0, (x + 190.0, y + 176.0)

    def at(along: float, beside: float) -> Point:
        return centre[0] + along * scale, centre[1] - beside * scale

    sheet.text(x, y, "The root of the rail", 'class="h"')
    turns = [math.radians(a) for a in range(-24, 205, 2)]
    circle = [at(L * math.cos(a), L * math.sin(a)) for a in turns]
    sheet.path(circle, f'fill="none" stroke="{LINE}" stroke-dasharray="5 4"')
    for share, words, style in (
        (1.0, "lateral = L: no root", f'stroke="{DIM}" stroke-dasharray="2 3"'),
        (LATERAL_MAX, f"{LATERAL_MAX:g} L: refused above", 'stroke="#c62828" stroke-dasharray="6 3"'),
    ):
        sheet.path([at(-8.4, share * L), at(9.4, share * L)], style)
        sheet.text(at(5.2, 0)[0], at(0, share * L)[1] - 4, words, 'class="t"')
    sheet.path(
        [at(-8.4, lateral), at(14.6, lateral)], f'stroke="{CHASER}" stroke-width="1.4" marker-end="url(#chaser)"'
    )
    for i, words in enumerate(("W₁ while the rail moves,", f"√(dy² + dz²) = {lateral / L:.2f} L beside W₂")):
        sheet.text(at(6.6, 0)[0], at(0, lateral)[1] + 16 + 14 * i, words, f'class="t" style="fill:{CHASER}"')
    dx = float(o["d"][0])
    sheet.path([at(0, 0), at(dx, lateral)], f'stroke="{LINE}" stroke-width="2.2"')
    sheet.path([at(0, 0), at(-dx, lateral)], f'stroke="{FAINT}" stroke-dasharray="4 4"')
    sheet.path([at(0, 0), at(dx, 0), at(dx, lateral)], f'stroke="{FAINT}" fill="none" stroke-dasharray="4 4"')
    label(sheet, at(dx / 2, 0), "dx", -8, 15)
    label(sheet, at(dx / 2, lateral / 2), "L", -2, 18, LINE)
    sheet.dot(at(dx, lateral), CHASER)
    sheet.dot(at(-dx, lateral), FAINT)
    sheet.dot(at(0, 0), TARGET)
    label(sheet, at(0, 0), "W₂", -10, 21, TARGET)
    label(sheet, at(dx, lateral), "taken: chaser on +x", 14, -8, CHASER, "s")
    label(sheet, at(-dx, lateral), "never", -42, -9, DIM, "s")


def draw_phi(sheet: Sheet, rig: Rig, x: float, y: float) -> None:
    """Along the line, from the target's side: B_lab's two axes, and the chaser's reference turned by phi."""
    B = np.empty((3, 3))
    rig_axes(rig.found["d"] / rig.found["L"], B)
    radius, centre = 88.0, (x + 165.0, y + 150.0)

    def at(angle: float, far: float) -> Point:  # seen along u the horizontal axis points left
        return centre[0] - far * math.cos(angle), centre[1] - far * math.sin(angle)

    shown = math.atan2(float(rig.reference @ B[:, 2]), float(rig.reference @ B[:, 1]))
    assert abs(math.remainder(shown - rig.phi, 2.0 * math.pi)) < 1e-9  # the kernel's phi is the angle that is drawn
    sheet.text(x, y, "The roll φ, seen along u from W₂", 'class="h"')
    sheet.add(
        f'<circle cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="{radius:g}" fill="#f5f3ff" stroke="{LINE}" '
        'stroke-opacity="0.4"/>'
    )
    for angle, words, dx, dy in ((0.0, "h: horizontal", -86, 4), (0.5 * math.pi, "n = u × h: up", -40, -8)):
        tip = at(angle, radius + 22)
        sheet.path([centre, tip], f'stroke="{INK}" stroke-width="1.6" marker-end="url(#ink)"')
        sheet.text(tip[0] + dx, tip[1] + dy, words, 'class="s"')
    tip = at(shown, radius + 22)
    sheet.path([centre, tip], f'stroke="{CHASER}" stroke-width="2.4" marker-end="url(#chaser)"')
    sheet.text(tip[0] - 30, tip[1] + 20, "b: carried on the chaser", f'class="s" style="fill:{CHASER}"')
    arc = [at(shown * k / 40, 44.0) for k in range(41)]
    sheet.path(arc, f'stroke="{LINE}" stroke-width="1.8" fill="none" marker-end="url(#line)"')
    label(sheet, at(0.5 * shown, 44.0), f"φ = {math.degrees(rig.phi):.0f}°".replace("-", "−"), -84, 10, LINE)
    sheet.add(
        f'<circle cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="7" fill="#ffffff" stroke="{LINE}" stroke-width="2"/>'
    )
    cross = f"M{centre[0] - 4:.1f} {centre[1] - 4:.1f}l8 8m0 -8l-8 8"
    sheet.add(f'<path d="{cross}" stroke="{LINE}" stroke-width="1.6"/>')
    label(sheet, centre, "u", 12, -8, LINE)


def draw_mapping() -> Sheet:
    rig = Rig()
    sheet = Sheet("The mapping: one relative pose and seven free parameters become thirteen axes", 960, 1072)
    draw_top(sheet, rig, 24.0)
    draw_side(sheet, rig, 432.0)
    draw_root(sheet, rig, 24.0, 782.0)
    draw_phi(sheet, rig, 580.0, 782.0)
    words = f"To scale: ports {APART_M:g} m apart, axes parallel; best posture of PostureSearch."
    sheet.text(24, 1056, words + " Solids are those of collision avoidance.", 'class="t"')
    return sheet


if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    draw_mapping().save(folder / "bridge_mapping.svg")
    draw_pipeline().save(folder / "bridge_pipeline.svg")
