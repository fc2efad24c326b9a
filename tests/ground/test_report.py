"""Plots in every system; a report that stands alone, holds the figures, is the same for the same log."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from changed_log import with_records
from numpy.typing import NDArray
from rich.console import Console

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.core.offscreen import PictureUnavailable
from proxops.core.vocabulary import System
from proxops.ground import hall_report as hall_report_module
from proxops.ground import report_figures
from proxops.ground.curves import COLUMNS, curves_of
from proxops.ground.hall_report import hall_report
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.panels.saving import save_sheet
from proxops.ground.picture import VIEWS
from proxops.ground.plot_style import crest, new_figure, save, styled, thin
from proxops.ground.plots import plot_log, system_figure
from proxops.ground.recorded import recorded
from proxops.ground.report_page import write_page
from proxops.ground.summary import summarise
from proxops.ground.terminal import print_brief
from proxops.lab.cell import Cell

STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


class NoPicture:
    """A machine without OpenGL."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise PictureUnavailable("no OpenGL here. Way out: apt-get install libegl1")


class GreyPicture:
    """Stands in for the hall's renderer, which has tests of its own."""

    def __init__(self, *_: Any, width: int, height: int) -> None:
        self._image = np.full((height // 10, width // 10, 3), 128, np.uint8)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def render(self, axes: NDArray[np.float64], *, view: str) -> NDArray[np.uint8]:
        assert axes.shape == (13,) and view in VIEWS
        return self._image


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_figures, "HallPicture", NoPicture)


@pytest.fixture
def grey_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_figures, "HallPicture", GreyPicture)


