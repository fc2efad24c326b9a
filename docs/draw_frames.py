"""Draws docs/frames_top.svg and docs/frames_side.svg: the hall to scale, with its frames at the home posture.

Run: python docs/draw_frames.py
Numbers are metres in the lab frame. Posture: rail 6 m, both robots at [0, -90, 90, 0, 0, 0] deg, the tools
of the paper's Fig. 24. The drawings are plain SVG text, so a changed number shows as a changed line.
"""

from collections.abc import Callable
from pathlib import Path

RAIL, STROKE, BED = 6.0, 25.0, 0.95
BASE_Z, FLOOR_Z, BASE2_Y = -1.5, -1.856, 1.5
D1, A1, A2, A3 = 0.75, 0.35, 1.25, -0.055
D4_1, D6_1, D4_2, D6_2 = 1.0, 0.21, 1.1, 0.23
TOOL1_OUT, TOOL1_SIDE, TOOL2_OUT = 0.05, 0.14, 0.48
FLANGE_Z = BASE_Z + D1 + A2 + A3
FLANGE1_X, FLANGE2_X = RAIL - A1 - D4_1 - D6_1, A1 + D4_2 + D6_2

Vector = tuple[float, float, float]
Axes = tuple[Vector, Vector, Vector]  # a frame's x, y, z as lab vectors
Frame = tuple[str, Vector, Axes, float, tuple[float, float]]  # name, origin, axes, arrow length, label shift
Plane = Callable[[Vector], tuple[float, float, float]]  # right, up, out of the page

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MX, MY, MZ = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
SCALE = 80.0  # pixels per metre
CUT_LEFT, CUT_RIGHT, CUT = 7.6, 22.6, 0.9  # the empty middle of the rail is left out
RED, GREEN, BLUE, GREY = "#c62828", "#2e7d32", "#1565c0", "#888"

FRAMES: tuple[Frame, ...] = (
    ("lab", (0.0, 0.0, 0.0), (X, Y, Z), 40, (-44, 20)),
    ("base1", (RAIL, 0.0, BASE_Z), (MX, MY, Z), 40, (12, -10)),
    ("base2", (0.0, BASE2_Y, BASE_Z), (X, Y, Z), 40, (-50, -8)),
    ("flange1", (FLANGE1_X, 0.0, FLANGE_Z), (MZ, MY, MX), 28, (10, -12)),
    ("flange2", (FLANGE2_X, BASE2_Y, FLANGE_Z), (MZ, Y, X), 28, (-56, -12)),
    ("port1", (FLANGE1_X - TOOL1_OUT, -TOOL1_SIDE, FLANGE_Z), (X, Z, MY), 52, (-60, 36)),
    ("port2", (FLANGE2_X + TOOL2_OUT, BASE2_Y, FLANGE_Z), (X, MZ, Y), 52, (12, -14)),
    ("pov (example)", (3.55, -1.5, -0.45), (X, Y, Z), 40, (-36, 22)),
)


def along(x: float) -> float:
    """Lab x to page metres: the stretch between the cuts shrinks to a gap."""
    if x <= CUT_LEFT:
        return x
    return (
        x - (CUT_RIGHT - CUT_LEFT - CUT) if x >= CUT_RIGHT else CUT_LEFT + CUT * (x - CUT_LEFT) / (CUT_RIGHT - CUT_LEFT)
    )


def top(p: Vector) -> tuple[float, float, float]:
    """Seen from the ceiling: x right, y up, z out of the page."""
    return p[0], p[1], p[2]


def side(p: Vector) -> tuple[float, float, float]:
    """Seen from the -y side: x right, z up, y into the page."""
    return p[0], p[2], -p[1]


