"""The report of a session in a cell of arms, from its log: what was judged, and how near the axes came to their limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.criterion import Criterion
from proxops.core.errors import BadInput
from proxops.core.vocabulary import Mode, Severity
from proxops.ground.course import Figures, events, number, timing
from proxops.ground.criteria import LATE_SHARE, MISSED_SHARE, WHOLE_SHARE
from proxops.ground.log import Log
from proxops.ground.plot_style import new_figure, styled, thin
from proxops.ground.section import Drawing, RunReport, RunVerdict, Section, Table, criteria_table
from proxops.ground.summary_head import summary_head
from proxops.lab.any_cell import read_any_cell
from proxops.lab.arm_cell import ArmCell

Floats = NDArray[np.float64]
EVENTS_SHOWN: Final = 200
DEG: Final = 180.0 / np.pi
WIDTH: Final = 9.2


def is_of_arms(log: Log) -> bool:
    """Whether a log was recorded in a cell of arms."""
    return "cell" in (log.dtype.names or ())


def arm_cell_of(log: Log) -> ArmCell:
    """The shipped cell that a log names. A log of another cell needs ``--cell``."""
    cell = read_any_cell(log.metadata.get("cell", ""))
    if not isinstance(cell, ArmCell) or cell.axis_names != log.names("actual"):
        raise BadInput("not the cell of this log", where=str(log.path), value=cell.file.name, way_out="give it: --cell")
    return cell


def arm_report(log: Log, cell: ArmCell) -> RunReport:
    """Of a session that was served."""
    summary = summarise_arms(log, cell)
    good = bool(summary["passed"])
    last = summary["stop"]
    headline = "all bounds kept" if good else "a bound was not kept"
    title = f"session in {cell.file.name}"
    if "scenario" in log.metadata:  # an experiment that was killed, or that refused to be judged
        good, title = False, f"{log.metadata['scenario']}: no result"
        headline, summary["passed"] = f"the run did not come to an end: {log.ended_words}", False
    about = f"cell {summary['cell']} · clock {summary['clock']} · seed {summary['seed']} · {summary['start_utc']}"
    return RunReport(
        title, about, RunVerdict(good, headline, f"last stop: {last}" if last else ""), summary,
        _brief(summary, cell), _sections(log, cell, summary),
    )  # fmt: skip


def axes_in(log: Log, group: str) -> Floats:
    """(cycles, axes) of a group, in the order of the cell."""
    return log.table(group)


def summarise_arms(log: Log, cell: ArmCell) -> Figures:
    """All figures, ready for JSON."""
    cycle_s = cell.period_ns * 1e-9
    rate, setpoint, actual = (axes_in(log, name) for name in ("setpoint_rate", "setpoint", "actual"))
    speeds = np.abs(rate).max(axis=0, initial=0.0) / cell.guarded.speed
    changes = np.abs(np.diff(rate, axis=0)).max(axis=0, initial=0.0) / cycle_s / cell.guarded.acceleration
    inside = np.minimum(setpoint - cell.guarded.lower, cell.guarded.upper - setpoint).min(axis=0, initial=np.inf)
    stops = [event["text"].decode(errors="replace") for event in log.events if event["name"].startswith(b"stop.")]
    modes = log.values("state.mode")
    figures: Figures = {
        **summary_head(log),
        "ended_well": log.ended is not None and log.ended.severity is not Severity.ERROR,
        "final_mode": Mode(int(modes[-1])).name if modes.size else None,
        "stops_in_log": len(stops), "stop": stops[-1] if stops else None,
        "axes": {
            name: {
                "speed_share": number(speeds[i]), "acceleration_share": number(changes[i]), "range_left": number(inside[i]),
                "following_error": number(np.abs(actual[:, i] - setpoint[:, i]).max(initial=0.0)),
                "unit": "m" if cell.slides[i] else "rad",
            }
            for i, name in enumerate(cell.axis_names)
        },
        **timing(log), **events(log),
    }  # fmt: skip
    rows = _criteria(figures)
    figures["criteria"], figures["passed"] = [row.plain() for row in rows], all(row.passed for row in rows)
    return figures


def _criteria(figures: Figures) -> list[Criterion]:
    axes = figures["axes"].values()
    rows = [
        Criterion("cycles missing in the log", figures["lost_ticks"], 0),
        Criterion("log closed properly", figures["complete"], True, "equal"),
        Criterion("facility ended in good order", figures["ended_well"], True, "equal"),
        Criterion("speed_share", max(a["speed_share"] for a in axes), WHOLE_SHARE, label="axis speed of its limit", shown_in="%"),
        Criterion(
            "acceleration_share", max(a["acceleration_share"] for a in axes), WHOLE_SHARE,
            label="axis acceleration of its limit", shown_in="%",
        ),
        Criterion("range_left", min(a["range_left"] for a in axes), 0.0, "at least", label="left to the nearest end of a range",
                  unit="rad", shown_in="deg"),
    ]  # fmt: skip
    if figures["missed_cycles"] is not None:
        missed = figures["missed_cycles"] / max(1, figures["cycles"])
        rows.append(
            Criterion("missed_share", missed, MISSED_SHARE, label="cycles missed by the live loop", shown_in="%")
        )
        rows.append(
            Criterion("late_share", figures["late_share"], LATE_SHARE, label="cycles later than 1 ms", shown_in="%")
        )
    return rows


def _brief(summary: Figures, cell: ArmCell) -> Iterator[Section]:
    rows = [("cell", cell.file.name), ("cycles", str(summary["cycles"])), ("stops", str(summary["stops_in_log"]))]
    yield Section("", [Table((), rows)])
    missed = [row for row in summary["criteria"] if not row["passed"]]
    if missed:
        yield Section("", [criteria_table(missed)])


def _sections(log: Log, cell: ArmCell, summary: Figures) -> Iterator[Section]:
    yield Section("Criteria", [criteria_table(summary["criteria"])])
    head = ("axis", "speed of its limit", "acceleration of its limit", "left of its range", "following error")
    yield Section("Axes", [Table(head, [_axis_row(name, row) for name, row in summary["axes"].items()])])
    yield Section("Motion", [Drawing(_motion_figure(log, cell), "Set-points over the session.")])
    yield Section(
        "Events", [Table(("time [s]", "severity", "topic", "what happened"), list(_event_rows(log)), wraps=True)]
    )


def _axis_row(name: str, row: dict[str, Any]) -> tuple[str, ...]:
    scale, unit = (1e3, "mm") if row["unit"] == "m" else (DEG, "deg")
    left = "endless" if row["range_left"] is None else f"{row['range_left'] * scale:.2f} {unit}"
    shares = (f"{100.0 * row[key]:.1f} %" for key in ("speed_share", "acceleration_share"))
    return name, *shares, left, f"{row['following_error'] * scale:.3f} {unit}"


def _motion_figure(log: Log, cell: ArmCell) -> Any:
    t, setpoint = log.values("clock.t_sim"), axes_in(log, "setpoint")
    with styled():
        figure = new_figure(WIDTH, 3.6)
        panel = figure.add_axes((0.08, 0.13, 0.78, 0.8))
        for i, name in enumerate(cell.axis_names):
            panel.plot(*thin(t, setpoint[:, i] * (1.0 if cell.slides[i] else DEG)), lw=1.0, label=name)
        panel.set_xlabel("time [s]")
        panel.set_ylabel("axes [deg; rail: m]")
        panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7.5, frameon=False)
        return figure


def _event_rows(log: Log) -> Iterator[tuple[str, ...]]:
    start = int(log.values("clock.utc_ns")[0]) if log.count else 0
    for event in log.events[-EVENTS_SHOWN:]:
        text = event["text"].decode(errors="replace")
        seconds = (int(event["utc_ns"]) - start) * 1e-9
        yield f"{seconds:.3f}", Severity(int(event["severity"])).name, event["name"].decode(), text
