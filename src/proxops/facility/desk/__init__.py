"""The operator's desk: what a person, ``proxops ctl`` or the console can ask of the facility, in which words, and its status."""

from proxops.facility.desk.desk import Desk
from proxops.facility.desk.verbs import WITH_FILE, desk_verbs

__all__ = ["WITH_FILE", "Desk", "desk_verbs"]
