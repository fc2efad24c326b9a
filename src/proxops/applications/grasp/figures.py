"""Drawings of the experiment ``grasp``: the scene at its key moments, hand and bar, forces on both sides, base, balance."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from typing import Any, Final

import numpy as np

from proxops.ground.log import Log
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, new_figure, styled, thin
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing

AXES: Final = (("x", ROBOT1), ("y", ROBOT2), ("z", RAIL))
PHASE_COLOURS: Final = {
    "look": "#a7b0b8", "approach": "#8fb3cf", "close": "#d8c458", "hold": "#9a7fd1", "damp": "#5cb270", "missed": "#e3a857",
    "stopped": "#e5734d", "halted": "#d1342f",
}  # fmt: skip
FLOOR: Final = 1e-16  # of a decades' axis: rounding


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report."""
    found = about["figures"]
    with styled():
        if found["pictures"]:
            yield Drawing(
                _strip(log, found),
                "The scene as it was: all of it at the start and the end, hand and bar in between.",
            )
        yield Drawing(
            _relative(log, found),
            "Bar as seen from the hand, their relative speed and attitude. Grey line: planned arrival; coloured band: phases.",
        )
        yield Drawing(
            _forces(log, found),
            "Contact: force on the handle and on the craft, each from its own momentum; normal forces; fingers. Right: around "
            "the first touch.",
        )
        yield Drawing(_base(log, found), "What the arm and the contact do to the free base.")
        yield Drawing(
            _balance(log, found),
            "Momentum of everything against its scale, energy against the actuators' work, and what the contact has taken.",
        )


