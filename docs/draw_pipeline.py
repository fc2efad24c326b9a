"""The pipeline of the bridge as a drawing; docs/draw_bridge.py saves it."""

from svg_sheet import DIM, FAINT, INK, Point, Sheet


def block(
    sheet: Sheet, x: float, y: float, w: float, h: float, head: str, lines: list[str], file: str, fill: str
) -> None:
    sheet.add(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="8" fill="{fill}" stroke="#9ca3af"/>')
    sheet.text(x + w / 2, y + 20, head, 'class="h" text-anchor="middle"')
    for i, line in enumerate(lines):
        sheet.text(x + w / 2, y + 38 + 15 * i, line, 'class="t" text-anchor="middle"')
    sheet.text(x + w / 2, y + h - 8, file, 'class="m" text-anchor="middle"')


def arrow(sheet: Sheet, points: list[Point], words: str = "", at: Point = (0, 0), dashed: bool = False) -> None:
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    colour, head = (DIM, "dim") if dashed else (INK, "ink")
    sheet.path(points, f'stroke="{colour}" stroke-width="1.5" fill="none" marker-end="url(#{head})"{dash}')
    for i, line in enumerate(words.split("|")):
        sheet.text(at[0], at[1] + 13 * i, line, 'class="t" text-anchor="middle"')


STAGES = (
    ("Port", ["checks, one master,", "subtract, then turn"], "port", "#f3f4f6"),
    ("Input filter", ["one-packet buffer,", "cubic over holes"], "input_filter", "#f3f4f6"),
    ("Estimate", ["triple pole at 12 rad/s,", "jumps are taken"], "estimate", "#f3f4f6"),
    ("Clutch", ["speed and acceleration", "bounded, every tick"], "clutch", "#ede9fe"),
    ("Mapping", ["closed form, exact;", "7 parameters free"], "mapping, ride", "#ede9fe"),
    ("Guard", ["ranges, speeds, Table 3;", "brakes"], "safety/guard", "#fef3c7"),
)
FLOWS = (
    "260 bytes|two poses",
    "samples|T_target_chaser",
    "one sample|a cycle",
    "p v a|R w α",
    "pose shown",
    "13 axes",
    "set-point",
)


def draw_pipeline() -> Sheet:
    sheet = Sheet("The bridge, every 4 ms", 1168, 520)
    w, h, gap, x0, y0 = 132.0, 92.0, 34.0, 96.0, 84.0
    left = [x0 + (w + gap) * i for i in range(6)]
    for x, (head, lines, file, fill) in zip(left, STAGES, strict=True):
        block(sheet, x, y0, w, h, head, lines, file, fill)
    sheet.text(20, 30, "Every 4 ms", 'class="h"')
    sheet.text(20, y0 + 42, "client", 'class="h"')
    sheet.text(left[-1] + w + gap + 4, y0 + 50, "robots", 'class="h"')
    for i, words in enumerate(FLOWS):
        start = 68.0 if i == 0 else left[i - 1] + w
        end = left[i] if i < 6 else left[-1] + w + gap
        arrow(sheet, [(start, y0 + 46), (end, y0 + 46)], words, (0.5 * (start + end), y0 - 24))
        sheet.path(
            [(0.5 * (start + end), y0 + 4 - 10), (0.5 * (start + end), y0 + 40)], f'stroke="{FAINT}" stroke-width="0.7"'
        )
    draw_helpers(sheet, left, w, y0 + h)
    return sheet


def draw_helpers(sheet: Sheet, left: list[float], w: float, under: float) -> None:
    """What stands beside the line: free motion with its pace, control logic, posture search, zones, status."""
    y1, y2, y3 = under + 48, under + 152, under + 264
    right = left[3] + w
    block(sheet, left[4], y1, w, 76, "Free motion", ["down the cost,", "5 deg/s at most"], "cost, descent", "#ede9fe")
    arrow(sheet, [(left[4] + 40, y1), (left[4] + 40, under)], "parameters", (left[4] + 4, under + 28))
    arrow(sheet, [(left[4] + w - 36, under), (left[4] + w - 36, y1)], "axes, ports", (left[4] + w - 2, under + 28))
    back, turn = left[3] + 104, under + 14
    arrow(sheet, [(left[4], under - 14), (left[4] - 15, under - 14), (left[4] - 15, turn), (back, turn), (back, under)])
    for i, words in enumerate(("pace: slower,", "never clipped")):
        sheet.text(left[3] + 90, under + 32 + 13 * i, words, 'class="t" text-anchor="middle"')
    lines = ["client there? zones green? room? way free?", "wait · stand · search · join · converge · follow · halt"]
    block(sheet, left[1], y2, right - left[1], 84, "Control logic", lines, "bridged, start", "#dcfce7")
    arrow(sheet, [(left[1] + 66, under), (left[1] + 66, y2)], "silence", (left[1] + 92, under + 78), dashed=True)
    arrow(sheet, [(left[2] + 66, under), (left[2] + 66, y2)], "command", (left[2] + 98, under + 78), dashed=True)
    arrow(sheet, [(left[3] + 30, y2), (left[3] + 30, under)], "go or halt", (left[3] + 62, under + 78), dashed=True)
    lines = ["72 starts, in portions;", "joining in axis space"]
    block(sheet, left[4], y2, w, 84, "Posture search", lines, "posture, joiner", "#dcfce7")
    arrow(sheet, [(right, y2 + 42), (left[4], y2 + 42)], dashed=True)
    way = [(left[4] + w, y2 + 42), (left[5] + 46, y2 + 42), (left[5] + 46, under)]
    arrow(sheet, way, "axes while|joining", (left[5] + 82, y2 + 24))
    lines = ["commanded pose, actual pose, where a stop would end"]
    block(
        sheet,
        left[1],
        y3,
        right - left[1],
        64,
        "Collision avoidance",
        lines,
        "zone_watch, safety/zones, clearance",
        "#fee2e2",
    )
    middle = 0.5 * (left[1] + right)
    arrow(sheet, [(middle, y3), (middle, y2 + 84)], "zones", (middle + 24, y3 - 9), dashed=True)
    way = [(left[5] + w + 60, 142), (left[5] + w + 60, y3 + 32), (right, y3 + 32)]
    arrow(sheet, way, "actual axes, rate of the set-point", (left[5] + 20, y3 + 25), dashed=True)
    way = [(left[1], y2 + 42), (44, y2 + 42), (44, under - 34)]
    arrow(sheet, way, "status, 236 bytes:|actual poses, phase,|cause, zones, time left", (132, y2))
