"""The model by which a sensor's images were looked through, to be drawn over them."""

from __future__ import annotations

from proxops.applications.mission.report.model_edges import ModelEdges
from proxops.applications.mission.report.vision_record import VisionRecord
from proxops.applications.mission.vision.known_client import known_client
from proxops.applications.mission.vision.order import VisionSetting
from proxops.core.errors import BadInput
from proxops.core.mission import MissionFile
from proxops.lab.cell import Cell


def model_of(file: MissionFile, record: VisionRecord, cell: Cell) -> ModelEdges | None:
    """As the craft knows its client; None if that file is not where the report is made."""
    exchanged = file.bridge.chaser_on == 2
    setting = VisionSetting(record.spec, file.vision, file.scenery, cell if record.hall else None, exchanged)
    try:
        return ModelEdges(known_client(setting))
    except BadInput:
        return None