class Sheet:
    """Collects SVG elements. Arguments are metres in the plane of the view; the page has pixels, y down."""

    def __init__(self, title: str, left: float, right: float, bottom: float, ceiling: float) -> None:
        self.left, self.ceiling = left, ceiling
        self.size = ((along(right) - left) * SCALE, (ceiling - bottom) * SCALE)
        self.lines: list[str] = [f"<title>{title}</title>"]
        self.lines.append('<rect width="100%" height="100%" fill="white"/>')
        for name, colour in (("x", RED), ("y", GREEN), ("z", BLUE), ("d", GREY)):
            self.lines.append(
                f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                f'orient="auto-start-reverse"><path d="M0 1 8 4 0 7z" fill="{colour}"/></marker>'
            )

    def at(self, u: float, v: float) -> tuple[float, float]:
        return (along(u) - self.left) * SCALE, (self.ceiling - v) * SCALE

    def box(self, u0: float, v0: float, u1: float, v1: float, style: str) -> None:
        (x0, y0), (x1, y1) = self.at(u0, v1), self.at(u1, v0)
        self.lines.append(f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}" {style}/>')

    def path(self, points: list[tuple[float, float]], style: str) -> None:
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*p) for p in points))
        self.lines.append(f'<polyline points="{text}" {style}/>')

    def text(self, u: float, v: float, words: str, dx: float = 0, dy: float = 0, style: str = "") -> None:
        x, y = self.at(u, v)
        self.lines.append(f'<text x="{x + dx:.1f}" y="{y + dy:.1f}" {style}>{words}</text>')

    def dimension(self, start: tuple[float, float], end: tuple[float, float], words: str, dx: float, dy: float) -> None:
        arrows = f'stroke="{GREY}" fill="none" marker-start="url(#d)" marker-end="url(#d)"'
        self.path([start, end], arrows)
        self.text((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, words, dx, dy, f'class="s" fill="{GREY}"')

    def frame(self, plane: Plane, frame: Frame) -> None:
        name, origin, axes, length, (dx, dy) = frame
        u, v, _ = plane(origin)
        x, y = self.at(u, v)
        for letter, axis, colour in zip("xyz", axes, (RED, GREEN, BLUE), strict=True):
            right, up, out = plane(axis)
            if abs(out) > 0.5:
                self._arrow_head_on(x, y, letter, colour, out > 0)
            else:
                tip = (x + length * right, y - length * up)
                self.lines.append(
                    f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{tip[0]:.1f}" y2="{tip[1]:.1f}" stroke="{colour}" '
                    f'stroke-width="2" marker-end="url(#{letter})"/>'
                )
                place = f'x="{x + (length + 9) * right - 3:.1f}" y="{y - (length + 9) * up + 4:.1f}"'
                self.lines.append(f'<text {place} fill="{colour}" class="s">{letter}</text>')
        self.lines.append(f'<text x="{x + dx:.1f}" y="{y + dy:.1f}" class="f">{name}</text>')

    def _arrow_head_on(self, x: float, y: float, letter: str, colour: str, towards_us: bool) -> None:
        self.lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="white" stroke="{colour}" stroke-width="2"/>')
        if towards_us:
            self.lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.8" fill="{colour}"/>')
        else:
            cross = f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"
            self.lines.append(f'<path d="{cross}" stroke="{colour}" stroke-width="1.6"/>')
        self.lines.append(f'<text x="{x - 14:.1f}" y="{y + 13:.1f}" fill="{colour}" class="s">{letter}</text>')

    def save(self, path: Path) -> None:
        style = "text{font-family:sans-serif;font-size:13px}.s{font-size:11px}.f{font-weight:bold;font-size:12px}"
        width, height = self.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        head += f'width="{width:.0f}" height="{height:.0f}">\n<style>{style}</style>\n'
        path.write_text(head + "\n".join(self.lines) + "\n</svg>\n", encoding="utf-8")


METAL = 'fill="#ececec" stroke="#777"'
ORANGE = 'fill="none" stroke="#e8701a" stroke-width="9" stroke-linejoin="round" opacity="0.45"'
RANGE1 = 'fill="none" stroke="#6a1b9a" stroke-dasharray="7 4"'
RANGE2 = 'fill="none" stroke="#00838f" stroke-dasharray="7 4"'


def cut_marks(sheet: Sheet, low: float, high: float) -> None:
    """Two wavy lines across the rail where its middle is left out."""
    for u in (CUT_LEFT + 0.3 * (CUT_RIGHT - CUT_LEFT), CUT_LEFT + 0.7 * (CUT_RIGHT - CUT_LEFT)):
        steps = [(u + (0.8 if i % 2 else -0.8), low + (high - low) * i / 8) for i in range(9)]
        sheet.path(steps, 'fill="none" stroke="#999"')


def draw_top() -> Sheet:
    sheet = Sheet("Hall from above", -3.3, 27.0, -3.75, 4.75)
    sheet.box(-BED, -0.58, STROKE + BED, 0.58, METAL)
    sheet.box(RAIL - 0.75, -0.60, RAIL + 0.75, 0.60, 'fill="#fbe3d0" stroke="#e8701a"')
    sheet.box(-0.45, BASE2_Y - 0.45, 0.45, BASE2_Y + 0.45, METAL)
    sheet.box(-2.5, -2.5, 24.5, 2.5, RANGE1)
    sheet.text(-2.5, -2.5, "robot 1 range, Table 3: x -2.5 … 24.5, y ±2.5", 6, -6, 'class="s" fill="#6a1b9a"')
    sheet.box(-2.5, -1.0, 2.5, 4.0, RANGE2)
    sheet.text(-2.5, 4.0, "robot 2 range, Table 3: x ±2.5, y -1 … 4 = 1.5 ± 2.5", 6, 15, 'class="s" fill="#00838f"')
    sheet.path([(RAIL, 0.0), (FLANGE1_X, 0.0)], ORANGE)
    sheet.path([(0.0, BASE2_Y), (FLANGE2_X, BASE2_Y)], ORANGE)
    plate1, plate2 = 0.35, 0.5
    sheet.box(FLANGE1_X - 0.025, -plate1, FLANGE1_X, plate1, METAL)
    sheet.box(FLANGE2_X, BASE2_Y - plate2, FLANGE2_X + 0.025, BASE2_Y + plate2, METAL)
    cut_marks(sheet, -0.75, 0.75)
    sheet.dimension((0.0, -2.85), (RAIL, -2.85), "rail position E1 (here 6 m; 0 … 25 m)", -100, -5)
    sheet.dimension((FLANGE1_X, -1.15), (RAIL, -1.15), "data lin (here 1.56 m)", -58, -5)
    sheet.dimension((-1.3, 0.0), (-1.3, BASE2_Y), "1.5 m", -42, 4)
    sheet.dimension((0.0, -3.3), (STROKE, -3.3), "stroke 25 m (middle not drawn)", -80, -5)
    sheet.text(RAIL, 0.0, "robot 1, KR 100 HA", -50, 68, 'class="s"')
    sheet.text(0.0, BASE2_Y, "robot 2, KR 240-2", -48, 50, 'class="s"')
    sheet.text(STROKE, 0.0, "rail KL 1500", -60, 4, 'class="s"')
    for frame in FRAMES:
        sheet.frame(top, frame)
    return sheet


def arm(base_x: float, forward: float, d4: float, d6: float) -> list[tuple[float, float]]:
    """Side view of a robot at home: base, axis 2, axis 3, forearm axis, wrist centre, flange."""
    shoulder, elbow = BASE_Z + D1, BASE_Z + D1 + A2
    stations = ((0.0, BASE_Z), (0.0, shoulder), (A1, shoulder), (A1, elbow), (A1, elbow + A3))
    reach = ((A1 + d4, elbow + A3), (A1 + d4 + d6, elbow + A3))
    return [(base_x + forward * u, v) for u, v in (*stations, *reach)]


def draw_side() -> Sheet:
    sheet = Sheet("Hall from the side", -3.3, 27.0, -2.9, 2.0)
    sheet.path([(-3.2, FLOOR_Z), (26.9, FLOOR_Z)], 'stroke="#444" stroke-width="2"')
    sheet.box(-BED, FLOOR_Z, STROKE + BED, BASE_Z - 0.19, METAL)
    sheet.box(RAIL - 0.75, BASE_Z - 0.19, RAIL + 0.75, BASE_Z, 'fill="#fbe3d0" stroke="#e8701a"')
    sheet.box(-0.45, FLOOR_Z, 0.45, BASE_Z, METAL)
    sheet.path([(-3.2, BASE_Z), (26.9, BASE_Z)], f'stroke="{GREY}" stroke-dasharray="3 4"')
    sheet.text(STROKE, BASE_Z, "base plane of both robots, z = -1.5 m", -120, -6, f'class="s" fill="{GREY}"')
    sheet.text(RAIL, FLOOR_Z, "floor, z = -1.856 m (carriage height 0.356 m: stand-in)", 60, 18, 'class="s"')
    sheet.path(arm(RAIL, -1.0, D4_1, D6_1), ORANGE)
    sheet.path(arm(0.0, 1.0, D4_2, D6_2), ORANGE)
    sheet.box(FLANGE1_X - 0.025, FLANGE_Z - 0.35, FLANGE1_X, FLANGE_Z + 0.35, METAL)
    sheet.box(FLANGE2_X, FLANGE_Z - 0.5, FLANGE2_X + 0.025, FLANGE_Z + 0.5, METAL)
    cut_marks(sheet, FLOOR_Z - 0.15, BASE_Z - 0.05)
    sheet.box(-2.5, -0.5, 24.5, 1.2, RANGE1)
    sheet.text(8.0, 1.2, "robot 1 range, Table 3: z -0.5 … 1.2", 10, 15, 'class="s" fill="#6a1b9a"')
    sheet.box(-2.5, -0.5, 2.5, 1.5, RANGE2)
    sheet.text(-2.5, 1.5, "robot 2 range, Table 3: z -0.5 … 1.5", 6, 15, 'class="s" fill="#00838f"')
    sheet.dimension((-1.3, BASE_Z), (-1.3, 0.0), "1.5 m", -42, 4)
    sheet.dimension((2.95, 0.0), (2.95, FLANGE_Z), "0.445 m", 6, 4)
    sheet.path([(0.6, 0.0), (3.1, 0.0)], f'stroke="{GREY}" stroke-dasharray="3 4"')
    sheet.dimension((0.0, -2.3), (RAIL, -2.3), "rail position E1 (here 6 m)", -70, -5)
    sheet.dimension((FLANGE1_X, -1.0), (RAIL, -1.0), "data lin (here 1.56 m)", -62, -5)
    sheet.dimension((FLANGE2_X, -1.0), (FLANGE2_X + TOOL2_OUT, -1.0), "tool 0.48 m", -30, 16)
    sheet.text(RAIL, BASE_Z, "robot 1", 14, -40, 'class="s"')
    sheet.text(0.0, BASE_Z, "robot 2", -58, -46, 'class="s"')
    for frame in FRAMES:
        sheet.frame(side, frame)
    return sheet


if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    draw_top().save(folder / "frames_top.svg")
    draw_side().save(folder / "frames_side.svg")
