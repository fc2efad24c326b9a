"""What a micro-gravity run is assembled from: cell, arm behind its link, sensor, application."""

from __future__ import annotations

import numpy as np

from proxops.applications.floating.application import FloatApplication
from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.module_hand import Hand, sensed
from proxops.applications.floating.result import series_of, sum_up
from proxops.applications.floating.tables import CELL
from proxops.core.clock import Clock
from proxops.core.experiment_result import ExperimentResult
from proxops.core.force_source import ForceStream
from proxops.facility.installation import Installation
from proxops.lab.any_cell import AnyCell
from proxops.lab.driven_cell import DrivenArm, driven_cell
from proxops.lab.links.arm_position import ArmPositionLink
from proxops.runs.arm_parts import ArmParts, ArmRan
from proxops.runs.row_groups import RowGroups


class FloatParts(ArmParts[FloatApplication]):
    """What a run is assembled from. ``given``: a cell instead of FZI's; ``source``: a force sensor instead of the scenario's."""

    def __init__(
        self, bench: FloatBench, seed: int, given: AnyCell | None = None, *, hand: Hand | None = None,
        source: ForceStream | None = None, duration_s: float | None = None,
    ) -> None:  # fmt: skip
        self.bench, self.seed, self.notes = bench, seed, bench.file.notes
        self.cell = driven_cell(
            DrivenArm(bench.traits, bench.joints, bench.arm.flange, bench.T_world_base), CELL, given
        )
        self.hand = hand or Hand(bench.pushes)
        self.duration_s = bench.file.flight_s if duration_s is None else duration_s
        self._arm_rng, *self._sensor_rngs = np.random.default_rng(seed).spawn(4)
        self._source = (source, None) if source else None
        self.told = RowGroups(FloatApplication.row_dtype(len(bench.arm.joints)), series_of)

    def link(self, clock: Clock) -> ArmPositionLink:
        """To the virtual arm."""
        made = ArmPositionLink.virtual(self.cell, self.bench.traits, clock, self._arm_rng)
        self.arm = made.arm
        return made

    def application(self, hall: Installation) -> FloatApplication:
        """With its sensor, attached to the facility."""
        facility = hall.facility
        source, module = self._source or sensed(self.bench, self.hand, *self._sensor_rngs)
        if module is not None and module.touched.impedance is not None:
            self.arm.give_way(module.touched.impedance)
        made = FloatApplication(self.bench, facility, self.arm, source, module, self.told, duration_s=self.duration_s)
        facility.duties.attach("micro-gravity", poll=made.poll, publish=made.publish)
        self.made = made
        return made

    def sum_up(self, ran: ArmRan[FloatApplication]) -> ExperimentResult:
        return sum_up(ran)