@pytest.fixture
def no_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spares the largest drawing where a test looks at something else."""
    monkeypatch.setattr(hall_report_module, "log_sections", lambda *_: ())


def report(log: Log, cell: Cell, out: Path) -> str:
    write_page(hall_report(log, cell), out)
    return out.read_text()


@pytest.mark.parametrize("system", System)
def test_every_system_is_drawn(swung: Log, cell: Cell, system: System, tmp_path: Path) -> None:
    out = tmp_path / f"{system.name}.png"
    figure = system_figure(HallRun(swung, cell), system)
    save_sheet(figure, out)
    assert out.read_bytes().startswith(STARTS[".png"])
    labels = [panel.y.label for panel in figure.panels]
    for name in COLUMNS[system].names:
        assert sum(label.split(" ")[0] == name for label in labels) == 2, name  # once for each robot


@pytest.mark.parametrize("kind", STARTS)
def test_every_kind_of_file_is_the_same_every_time(kind: str, tmp_path: Path) -> None:
    """A small figure will do: neither chance nor the time of day is in what it is written with."""
    files = tmp_path / f"a{kind}", tmp_path / f"b{kind}"
    for out in files:
        with styled():
            figure = new_figure(4.0, 3.0)
            panel = figure.add_subplot()
            panel.plot([0.0, 1.0, 2.0], [1.0, 0.0, 1.0], "o-", label="curve")
            panel.legend()
        save(figure, out)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().startswith(STARTS[kind])


def test_a_log_is_plotted_into_a_file(swung: Log, cell: Cell, tmp_path: Path) -> None:
    out = tmp_path / "plot.svg"
    plot_log(swung, cell, System.IJT, out)
    text = out.read_text()
    assert text.startswith("<?xml") and "run.mcap   IJT" in text


def test_an_unknown_kind_of_file_is_refused(swung: Log, cell: Cell, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.png, \.svg, \.pdf"):
        plot_log(swung, cell, System.GLC, tmp_path / "plot.gif")


def test_an_empty_log_cannot_be_plotted(swung: Log, cell: Cell, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="fewer than two records"):
        plot_log(with_records(swung, swung.pool[:1]), cell, System.GLC, tmp_path / "plot.png")


@pytest.mark.parametrize("system", System)
def test_curves_do_not_jump_and_stay_together(swung: Log, cell: Cell, system: System) -> None:
    """Neither wraps nor flips may show; home is a gimbal lock of IDC, where A and C are left out."""
    curves = curves_of(swung, recorded(swung), cell, system)
    for robot in (1, 2):
        commanded, actual = curves.robot(robot)
        scale = np.array([{"mm": 1e3, "deg": 60.0}.get(unit, 1.0) for unit in COLUMNS[system].units])
        known = np.asarray(np.isfinite(commanded).all(axis=1))
        assert known.any()
        np.testing.assert_array_equal(np.isfinite(actual).all(axis=1), known)
        steps = np.abs(np.diff(commanded, axis=0))
        assert (steps[known[1:] & known[:-1]] < 0.01 * scale).all()
        assert (np.abs(actual - commanded)[known] < 0.05 * scale).all()


def test_turns_are_counted_through(swung: Log, cell: Cell) -> None:
    """A6 of robot 2 through three turns: ABC angles and quaternions follow without a jump."""
    data = recorded(swung)
    q = data.wish.copy()
    q[:, 12] += np.linspace(0.0, 6.0 * np.pi, len(q))
    turning = dataclasses.replace(data, wish=q, actual=q)
    glc, _ = curves_of(swung, turning, cell, System.GLC).robot(2)
    assert np.ptp(glc[:, 5]) > 900.0
    clw, actual = curves_of(swung, turning, cell, System.CLW).robot(2)
    assert np.abs(np.diff(clw[:, 3:], axis=0)).max() < 0.1
    np.testing.assert_array_equal(clw, actual)


def test_thinning_keeps_the_peaks() -> None:
    t = np.linspace(0.0, 400.0, 100_000)
    y = np.random.default_rng(2).standard_normal(t.size)
    y[[31_234, 77_777]] = -50.0, 60.0
    x, kept = thin(t, y, 1000)
    assert kept.size <= 1000
    assert (kept.min(), kept.max()) == (-50.0, 60.0)
    assert (x[0], x[-1]) == (t[0], t[-1])
    assert (np.diff(x) > 0).all()
    assert crest(t, y, 100)[1].max() == 60.0
    np.testing.assert_array_equal(thin(t[:50], y[:50], 1000)[1], y[:50])


def test_report_holds_everything_needs_nothing_and_does_not_change(
    swung: Log, cell: Cell, tmp_path: Path, grey_pictures: None
) -> None:
    figures, text = summarise(HallRun(swung, cell)), report(swung, cell, tmp_path / "report.html")
    assert "<strong>Done</strong>" in text
    for value in (
        f"{figures['rail_delay_s'] * 1e3:.1f}",
        f"{figures['robot1_position_error_max_m'] * 1e3:.3f}",
        f"{figures['robot2_position_error_delay_removed_rms_m'] * 1e3:.4g} mm",
        "proxops play swing.txt",
        "RUNNING → ENDING",
    ):
        assert value in text, value
    assert text.count('<figure role="img"') == 5
    assert text.count("data:image/jpeg;base64,") == 6
    assert not re.search(r'(src|href)="(?!data:|#)|<script|<link|@import', text)
    assert len(text.encode()) < 2_000_000
    assert report(swung, cell, tmp_path / "again.html") == text


def test_report_of_a_stop_names_the_rule(
    stopped: Log, cell: Cell, tmp_path: Path, no_pictures: None, no_sheet: None
) -> None:
    text = report(stopped, cell, tmp_path / "report.html")
    assert re.search(r"Stopped by DOOR after 0\.\d\d s of the run", text)
    assert "door_main" in text
    assert "No pictures: no OpenGL here. Way out: apt-get install libegl1" in text


@pytest.mark.parametrize("cycles", (0, 1, 40))
def test_report_of_a_log_in_which_nothing_ran(
    swung: Log, cell: Cell, cycles: int, tmp_path: Path, no_pictures: None
) -> None:
    short = with_records(swung, swung.pool[:cycles], events=np.empty(0, EVENT_DTYPE))
    assert "Nothing ran" in report(short, cell, tmp_path / "report.html")


def test_lateness_of_a_live_run_is_drawn(
    swung: Log, cell: Cell, tmp_path: Path, no_pictures: None, no_sheet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for others in ("run_sections", "_axes"):  # which are drawn elsewhere
        monkeypatch.setattr(hall_report_module, others, lambda *_: ())
    pool = swung.pool.copy()
    pool["timing"]["lateness"] = np.random.default_rng(1).exponential(50e-6, pool.size)
    pool["timing"]["lateness"][100] = 5e-3
    pool["timing"]["missed"][100:] = 1
    live = with_records(swung, pool, metadata={**swung.metadata, "clock": "live"})
    figures = summarise(HallRun(live, cell))
    assert (figures["missed_cycles"], figures["lateness_max_s"], figures["passed"]) == (1, 5e-3, False)
    assert figures["late_share"] == pytest.approx(1 / pool.size)
    text = report(live, cell, tmp_path / "report.html")
    assert "Lateness of the live loop" in text
    assert "--realtime" in text


def test_text_from_outside_cannot_become_markup(swung: Log, cell: Cell, tmp_path: Path, no_pictures: None) -> None:
    events = swung.events.copy()
    events["text"][0] = b"<img src=x> & [bold]"
    metadata = {**swung.metadata, "trajectory": "<b>odd</b>.txt"}
    odd = with_records(swung, swung.pool[:1], events=events, metadata=metadata)
    text = report(odd, cell, tmp_path / "report.html")
    assert "<b>odd" not in text
    assert "&lt;img src=x&gt; &amp; [bold]" in text


def test_terminal_summary_says_the_same(swung: Log, stopped: Log, cell: Cell) -> None:
    for log, word in ((swung, "Done"), (stopped, "NOT MET")):
        console = Console(file=io.StringIO(), width=80)
        print_brief(hall_report(log, cell), console)
        text = console.file.getvalue()  # type: ignore[attr-defined]
        assert word in text
        assert "position error, delay off [mm]" in text
