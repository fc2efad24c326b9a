"""The control channel: how operators, the console and scripts ask the facility for something, on this machine or, with a key,
from another. What can be asked for is handed in as a table of verbs; nothing in here knows robots."""

from proxops.facility.control.channel import ControlChannel, ControlSettings, control_settings
from proxops.facility.control.fields import flag_of, integer_of, number_of, text_of
from proxops.facility.control.lock import ANY
from proxops.facility.control.requests import AGE, DESCRIPTOR, Verb

__all__ = [
    "AGE", "ANY", "DESCRIPTOR", "ControlChannel", "ControlSettings", "Verb", "control_settings", "flag_of", "integer_of",
    "number_of", "text_of",
]  # fmt: skip
