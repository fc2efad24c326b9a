"""All that is told of a calibration, from its log."""

from __future__ import annotations

from proxops.applications.load_calibration.figures import draw
from proxops.ground.experiment_report import experiment_report
from proxops.ground.log import Log
from proxops.ground.section import RunReport
from proxops.lab.cell import Cell


def report(log: Log, cell: Cell | None = None) -> RunReport:
    """The log tells all; ``cell`` is for other kinds of runs."""
    return experiment_report(log, draw)
