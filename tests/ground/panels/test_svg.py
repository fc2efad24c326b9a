"""A sheet becomes SVG that browsers read: gaps, edges, text from outside, and the same with Matplotlib."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import COMMANDED, LineStyle, Mark, Raster, Words
from proxops.ground.panels.letters import width_of
from proxops.ground.panels.on_matplotlib import matplotlib_figure
from proxops.ground.panels.panel import Legend, Panel, stack
from proxops.ground.panels.saving import save_sheet
from proxops.ground.panels.sheet import Key, KeyEntry, Sheet
from proxops.ground.panels.strip import Piece, add_strip
from proxops.ground.panels.svg import svg_of
from proxops.ground.panels.svg_path import path_data
from proxops.ground.plot_style import INK, ROBOT1

NAN = float("nan")
BLUE = LineStyle(ROBOT1)


def sheet_of_all() -> Sheet:
    """Everything that can be drawn."""
    sheet = Sheet(4.0, 3.0)
    strip, below = Box.inside(0.15, 0.95, 0.2, 0.9).rows(2, 0.1, (0.1, 1.0))
    add_strip(
        sheet, strip, [Piece(0.0, 5.0, "#aaaaaa", ("a long name", "name")), Piece(5.0, 9.0, "#bbbbbb")], (0.0, 10.0)
    )
    panels = sheet.column(below, 2, 0.2)
    stack(panels, "time [s]", (0.0, 10.0))
    first, second = panels
    first.curve(np.arange(10.0), np.arange(10.0), BLUE, "curve")
    first.curve([0.0, 1.0], [1.0, 2.0], COMMANDED, "commanded")
    first.level(3.0, LineStyle("#ff0000", dash=(1.0, 2.0)), "level")
    first.layer(0.0, 1.0, "#00ff00", 0.3, "layer")
    first.mark(Mark((5.0, 5.0), "circle", INK, label="mark"))
    first.words(Words((1.0, 0.5), "half-way up", share=(False, True)))
    first.title, first.legend, first.y.label = "Title", Legend(columns=2), "value [m]"
    second.y.log = True
    second.between(np.arange(3.0), np.array([1.0, NAN, 1.0]), np.array([2.0, 3.0, 2.0]), "#0000ff", 0.5)
    second.stairs(np.arange(3.0), np.ones(2), np.array([10.0, 100.0]), "#00ffff")
    second.raster(Raster(np.zeros((2, 3, 4), np.uint8)))
    for k, symbol in enumerate(("square", "diamond", "cross")):
        second.mark(Mark((float(k), 2.0), symbol, "#123456"))  # type: ignore[arg-type]
    sheet.keys.append(Key([KeyEntry("patch", BLUE, patch=True), KeyEntry("line", BLUE)], 0.95, 0.99))
    sheet.words.append(Words((0.1, 0.98), "the sheet", 12.0, bold=True))
    return sheet


def panel_of(svg: str) -> str:
    """What is clipped to the panel."""
    found = re.search(r"<svg x=.*?</svg>", svg)
    assert found
    return found.group()


def drawn(panel_look: LineStyle, x: list[float], y: list[float], limits: tuple[float, float] = (0.0, 1.0)) -> str:
    sheet = Sheet(1.0, 1.0)
    panel = sheet.panel(Box(0.0, 0.0, 1.0, 1.0))
    panel.x.limits = panel.y.limits = limits
    panel.curve(x, y, panel_look)
    return panel_of(svg_of(sheet))


def test_it_is_well_formed_and_the_same_every_time() -> None:
    text = svg_of(sheet_of_all())
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text == svg_of(sheet_of_all())
    assert not re.search(r'id="|href="(?!data:)', text)  # names would be shared by all drawings of a page


def test_a_line_is_whole_numbers_from_the_upper_left_corner() -> None:
    assert 'd="M0 720l720-720"' in drawn(BLUE, [0.0, 1.0], [0.0, 1.0])


def test_gaps_stay_gaps() -> None:
    assert path_data(np.array([0.0, 1.0, NAN, 3.0, 4.0]), np.array([0.0, 1.0, 2.0, 3.0, NAN])) == "M0 0l1 1M3 3h0"
    assert path_data(np.array([NAN]), np.array([0.0])) == ""
    assert path_data(np.empty(0), np.empty(0)) == ""


def test_points_that_nobody_could_tell_apart_are_told_once() -> None:
    assert path_data(np.array([0.0, 0.2, 0.4, 9.0]), np.zeros(4)) == "M0 0l9 0"
    assert path_data(np.array([0.0, 5.0, 5.0]), np.array([0.0, 0.0, 5.0]), closed=True) == "M0 0l5 0 0 5z"


def test_what_lies_outside_is_clipped_and_keeps_its_direction() -> None:
    inside = drawn(BLUE, [0.0, 2.0], [0.0, 2.0])
    assert inside.startswith('<svg x="0" y="0" width="720" height="720"')
    assert 'd="M0 720l1440-1440"' in inside
    far = drawn(BLUE, [0.0, 1.0], [0.0, 1e300])
    assert max(abs(int(number)) for number in re.findall(r"-?\d+", far)) < 100_000


def test_levels_reach_from_edge_to_edge() -> None:
    sheet = Sheet(1.0, 1.0)
    panel = sheet.panel(Box(0.0, 0.0, 1.0, 1.0))
    panel.curve([2.0, 4.0], [0.0, 1.0], BLUE)
    panel.level(0.5, BLUE)
    assert 'd="M0 360l720 0"' in panel_of(svg_of(sheet))
    assert panel.x.known == (2.0, 4.0)  # an edge is no number


def test_decades_are_evenly_apart() -> None:
    sheet = Sheet(1.0, 1.0)
    panel = sheet.panel(Box(0.0, 0.0, 1.0, 1.0))
    panel.y.log, panel.y.limits, panel.x.limits = True, (1.0, 100.0), (0.0, 2.0)
    panel.curve([0.0, 1.0, 2.0], [1.0, 10.0, 100.0], BLUE)
    assert 'd="M0 720l360-360 360-360"' in panel_of(svg_of(sheet))


def test_text_from_outside_cannot_become_markup() -> None:
    sheet = sheet_of_all()
    evil = '<script>&"'
    panel = sheet.panels[1]
    panel.title = panel.x.label = panel.y.label = evil
    panel.curve([0.0], [0.0], BLUE, evil)
    panel.words(Words((0.0, 0.0), evil))
    panel.y.places, panel.y.words = [0.0], [evil]
    sheet.keys.append(Key([KeyEntry(evil, BLUE)], 0.0, 0.0))
    text = svg_of(sheet)
    assert "<script" not in text
    assert text.count("&lt;script&gt;&amp;") >= 6
    ElementTree.fromstring(text)


def test_ink_becomes_the_colour_of_the_page() -> None:
    assert INK not in svg_of(sheet_of_all())
    assert "currentColor" in svg_of(sheet_of_all())


def test_words_of_ticks_never_overlap() -> None:
    for high in (1e-3, 0.7, 9e4, 123_456.0):
        for width in (0.6, 2.0, 6.0):
            sheet = Sheet(width, 1.0)
            sheet.panel(Box(0.0, 0.3, 1.0, 0.7)).x.limits = (-high, high)
            found = re.findall(
                r'<text x="(-?\d+)" y="\d+">([^<]*)</text>', re.sub(r'<g text-anchor="end".*?</g>', "", svg_of(sheet))
            )
            ends = [(int(x) - 5 * width_of(word, 8.0), int(x) + 5 * width_of(word, 8.0)) for x, word in found]
            assert all(a[1] < b[0] for a, b in pairwise(ends))


def test_names_of_y_axes_stand_one_below_the_other() -> None:
    sheet = Sheet(4.0, 3.0)
    for panel, size in zip(sheet.column(Box(0.2, 0.1, 0.7, 0.8), 2, 0.2), (1.0, 1e4), strict=True):
        panel.y.limits, panel.y.label = (0.0, size), "name"
    places = re.findall(r'<text x="(\d+)" [^>]*rotate[^>]*>name<', svg_of(sheet))
    assert len(places) == 2 and len(set(places)) == 1


def test_short_pieces_of_a_strip_have_short_names() -> None:
    sheet = Sheet(2.0, 1.0)
    pieces = [
        Piece(0.0, 80.0, "#aaaaaa", ("a rather long name", "short")),
        Piece(80.0, 100.0, "#bbbbbb", ("another", "x")),
    ]
    add_strip(sheet, Box(0.0, 0.0, 1.0, 0.2), pieces, (0.0, 100.0))
    assert re.findall(r">([^<>]+)</text>", svg_of(sheet)) == ["a rather long name", "x"]


def test_boxes_divide_what_there_is() -> None:
    rows = Box.inside(0.1, 0.9, 0.2, 0.8).rows(2, 0.5, (1.0, 3.0))
    assert rows[0].bottom + rows[0].height == pytest.approx(0.8)
    assert rows[1].bottom == pytest.approx(0.2)
    assert rows[1].height == pytest.approx(3.0 * rows[0].height)
    assert rows[0].bottom - (rows[1].bottom + rows[1].height) == pytest.approx(0.25 * (rows[0].height + rows[1].height))


def test_matplotlib_draws_the_same_panels() -> None:
    sheet = sheet_of_all()
    figure = matplotlib_figure(sheet)
    for panel, axes in zip(sheet.panels, figure.axes, strict=True):
        assert isinstance(panel, Panel)
        assert axes.get_xlim() == pytest.approx(panel.x.range)
        assert axes.get_ylim() == pytest.approx(panel.y.range)
        assert axes.get_ylabel() == panel.y.label


@pytest.mark.parametrize("suffix", (".png", ".svg", ".pdf"))
def test_files_of_every_kind(suffix: str, tmp_path: Path) -> None:
    save_sheet(sheet_of_all(), tmp_path / f"a{suffix}")
    save_sheet(sheet_of_all(), tmp_path / f"b{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    with pytest.raises(BadInput, match="cannot be written"):
        save_sheet(sheet_of_all(), tmp_path / "nowhere" / f"a{suffix}")
