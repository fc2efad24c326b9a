"""Motion by hand at the operator's desk: jog buttons and the test wave."""

from __future__ import annotations

from proxops.core.errors import BadInput, Refused
from proxops.core.vocabulary import Mode, Severity
from proxops.facility.facility import Facility
from proxops.facility.motions.jog import HOLD_MS, SHORTEST_HOLD_MS, Jog, heartbeat_cycles
from proxops.facility.motions.jog_button import Press, pressed_button
from proxops.facility.motions.sine import SineWave
from proxops.facility.motions.stroke import AxisStroke, HallStroke
from proxops.facility.possible import demand_evidence, demand_mode, forbid
from proxops.facility.publication import hall_told
from proxops.lab.arm_cell import ArmCell
from proxops.safety.reserve import RESERVE_M


class ManualDesk:
    """What can be asked for of any cell by hand, and how the desk tells of things."""

    def __init__(self, facility: Facility) -> None:
        self.facility, cell = facility, facility.cell
        stroke = AxisStroke(cell.n_axes) if isinstance(cell, ArmCell) else HallStroke(cell, hall_told(facility.told))
        self._jog = Jog(cell, stroke, facility.interlocks, facility.clock, facility.zones, self.tell)

    def tell(self, severity: Severity, code: str, text: str) -> None:
        """Into the facility's events."""
        self.facility.events.tell(severity, code, text)

    def fail(self, where: str, error: Exception) -> None:
        """An error of ours, in a part that must not end the tick."""
        self.facility.fail(where, error)

    @property
    def jogging(self) -> Press | None:
        """The jog button that moves the hall now."""
        return self._jog.pressed if self.facility.motion is self._jog else None

    def jog(
        self, system: str, robot: str, component: str, direction: int, speed: float = 1.0, *,
        hold_ms: float = HOLD_MS, step: float | None = None, press: int | None = None, age_ms: float = 0.0,
    ) -> bool:  # fmt: skip
        """One heartbeat of a jog button, sent ``age_ms`` ago; without another for ``hold_ms`` the motion fades. ``step`` (m or
        rad) ends it by itself. ``press`` numbers the pressing of the button: one that has ended or was refused does nothing
        any more. True while this press moves the hall."""
        f = self.facility
        pressed = pressed_button(f.cell, system, robot, component, direction, step, press)
        if not 0 < speed <= 1 or not SHORTEST_HOLD_MS <= hold_ms <= HOLD_MS:
            raise BadInput(
                "jog", value=f"speed {speed}, hold_ms {hold_ms}",
                bound=f"0 < speed <= 1, hold_ms {SHORTEST_HOLD_MS:g} … {HOLD_MS:g}",
            )  # fmt: skip
        if press is not None and press == self._jog.spent:
            return False
        try:
            demand_mode(Mode.MANUAL, "jog", f)
            forbid(f.interlocks.forbids_start(Mode.MANUAL))
            if self.jogging != pressed:  # what moves goes on
                demand_evidence(f, "jog")
            return self._jog.press(pressed, speed, heartbeat_cycles(hold_ms, age_ms, f.cell.period_ns), f.guard)
        except Refused:
            if press is not None:  # said once, and a button held on does not begin to move when the reason is gone
                self._jog.spent = press
            raise

    def release(self) -> None:
        """Let go of the jog button."""
        self._jog.release()

    def sine(self, axis: str, amplitude: float, frequency_hz: float, cycles: int) -> None:
        """Start a sine wave on one axis (amplitude in m or rad)."""
        f = self.facility
        demand_mode(Mode.SINE, "sine", f)
        if f.motion is not None:
            raise Refused("a sine wave is still running")
        names = f.cell.axis_names
        if axis not in names:
            raise BadInput("no such axis", value=repr(axis), bound=", ".join(names))
        forbid(f.interlocks.forbids_start(Mode.SINE))
        demand_evidence(f, "sine")
        wave = SineWave(f.cell, names.index(axis), amplitude, frequency_hz, cycles, f.guard.setpoint)
        for posture in (f.actual, *wave.turning_points()):
            forbid(f.guard.zones.near(posture, RESERVE_M))
        f.motion = wave
