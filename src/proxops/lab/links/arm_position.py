"""The way to one arm behind a joint position interface, as the link of a cell: set-points in, encoders out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proxops.core.clock import Clock, seconds_of
from proxops.lab.arm_cell import ArmCell
from proxops.lab.links.arm import ArmLink, Floats
from proxops.lab.links.exchange import patience_ns
from proxops.lab.virtual_arm import ArmTraits, VirtualArm


class ArmPositionLink(ArmLink):
    """Set-points go to the arm as they are."""

    arm: VirtualArm

    @classmethod
    def virtual(cls, cell: ArmCell, traits: ArmTraits, clock: Clock, rng: np.random.Generator) -> ArmPositionLink:
        """To a virtual arm at the cell's home, which keeps the facility's time and waits for set-points as long as the cell's
        link allows."""
        cycles = cell.file.link.patience_cycles
        patient = replace(traits, patience_s=patience_ns(cycles, cell.period_ns) * 1e-9)
        return cls(VirtualArm(patient, cell.home, seconds_of(clock), rng), cycles)

    def _command(self, setpoint: Floats) -> None:
        self.arm.command(setpoint, self.measured.t)

    @property
    def standing(self) -> Floats:
        """Where the reference of its drives is."""
        return self.arm.reference
