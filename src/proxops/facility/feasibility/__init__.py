"""``proxops check``: can the hall show a motion? Answered before anything moves, with what would have to change."""

from proxops.facility.feasibility.answer import FeasibilityAnswer, answer
from proxops.facility.feasibility.asked import FiledMotion, ScriptedMotion
from proxops.facility.feasibility.beginning import Say
from proxops.facility.feasibility.exchanged import ExchangedMotion
from proxops.facility.feasibility.motion import Asked
from proxops.facility.feasibility.stretch import TrialHall
from proxops.facility.feasibility.table import Table, table_of

__all__ = [
    "Asked", "ExchangedMotion", "FeasibilityAnswer", "FiledMotion", "Say", "ScriptedMotion", "Table", "TrialHall", "answer",
    "table_of",
]  # fmt: skip
