"""What a run with an arm in the loop is assembled from: cell, arm behind its link, application."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, cast

import numpy as np

from proxops.applications.kube.application import KubeApplication, row_dtype
from proxops.applications.kube.bench import RANGE_MARGIN, KubeBench
from proxops.applications.kube.result import series_of, sum_up
from proxops.applications.kube.tables import CELL
from proxops.applications.kube.true_arm import elastic_joints
from proxops.core.clock import Clock, seconds_of
from proxops.core.experiment_result import ExperimentResult
from proxops.facility.installation import Installation
from proxops.lab.any_cell import AnyCell
from proxops.lab.driven_cell import DrivenArm, driven_cell
from proxops.lab.links.arm_velocity import ArmVelocityLink
from proxops.lab.virtual_iiwa import IiwaTraits, VirtualIiwa
from proxops.runs.arm_parts import ArmParts, ArmRan
from proxops.runs.row_groups import RowGroups


class KubeParts(ArmParts[KubeApplication]):
    """``given``: a cell instead of KUBE's; ``true``: traits of the virtual arm itself, if they are not what is believed."""

    def __init__(
        self, bench: KubeBench, seed: int, given: AnyCell | None = None, *, duration_s: float | None = None,
        true: IiwaTraits | None = None,
    ) -> None:  # fmt: skip
        self.bench, self.seed, self.notes = bench, seed, bench.file.notes
        arm = DrivenArm(
            bench.traits, bench.joints, bench.flange, range_margin=RANGE_MARGIN, coast_s=bench.traits.patience_s
        )
        self.cell = driven_cell(arm, CELL, given, bench.period_ns)
        self.duration_s = bench.file.duration_s if duration_s is None else duration_s
        self._true = true or bench.traits
        self.timing: dict[str, Any] = {}  # what is known of the machine before the run
        self.told = RowGroups(row_dtype(bench.model.n), partial(series_of, bench.model))

    def link(self, clock: Clock) -> ArmVelocityLink:
        """To the virtual arm, which keeps the facility's time."""
        traits, cycle_s, rng = self._true, self.bench.period_ns * 1e-9, np.random.default_rng(self.seed)
        bench, gravity = self.bench, np.array(self.bench.file.robot.gravity_m_s2)
        elastic = elastic_joints(bench.file.true_arm, bench.true, bench.joints, gravity)
        arm = VirtualIiwa(traits, bench.joints, bench.torques_held(), seconds_of(clock), rng, elastic)
        return ArmVelocityLink(arm, math.ceil(traits.patience_s / cycle_s), cycle_s)

    def application(self, hall: Installation) -> KubeApplication:
        facility, link = hall.facility, cast(ArmVelocityLink, hall.facility.link)
        made = KubeApplication(self.bench, facility, link, self.told, duration_s=self.duration_s, seed=self.seed)
        facility.duties.attach("arm in the loop", poll=made.poll, publish=made.publish)
        return made

    def sum_up(self, ran: ArmRan[KubeApplication]) -> ExperimentResult:
        app, timing = ran.application, {**self.timing, **ran.timing} if ran.timing else {}
        return sum_up(self.bench.file, self.bench.model, app.rows[: app.count], app.failure, timing)
