"""Tables of an experiment with an arm in the loop: a (virtual) arm on the ground moves, a computed satellite under it drifts."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from proxops.core.experiment import ArmExperimentFile
from proxops.core.strict_table import Finite, Strict, Triple, Whole, within

Gain = Annotated[Finite, within(1e-3, 20)]
Gains = tuple[Gain, Gain, Gain]
Order = Literal["zyx", "xyz"]

CELL: Final = "kube"  # unless another is given


class StartTable(Strict):
    """Satellite in the inertial origin, everything at rest."""

    joints_deg: tuple[Finite, ...]


class PoseTable(Strict):
    """Of the tool in inertial axes. R = Rz Ry Rx; ``order`` says how the three angles are listed."""

    position_m: Triple
    orientation_deg: Triple
    order: Order = "zyx"


class JacobianLawTable(Strict):
    """The dynamic-Jacobian law."""

    position_gain_per_s: Gains = (1.0, 1.0, 1.0)
    attitude_gain_per_s: Gains = (1.0, 1.0, 1.0)
    speed_share: Annotated[Finite, within(0.01, 1)] = 0.9  # of the joints' speeds
    acceleration_share: Annotated[Finite, within(0.01, 1)] = 0.5


class LoopTable(Strict):
    """Its time."""

    duration_s: Annotated[Finite, within(0.01, 3600)]
    rate_hz: Annotated[Whole, within(10, 1000)] = 1000
    rate_filter_hz: Annotated[Finite, within(0.1, 400)] = 40.0  # low-pass of the differentiated joint angles


class RobotTable(Strict):
    """The virtual arm and how it stands in the hall."""

    gravity_m_s2: Triple  # in the base's axes
    acceleration_rad_s2: tuple[Annotated[Finite, within(0.01, 1000)], ...]  # of the joints
    lag_ms: Annotated[Finite, within(0, 200)] = 5.0
    dead_time_ms: Annotated[Finite, within(0, 100)] = 2.0
    patience_ms: Annotated[Finite, within(1, 1000)] = 50.0  # without a fresh command, then it halts
    encoder_step_urad: Annotated[Finite, within(0, 1e4)] = 6.0
    encoder_noise_urad: Annotated[Finite, within(0, 1e4)] = 2.0
    torque_noise_Nm: Annotated[Finite, within(0, 10)] = 0.05
    torque_offset_Nm: Annotated[Finite, within(0, 10)] = 0.1


class HardwareLoopFile(ArmExperimentFile):
    """``printed``: the start pose as a paper prints it, for comparison only."""

    kind: Literal["hardware_loop"]
    seed: Annotated[int, Field(strict=True, ge=0)] = 1
    start: StartTable
    goal: PoseTable
    printed: PoseTable | None = None
    law: JacobianLawTable = JacobianLawTable()
    loop: LoopTable
    robot: RobotTable

    @property
    def duration_s(self) -> float:
        return self.loop.duration_s


FILE = HardwareLoopFile
