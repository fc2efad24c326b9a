"""What goes wrong in a mission, and when: thrusters that stick, a sensor that sees nothing, a push."""

from __future__ import annotations

from proxops.core.fault_table import ImageFault, PushFault, SensorOutage, StuckClosed, StuckOpen
from proxops.core.mission import MissionFile
from proxops.space.pair import PUSH_S
from proxops.space.thrusters import ThrusterBank


class Faults:
    """Those of a scenario. Pushes are the craft's own affair (``space.pair``)."""

    def __init__(self, file: MissionFile) -> None:
        self._faults = file.fault
        begins = [fault.at_s for fault in file.fault]
        outages = [
            fault.at_s + fault.duration_s for fault in file.fault if isinstance(fault, SensorOutage | ImageFault)
        ]
        pushes = [fault.at_s + PUSH_S for fault in file.fault if isinstance(fault, PushFault)]
        self._times = begins + outages + pushes  # at which one begins or ends

    def __bool__(self) -> bool:
        return bool(self._faults)

    def change(self, after_t: float, until_t: float) -> bool:
        """Whether one begins or ends then."""
        return bool(self._times) and any(after_t < t <= until_t for t in self._times)

    def strike(self, t: float, bank: ThrusterBank) -> bool:
        """The thrusters that stick by now; whether the sensor is blind."""
        blind = False
        for fault in self._faults:
            if isinstance(fault, SensorOutage):
                blind |= fault.at_s <= t < fault.at_s + fault.duration_s
            elif isinstance(fault, StuckOpen) and t >= fault.at_s:
                bank.stuck_open[fault.thruster - 1] = True
            elif isinstance(fault, StuckClosed) and t >= fault.at_s:
                bank.stuck_closed[fault.thruster - 1] = True
        return blind

    def of_images(self, t: float, sensor: str) -> str:
        """What is wrong with the images of a sensor that come at ``t``: "dark", "frozen", "ghosts", or nothing."""
        for fault in self._faults:
            lasts = isinstance(fault, SensorOutage | ImageFault) and fault.at_s <= t < fault.at_s + fault.duration_s
            if lasts and isinstance(fault, SensorOutage):
                return "dark"
            if lasts and isinstance(fault, ImageFault) and fault.sensor in ("", sensor):
                return fault.what
        return ""
