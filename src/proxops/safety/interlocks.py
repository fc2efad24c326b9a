"""Interlocks: named inputs that can forbid motion. Each kind follows one row of the table below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.vocabulary import Mode
from proxops.lab.cell_file import InterlockInput
from proxops.safety.modes import BRAKING, STILL
from proxops.safety.rules import Rule, Stop

# kind → (rule that it breaks, modes that it still allows)
KINDS: Final[dict[str, tuple[Rule, frozenset[Mode]]]] = {
    "estop": (Rule.ESTOP, frozenset()),
    "power": (Rule.DRIVE_POWER, frozenset()),
    "door": (Rule.DOOR, frozenset()),
    "gate": (Rule.GATE, frozenset()),
    "laser": (Rule.LASER, frozenset()),
    "fence": (Rule.FENCE, frozenset({Mode.MANUAL})),
}
DRIVES_DROP: Final = frozenset({"estop", "power"})


@dataclass
class Interlocks:
    """State of every input: healthy (closed) or not. Unknown names are errors, never ignored."""

    inputs: tuple[InterlockInput, ...]

    def __post_init__(self) -> None:
        self.open: dict[str, str] = {}  # name → kind, of those that are not healthy
        self.mask = 0

    def set(self, name: str, healthy: bool) -> str:
        """A new reading of input ``name``; a kind stands for its first input. Returns the input's name."""
        index = next((k for k, i in enumerate(self.inputs) if name in (i.name, i.kind)), None)
        if index is None:
            raise BadInput("no such interlock", value=repr(name), bound=", ".join(i.name for i in self.inputs))
        name = self.inputs[index].name
        if healthy:
            self.open.pop(name, None)
            self.mask &= ~(1 << index)
        else:
            self.open[name] = self.inputs[index].kind
            self.mask |= 1 << index
        return name

    @property
    def open_names(self) -> list[str]:
        return sorted(self.open)

    @property
    def fence_open(self) -> bool:
        return "fence" in self.open.values()

    def forbids(self, mode: Mode) -> Stop | None:
        """The stop that the inputs ask for in ``mode``. What takes the drives' power counts wherever drives may be on,
        in a stop too; the rest counts where the robots move and do not brake yet, and else forbids to start."""
        for name, kind in self.open.items():
            rule, allows = KINDS[kind]
            power = kind in DRIVES_DROP and mode is not Mode.STANDBY
            if power or not (mode in STILL or mode in BRAKING or mode in allows):
                return Stop(rule, detail=name)
        return None

    def open_for(self, rule: Rule) -> list[str]:
        """Names of those that are open and break ``rule``."""
        return [name for name, kind in self.open.items() if KINDS[kind][0] is rule]

    def forbids_start(self, mode: Mode) -> Stop | None:
        """Why a motion in ``mode`` may not begin."""
        for name, kind in self.open.items():
            rule, allows = KINDS[kind]
            if mode not in allows:
                return Stop(rule, detail=name)
        return None
