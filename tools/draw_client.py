"""Write what belongs to the client mock-up beside its URDF: the meshes of bus and dish, and the client at full scale.

    python tools/draw_client.py            # into src/proxops/lab/models
    python tools/draw_client.py FOLDER

Change client_mockup.urdf or the figures below, then run it; tests/lab/test_client_mockup.py compares.
"""

from __future__ import annotations

import math
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from proxops.lab.cell import builtin

FULL = 2.0  # the mock-up is half scale
STAND_OFF = "stand-off"  # in the comments of what belongs to the hall alone
BUS_X, SIDE, APOTHEM = (
    (-0.1905, 0.229),
    0.4238,
    0.367,
)  # half of the EPOS-Lid target's -0.381 … 0.458, 0.8476 and 0.734 m
DISH = (
    (0.0, 0.0),
    (0.0, 0.022),
    (0.030, 0.095),
    (0.037, 0.095),
    (0.020, 0.050),
    (0.013, 0.0),
)  # x and radius, outline in order
DISH_FACES = 32
ABOUT_FULL = """
Client at full scale: client_mockup.urdf twice as large and without its stand-off. Written by tools/draw_client.py from that.

Frame: root link "port", the frame of a target craft, as in the half-scale file: x along the docking axis. The docking face is at
x = 1.430 m. For pictures in orbit: a mission whose target this is says so in target.interface_m (the shipped missions fly to
the half-scale mock-up, whose face is at 0.715 m: theirs is 0.64 m, and cone and mast stay 0.14 m apart; 1.355 m does the
same here, scale = 0.5 makes of this what they expect). Mass and tensor are those of the mock-up at equal density (8 and
32 times): assumption; nothing in orbit reads them.
"""


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else builtin("models", "client_mockup.urdf").parent
    (folder / "client_bus.obj").write_text(bus())
    (folder / "client_dish.obj").write_text(dish())
    (folder / "client_full.urdf").write_text(full(builtin("models", "client_mockup.urdf")))


def bus() -> str:
    """A true hexagonal prism along x: flats at ±z, edges at ±y."""
    rim = [(SIDE, 0.0), (0.5 * SIDE, APOTHEM), (-0.5 * SIDE, APOTHEM)]
    rim += [(-y, -z) for y, z in rim]
    corners = [(x, y, z) for x in BUS_X for y, z in rim]
    sides = [(k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k) for k in range(6)]
    return obj(
        "the client's bus, half scale: m, port frame", corners, [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11), *sides]
    )


def dish() -> str:
    """A solid of revolution about x."""
    corners = [(DISH[0][0], 0.0, 0.0), (DISH[-1][0], 0.0, 0.0)]
    angles = [2.0 * math.pi * k / DISH_FACES for k in range(DISH_FACES)]
    corners += [(x, r * math.cos(a), r * math.sin(a)) for x, r in DISH[1:-1] for a in angles]
    faces: list[tuple[int, ...]] = []
    for k in range(DISH_FACES):
        at, ahead = 2 + k, 2 + (k + 1) % DISH_FACES
        last = DISH_FACES * (len(DISH) - 3)
        faces += [(0, ahead, at), (1, last + at, last + ahead)]
        for ring in range(len(DISH) - 3):
            low, high = DISH_FACES * ring, DISH_FACES * (ring + 1)
            faces.append((low + at, low + ahead, high + ahead, high + at))
    return obj("the client's dish, half scale: m, looks along +x", corners, faces)


def obj(about: str, corners: list[tuple[float, float, float]], faces: list[tuple[int, ...]]) -> str:
    lines = [f"# {about}; written by tools/draw_client.py"]
    lines += ["v " + " ".join(f"{c + 0.0:.6g}" for c in corner) for corner in corners]
    lines += ["f " + " ".join(str(1 + k) for k in face) for face in faces]
    return "\n".join(lines) + "\n"


def full(path: Path) -> str:
    """The mock-up's file twice as large."""
    robot = ET.parse(path, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))).getroot()
    robot.attrib["name"] = "client_full"
    for link in robot.iter("link"):
        for part in list(link):
            if any(callable(c.tag) and STAND_OFF in (c.text or "") for c in part):
                link.remove(part)
    for element in robot.iter():
        if callable(element.tag):
            continue
        powers = {"xyz": 1, "size": 1, "radius": 1, "length": 1, "scale": 1} | {m: 5 for m in ("ixx", "iyy", "izz")}
        powers |= {"value": 3} if element.tag == "mass" else {}
        if element.tag == "mesh":
            element.attrib.setdefault("scale", "1 1 1")
        for key, power in powers.items():
            if key in element.attrib:
                element.attrib[key] = " ".join(f"{float(w) * FULL**power:.10g}" for w in element.attrib[key].split())
    text = ET.tostring(robot, encoding="unicode")
    return f'<?xml version="1.0"?>\n<!--{ABOUT_FULL}-->\n{text}\n'


if __name__ == "__main__":
    main()
