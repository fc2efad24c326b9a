"""The report of a scripted run from its log: that of the hall."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proxops.ground.log import Log
    from proxops.ground.section import RunReport
    from proxops.lab.cell import Cell


def report(log: Log, cell: Cell | None = None) -> RunReport:
    """Of a log of the hall: the run was scripted, played or served."""
    from proxops.ground.hall_report import hall_report  # not before the run

    return hall_report(log, cell)
