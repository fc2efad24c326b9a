"""Figures 4 and 5 of paper 002 show what they were given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.studies.impulse_study import background

from proxops.applications.floating.impulse_figures import ImpulseCurves, draw_push, draw_reconstruction
from proxops.core.messages import PERIOD_S
from proxops.ground.plot_style import save
from proxops.touch.derivative_detector import DerivativeDetector
from proxops.touch.impulse_detector import ImpulseDetector
from proxops.touch.push import Push


@pytest.fixture(scope="module")
def curves() -> ImpulseCurves:
    t = np.arange(2500) * PERIOD_S
    pushes = [
        Push(3.0, (0.2, -1.0, 0.1), 3.0, 0.15),
        Push(5.5, (1.0, 0.3, 0.0), 1.5, 0.25),
        Push(8.0, (0.0, 0.4, 1.0), 2.0, 0.08),
    ]
    readings = background(np.random.default_rng(4), t.size, PERIOD_S) + sum(p.wrenches(t) for p in pushes)
    smooth, rate = DerivativeDetector().curves(readings)
    detector, given, ended = ImpulseDetector(), np.zeros((t.size, 6)), []
    for k, reading in enumerate(readings):
        verdict = detector.step(reading)
        given[k] = verdict.wrench
        if verdict.began >= 0:
            given[k - verdict.began : k + 1] = detector.recent(verdict.began + 1)
        if verdict.ended:
            ended.append(verdict.ended)
    spans, impulses = np.array([[e.t_start, e.t_end] for e in ended]), np.array([e.impulse[:3] for e in ended])
    return ImpulseCurves(t, readings[:, :3], smooth[:, :3], rate[:, :3], given[:, :3], spans, impulses)


def test_figure_4_shows_the_strongest_axis_of_the_asked_push(curves: ImpulseCurves, tmp_path: Path) -> None:
    figure = draw_push(curves, 1)
    force, rate = figure.axes
    assert force.get_title(loc="left") == "Force along x" and rate.get_ylabel() == "N/s"
    measured = {line.get_label(): line for line in force.lines}
    pushed = np.isfinite(measured["recognised push"].get_ydata())
    t = measured["measured"].get_xdata()
    assert t[pushed][0] == pytest.approx(curves.pushes_s[1, 0]) and t[pushed][-1] == pytest.approx(
        curves.pushes_s[1, 1]
    )
    save(figure, tmp_path / "figure4.png")
    assert (tmp_path / "figure4.png").stat().st_size > 10_000


def test_figure_5_shades_every_push_on_every_axis(curves: ImpulseCurves, tmp_path: Path) -> None:
    figure = draw_reconstruction(curves)
    assert len(figure.axes) == 3 and len(curves.pushes_s) == 3
    assert all(len(axes.patches) == 3 for axes in figure.axes)
    save(figure, tmp_path / "figure5.png")
    assert (tmp_path / "figure5.png").stat().st_size > 10_000
