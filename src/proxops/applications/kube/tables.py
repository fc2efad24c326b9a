"""Tables of an experiment with an arm in the loop: a (virtual) arm on the ground moves, a computed satellite under it drifts."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from proxops.core.experiment import ArmExperimentFile
from proxops.core.strict_table import Finite, Strict, Triple, Whole, within

Gain = Annotated[Finite, within(-1e4, 1e4)]  # whether it can converge at the loop's rate is judged by the bench
Gains = tuple[Gain, Gain, Gain]
StallMs = Annotated[Finite, within(0, 10_000)]
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
    """How long the loop runs, how often, and what counts as its success."""

    duration_s: Annotated[Finite, within(0.01, 3600)]
    rate_hz: Annotated[Whole, within(10, 1000)] = 1000  # of the facility, and of its log
    goal: Literal["reach", "approach"] = "reach"  # approach: a way that is left at the end is a result, no refusal
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


class ComputerTable(Strict):
    """The computer beside the arm that evaluates satellite and law, and the server on the robot's controller that takes its rates
    (paper 004: MATLAB and the KUKA Sunrise Toolbox). Without this table every cycle is evaluated at once."""

    time_ms: Annotated[Finite, within(1, 500)]  # of one evaluation, from reading to command; the next begins then
    spread_ms: Annotated[Finite, within(0, 100)] = 0.0  # its standard deviation
    stall_every_s: Annotated[Finite, within(0.1, 3600)] | None = None  # on average, at random; none unless given
    stall_ms: tuple[StallMs, StallMs] = (100.0, 300.0)  # by which an evaluation takes longer then: least, most
    hold_ms: Annotated[Finite, within(1, 1000)] = 50.0  # in which the drives go straight to where the rates have led


class TrueArmTable(Strict):
    """What the virtual arm truly is where it differs from ``arm.model``, which loop and analysis believe in: motors with
    encoders, elastic gears, torque sensors behind them. Without this table the arm is stiff and as believed."""

    model: str  # another set of masses of the same arm: name of a shipped one, or path to a URDF
    stiffness_Nm_rad: tuple[Annotated[Finite, within(100, 1e7)], ...]  # of each joint
    damping_ms: Annotated[Finite, within(0, 100)] = 2.0  # over stiffness
    rotor_inertia_kg_m2: tuple[Annotated[Finite, within(1e-3, 100)], ...]  # of each motor, behind its gear
    torque_feedback_ms: Annotated[Finite, within(0.1, 1000)] = 5.0  # until a drive has taken up a change of load


class HardwareLoopFile(ArmExperimentFile):
    """``printed``: the start pose as a paper prints it, for comparison only. ``computer``: one that takes its time; ``true_arm``:
    one that is not what is believed."""

    kind: Literal["hardware_loop"]
    seed: Annotated[int, Field(strict=True, ge=0)] = 1
    start: StartTable
    goal: PoseTable
    printed: PoseTable | None = None
    law: JacobianLawTable = JacobianLawTable()
    loop: LoopTable
    robot: RobotTable
    computer: ComputerTable | None = None
    true_arm: TrueArmTable | None = None

    @property
    def duration_s(self) -> float:
        return self.loop.duration_s


FILE = HardwareLoopFile