def _strip(log: Log, found: dict[str, Any]) -> Any:
    from matplotlib.image import imread

    moments = found["pictures"]
    rows = -(-len(moments) // 3)
    figure = new_figure(10.5, 2.85 * rows)
    figure.subplots_adjust(left=0.005, right=0.995, top=1.0 - 0.09 / rows, bottom=0.005, wspace=0.02, hspace=0.14)
    for number, (t, words) in enumerate(moments, 1):
        axes = figure.add_subplot(rows, 3, number)
        axes.imshow(imread(BytesIO(log.attachments[f"moment_{number}.png"])))
        axes.set_title(f"{t:.2f} s: {words}")
        axes.axis("off")
    return figure


def _panel(figure: Any, where: tuple[int, int, int], log: Log, found: dict[str, Any], title: str, label: str) -> Any:
    axes = figure.add_subplot(*where)
    axes.set_title(title)
    axes.set_ylabel(label)
    axes.set_xlabel("t [s]")
    t = log.values("clock.t_sim")
    axes.set_xlim(t[0], t[-1])
    phases = [*found["phases"], [float(t[-1]), ""]]
    for (begin, name), (end, _) in pairwise(phases):
        axes.axvspan(begin, end, ymin=0.0, ymax=0.025, color=PHASE_COLOURS[name], lw=0)
    axes.axvline(found["arrive_s"], color=GREY, lw=0.8, zorder=0)
    return axes


def _curve(axes: Any, t: Floats, y: Floats, **look: Any) -> None:
    axes.plot(*thin(t, y), **look)


def _relative(log: Log, found: dict[str, Any]) -> Any:
    figure, t = new_figure(10.5, 6.2), log.values("clock.t_sim")
    figure.subplots_adjust(left=0.075, right=0.985, top=0.95, bottom=0.08, hspace=0.36, wspace=0.22)
    axes = _panel(figure, (2, 2, 1), log, found, "Bar from the hand", "[mm], hand's axes")
    for name, colour in AXES:
        _curve(axes, t, 1e3 * log.values(f"relative.bar_{name}"), color=colour, label=name)
    axes.legend(ncol=3)
    axes = _panel(figure, (2, 2, 2), log, found, "Distance, and opening of the fingers", "[mm]")
    _curve(axes, t, 1e3 * log.values("relative.distance"), color=ROBOT1, label="bar from the grasp")
    _curve(axes, t, 1e3 * log.values("contact.opening"), color=ROBOT2, label="opening")
    axes.set_ylim(bottom=0.0)
    axes.legend()
    axes = _panel(figure, (2, 2, 3), log, found, "Relative speed", "[mm/s]")
    _curve(axes, t, np.maximum(1e3 * log.values("relative.speed"), 1e-4), color=ROBOT1)
    in_decades(axes)
    axes = _panel(figure, (2, 2, 4), log, found, "Relative attitude", "[deg], [deg/s]")
    _curve(axes, t, log.values("relative.turn"), color=ROBOT1, label="angle")
    _curve(axes, t, log.values("relative.turn_rate"), color=ROBOT2, lw=1.0, label="rate")
    axes.legend()
    _name_phases(figure, found)
    return figure


def _name_phases(figure: Any, found: dict[str, Any]) -> None:
    from matplotlib.patches import Patch

    names = list(dict.fromkeys(name for _, name in found["phases"]))
    marks = [Patch(color=PHASE_COLOURS[name], label=name) for name in names]
    figure.legend(handles=marks, ncol=len(marks), loc="lower center", bbox_to_anchor=(0.5, -0.015), fontsize=7.5)


def _forces(log: Log, found: dict[str, Any]) -> Any:
    figure, t = new_figure(10.5, 8.4), log.values("clock.t_sim")
    figure.subplots_adjust(left=0.075, right=0.985, top=0.96, bottom=0.06, hspace=0.36, wspace=0.22)
    touched = found["touched_s"]
    spans = [(float(t[0]), float(t[-1]))]
    if touched is not None:
        spans.append((max(float(t[0]), touched - 0.05), min(float(t[-1]), touched + 0.35)))
    for column, span in enumerate(spans):
        axes = _panel(
            figure, (3, 2, 1 + column), log, found, "Force on the handle and on the craft", "[N], inertial axes"
        )
        for name, colour in AXES:
            _curve(axes, t, log.values(f"contact.on_handle_{name}"), color=colour, label=f"handle {name}")
            _curve(
                axes,
                t,
                log.values(f"contact.on_craft_{name}"),
                color=colour,
                lw=1.0,
                ls=(0, (4, 2.5)),
                label=f"craft {name}",
            )
        if column == 0:
            axes.legend(ncol=3, fontsize=7.0)
        axes.set_xlim(*span)
        axes = _panel(figure, (3, 2, 3 + column), log, found, "Normal forces", "[N]")
        for name, colour in (("finger_1", ROBOT1), ("finger_2", ROBOT2), ("palm", BAD), ("elsewhere", GREY)):
            _curve(axes, t, log.values(f"contact.{name}"), color=colour, label=name.replace("_", " "))
        axes.legend(ncol=2)
        axes.set_xlim(*span)
        axes = _panel(figure, (3, 2, 5 + column), log, found, "Wrist, greatest in each row, and fingers' drive", "[N]")
        _curve(axes, t, log.values("contact.wrist"), color=INK, lw=1.0, label="wrist, measured")
        _curve(axes, t, log.values("contact.jaw"), color=RAIL, label="drive of a finger")
        axes.axhline(found["limit_n"], color=BAD, lw=1.0, ls=(0, (4, 2.5)), label="limit")
        axes.legend()
        axes.set_xlim(*span)
    return figure


def _base(log: Log, found: dict[str, Any]) -> Any:
    figure, t = new_figure(10.5, 6.2), log.values("clock.t_sim")
    figure.subplots_adjust(left=0.075, right=0.985, top=0.95, bottom=0.08, hspace=0.36, wspace=0.22)
    rows = (
        ("turn", "Attitude of the base", "turn from its start [deg]", 1.0), ("move", "Place of the base", "[mm]", 1e3),
        ("torque", "Torque of the arm on the base", "[N m], about its mass centre", 1.0),
        ("force", "Force of the arm on the base", "[N]", 1.0),
    )  # fmt: skip
    for number, (what, title, label, scale) in enumerate(rows, 1):
        axes = _panel(figure, (2, 2, number), log, found, title, label)
        for name, colour in AXES:
            _curve(axes, t, scale * log.values(f"base.{what}_{name}"), color=colour, lw=1.2, label=name)
        if number == 1:
            axes.legend(ncol=3)
    return figure


def _balance(log: Log, found: dict[str, Any]) -> Any:
    figure, t = new_figure(10.5, 3.4), log.values("clock.t_sim")
    figure.subplots_adjust(left=0.075, right=0.985, top=0.89, bottom=0.15, wspace=0.3)
    axes = _panel(figure, (1, 3, 1), log, found, "Momentum of everything", "error, share of the scale")
    for name, scale, colour in zip(("linear", "angular"), found["momentum_scale"], (ROBOT1, ROBOT2), strict=True):
        rows = np.column_stack([log.values(f"balance.{name}_{axis}") for axis in "xyz"])
        _curve(axes, t, np.maximum(np.linalg.norm(rows, axis=1) / scale, FLOOR), color=colour, label=name)
    axes.axhline(1e-6, color=BAD, lw=1.0, ls=(0, (4, 2.5)), label="bound")
    in_decades(axes)
    axes.legend()
    axes = _panel(figure, (1, 3, 2), log, found, "Energy and work", "from the start [mJ]")
    _curve(axes, t, 1e3 * log.values("balance.energy"), color=ROBOT1, label="kinetic energy")
    _curve(axes, t, 1e3 * log.values("balance.work"), color=ROBOT2, label="work of joints and fingers")
    axes.margins(y=0.22)
    axes.legend(loc="upper right")
    axes = _panel(figure, (1, 3, 3), log, found, "Energy less work", "[mJ]: below 0, taken by the contact")
    _curve(axes, t, 1e3 * log.values("balance.excess"), color=INK)
    axes.axhline(0.0, color=BAD, lw=1.0, ls=(0, (4, 2.5)))
    return figure
