"""The way to one arm behind a joint position interface, as the link of a cell: set-points in, encoders out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock, seconds_of
from proxops.lab.arm_cell import ArmCell
from proxops.lab.links.exchange import patience_ns
from proxops.lab.links.fault import Trouble
from proxops.lab.virtual_arm import ArmTraits, VirtualArm


@dataclass(frozen=True)
class ArmHalted:
    """The arm's own controller has stopped it; ``str`` gives its words."""

    text: str
    trouble: Trouble = Trouble.CONTROLLER
    number: int = 0
    value: float = 0.0
    bound: float = 0.0

    def __str__(self) -> str:
        return self.text


class ArmPositionLink:
    """A ``Link`` to an arm whose controller keeps time and watches over its commands by itself. It has no brakes of ours to open:
    drives are on as soon as they are asked for."""

    def __init__(self, arm: VirtualArm) -> None:
        self.arm, self._on = arm, False
        self.rate: NDArray[np.float64] = arm.rates  # a view: it changes with every reading
        self.positioning_error = np.zeros(len(arm.rates))
        self.encoders = arm.read().angles
        self.t = arm.t  # s by the arm's own clock, of the newest reading, which the next set-point answers

    @classmethod
    def virtual(cls, cell: ArmCell, traits: ArmTraits, clock: Clock, rng: np.random.Generator) -> ArmPositionLink:
        """To a virtual arm at the cell's home, which keeps the facility's time and waits for set-points as long as the cell's
        link allows."""
        patience_s = patience_ns(cell.file.link.patience_cycles) * 1e-9
        return cls(VirtualArm(replace(traits, patience_s=patience_s), cell.home, seconds_of(clock), rng))

    def read(self) -> NDArray[np.float64]:
        measured = self.arm.read()
        self.t, self.encoders = measured.t, measured.angles
        return measured.angles

    def write(self, setpoint: NDArray[np.float64]) -> ArmHalted | None:
        if not self._on:
            return None
        self.arm.command(setpoint, self.t)
        return ArmHalted(self.arm.halted) if self.arm.halted else None

    def drives_on(self) -> None:
        self.arm.clear()
        self._on = not self.arm.halted

    def drives_off(self) -> None:
        if self._on:
            self.arm.halt("drives off")
        self._on = False

    @property
    def all_on(self) -> bool:
        return self._on

    @property
    def any_on(self) -> bool:
        return self._on or not self.arm.at_rest

    @property
    def standing(self) -> NDArray[np.float64]:
        """Where the reference of its drives is."""
        return self.arm.reference
