"""Tables of the micro-gravity testbed: a module on a seven-axis arm floats in a virtual box and feels pushes (paper 002)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from proxops.core.experiment import ArmExperimentFile, ArmTable
from proxops.core.floating_object import BoxTable, ObjectTable, ObstacleTable, TurnLimitTable
from proxops.core.force_sensor_table import ForceSensorTable
from proxops.core.strict_table import Finite, Strict, Triple, Whole, within
from proxops.core.tool_load_file import ToolLoadFile

Positive = Annotated[Finite, within(1e-3, 1e4)]

Stiffness = Annotated[Finite, within(10, 5000)]

CELL: Final = "fzi"  # unless another is given
SETTLE_S: Final = 1.0  # standing still, before the module is let go: the sensor's zero is found


class PushTable(Strict):
    """A person's push, world axes, at a point of the module seen from its frame's origin."""

    at_s: Annotated[Finite, within(0, 3600)]  # since the run began; the module is let go after 1 s
    direction: Triple  # any length
    impulse_Ns: Annotated[Finite, within(0, 1000)] = 0.0  # of the push alone
    duration_ms: Annotated[Finite, within(10, 1000)] = 100.0  # of the push
    lever_m: Triple = (0.0, 0.0, 0.0)  # where the hand pushes
    twist_Nms: Triple = (0.0, 0.0, 0.0)  # turned besides, by hand
    # Impulse that the arm answers with, the other way; 0.5 unless given. With [impedance] it comes about by itself: none.
    counter_share: Annotated[Finite, within(0, 1)] | None = None


class HandTable(Strict):
    """How the arm stands and holds the module."""

    base_m: Triple = (0.0, 0.0, 0.0)  # of the arm's foot in the world
    base_turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector
    start_deg: tuple[Finite, ...]  # joints at the beginning
    grip_m: Triple = (0.0, 0.0, 0.2)  # the module's frame in the flange's
    grip_turn_deg: Triple = (0.0, 0.0, 0.0)  # likewise, rotation vector
    acceleration_rad_s2: tuple[Positive, ...]  # of each joint
    jerk_rad_s3: tuple[Positive, ...]  # of each joint
    lag_ms: Annotated[Finite, within(0, 50)] = 4.0  # each of two in the drives
    dead_cycles: Annotated[Whole, within(0, 100)] = 1  # of the arm's interface
    lag_error: Annotated[Finite, within(-0.5, 0.5)] = 0.03  # share by which the lag is not known


class PlanTable(Strict):
    """Of the joints' course (eqs. 5 to 7)."""

    ahead_s: Annotated[Finite, within(0.05, 2)] = 0.36  # how far the physics is foreseen
    columns: Annotated[Whole, within(9, 180)] = 36  # arm angles; a finer fan has nine
    rows: Annotated[Whole, within(2, 40)] = 10  # predicted poses in the matrix
    physics_hz: Annotated[Whole, within(250, 10_000)] = 1000  # steps; multiples of the 250 of a cycle
    contact_rad_s: Annotated[Finite, within(1, 1000)] | None = None  # how hard walls are: a bounce takes pi over this


class FloatSensorTable(ForceSensorTable):
    """Six axes between flange and module."""

    noise_N: Annotated[Finite, within(0.01, 100)] = 1.0  # standard deviation of a reading, or of a cycle's mean
    noise_Nm: Annotated[Finite, within(0.001, 100)] = 0.05  # likewise
    offset_Nm: Annotated[Finite, within(0, 10)] = 0.3  # largest; drawn from the seed
    drift_N_s: Annotated[Finite, within(0, 10)] = 0.2  # largest; of the torque a twentieth of it
    range_N: Annotated[Finite, within(1, 1e5)] = 400.0  # at which it saturates
    range_Nm: Annotated[Finite, within(1, 1e5)] = 40.0  # likewise
    stop_N: Annotated[Finite, within(1, 1e5)] = 250.0  # more from outside than this: the arm stops
    stop_Nm: Annotated[Finite, within(1, 1e5)] = 30.0  # likewise
    source: Literal["virtual", "network"] = "virtual"  # network: a sensor of the user's own, docs/touch.md
    port: Annotated[Whole, within(1, 65535)] = 47_340  # UDP, of the network
    rate_hz: Annotated[Finite, within(250, 8000)] = 250.0  # of the network's; a cycle takes the mean


class DetectorTable(Strict):
    """How pushes are found in the readings. The paper prints no number of its own; both detectors are compared in the report."""

    kind: Literal["level", "derivative"] = "level"  # ours, or paper 002's: eqs. 2 to 4
    # The others are paper 002's, for readings 4 ms apart.
    alpha: Annotated[Finite, within(0, 0.999)] = 0.9  # weight of the past in eq. 2
    threshold_N_s: Annotated[Finite, within(1e-3, 1e7)] | None = None  # of eq. 3; 7 sigma of its noise unless given
    back_N: Annotated[Finite, within(1e-3, 1e5)] | None = (
        None  # the counter-impulse is over; 5 sigma of eq. 2 unless given
    )


class JointTorqueTable(Strict):
    """Force told from torque sensors in the joints and a model of the arm, instead of a sensor at the flange."""

    noise_Nm: Annotated[Finite, within(1e-3, 10)] = 0.05  # standard deviation of each joint's reading: ASSUMED
    offset_Nm: Annotated[Finite, within(0, 10)] = 0.2  # largest, of each; drawn from the seed: ASSUMED
    model_error: Annotated[Finite, within(0, 0.5)] = (
        0.03  # share by which masses and inertias of the links are off: ASSUMED
    )


class ImpedanceTable(Strict):
    """The arm gives way as an impedance controller lets it, in each joint."""

    stiffness_Nm_rad: tuple[Stiffness, ...] = (1000.0,)  # of each joint, or one for all: ASSUMED
    damping_ratio: Annotated[Finite, within(0.05, 0.95)] = 0.7  # of every mode: ASSUMED


class AcceptedTable(Strict):
    """Bounds of the criteria, for a chain of which less is expected."""

    magnitude_share: Annotated[Finite, within(0.01, 1)] = 0.12  # worst error of a push; ours keeps it in 95 of 100
    direction_deg: Annotated[Finite, within(1, 90)] = 8.0  # likewise


class FloatFile(ArmExperimentFile):
    """``mock_up``: what hangs on the sensor in the hall; ``object``: what floats in the physics. They need not weigh the same."""

    kind: Literal["float"]
    seed: Annotated[int, Field(strict=True, ge=0)] = 1  # of the sensor's and the arm's errors
    flight_s: Annotated[Finite, within(0.1, 36_000)]  # after the module is let go
    arm: ArmTable = ArmTable(model="lwr_4plus", tool="flange")
    hand: HandTable
    plan: PlanTable = PlanTable()
    box: BoxTable
    object: ObjectTable
    obstacle: tuple[ObstacleTable, ...] = ()  # [[obstacle]], any number
    turn_limit: TurnLimitTable | None = None  # how far the module turns; without it as far as the arm reaches
    mock_up: ToolLoadFile
    sensor: FloatSensorTable = FloatSensorTable()
    joint_torques: JointTorqueTable | None = None  # with it the force comes from the joints, not from the flange
    impedance: ImpedanceTable | None = None  # with it the arm gives way
    detector: DetectorTable = DetectorTable()
    accepted: AcceptedTable = AcceptedTable()
    push: tuple[PushTable, ...] = ()  # [[push]], any number

    @property
    def duration_s(self) -> float:
        return self.flight_s


FILE = FloatFile
