"""The report of a mission from its log: that of the hall, with a chapter about the mission in summary and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proxops.ground.log import Log
    from proxops.ground.section import RunReport
    from proxops.lab.cell import Cell


def report(log: Log, cell: Cell | None = None) -> RunReport:
    """Of a mission's log."""
    from proxops.applications.mission.report.chapter import MISSION  # not before the run
    from proxops.ground.hall_report import hall_report

    return hall_report(log, cell, MISSION)
