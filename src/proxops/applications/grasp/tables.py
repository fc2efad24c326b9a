"""Tables of the experiment ``grasp``: a free-floating arm catches a bar on a floating body, or bumps it away."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.experiment import ArmExperimentFile
from proxops.core.strict_table import Direction, Finite, Strict, Triple, Whole, within
from proxops.core.task_law_table import LawTable

Seconds = Annotated[Finite, within(0, 1000)]
Length = Annotated[Finite, within(0.001, 2)]
Mass = Annotated[Finite, within(1e-3, 1e5)]
Rows = tuple[Triple, Triple, Triple]
TRIANGLE_SLACK = 1e-9  # of the greatest principal moment: rounding of a thin plate is no error


def _positive(key: str, sides: Triple) -> None:
    if not all(0.001 <= side <= 2.0 for side in sides):
        _complain(key, sides, "sides of 0.001 … 2 m")


def _complain(key: str, value: Any, bound: str) -> None:
    raise PydanticCustomError("grasp", "not usable", {"key": key, "value": value, "bound": bound})


class GripperTable(Strict):
    """Two fingers on a palm. Frame: in the middle of the palm's face, z along the fingers, x the way they close; turned about z
    of the arm's tool by ``turn_deg``."""

    turn_deg: Annotated[Finite, within(-180, 180)] = 0.0  # about the tool's z
    palm_m: Triple = (0.16, 0.06, 0.05)  # sides along x, y, z
    palm_kg: Mass = 0.8  # without the fingers
    finger_m: Triple = (0.015, 0.04, 0.08)  # thickness along x, width along y, length along z
    finger_kg: Mass = 0.2  # of each
    opening_m: Length = 0.08  # between the open fingers
    grasp_m: Length = 0.05  # from the palm's face to where the bar should be held
    speed_m_s: Annotated[Finite, within(0.001, 1)] = 0.08  # of each finger
    force_n: Annotated[Finite, within(0.1, 1000)] = 30.0  # of each finger

    @model_validator(mode="after")
    def _sound(self) -> Self:
        _positive("palm_m", self.palm_m)
        _positive("finger_m", self.finger_m)
        if self.grasp_m > self.finger_m[2]:
            _complain("grasp_m", self.grasp_m, f"at most the fingers' length, {self.finger_m[2]:g} m")
        if self.palm_m[0] < self.opening_m:
            _complain("palm_m", self.palm_m, f"at least as wide (x) as the opening, {self.opening_m:g} m")
        return self


class BarTable(Strict):
    """What is to be caught, in the frame of the body: the hand comes along ``approach``, the bar lies along ``along``."""

    place_m: Triple  # of its middle
    along: Direction  # unit vector, made one
    approach: Direction  # the way the hand comes
    length_m: Length  # of the bar
    thickness_m: Length  # side or diameter
    section: Literal["round", "square"] = "square"  # what the fingers close on

    @model_validator(mode="after")
    def _upright(self) -> Self:
        if abs(float(np.dot(self.along, self.approach))) > 1e-6:
            _complain("approach", self.approach, "at right angles to along")
        return self

    @property
    def R_body_bar(self) -> NDArray[np.float64]:
        """z along the approach, y along the bar: the hand's frame at the grasp."""
        y, z = np.array(self.along), np.array(self.approach)
        return np.column_stack([np.cross(y, z), y, z])


class PartTable(Strict):
    """A piece of the body besides its bar: what can be touched. Sides of a box; diameter and length (along z) of a cylinder;
    diameter of a sphere."""

    shape: Literal["box", "cylinder", "sphere"]  # what can be touched
    size_m: Annotated[tuple[Annotated[Finite, within(0.001, 20)], ...], Field(min_length=1, max_length=3)]
    place_m: Triple = (0.0, 0.0, 0.0)  # of its middle
    turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector

    @model_validator(mode="after")
    def _sized(self) -> Self:
        want = {"box": 3, "cylinder": 2, "sphere": 1}[self.shape]
        if len(self.size_m) != want:
            _complain("size_m", self.size_m, f"{want} numbers for a {self.shape}")
        return self


class HandleTable(Strict):
    """The floating body. Its frame has the mass centre as origin; pose and motion at the start are in inertial axes, those of the
    arm's base at the start."""

    mass_kg: Finite  # 0.001 … 100000
    inertia_kg_m2: Rows  # about the mass centre, in the body's axes
    friction: Annotated[Finite, within(0, 5)] = 0.6  # Coulomb's, with fingers and palm
    contact_s: Annotated[Finite, within(0.002, 0.5)] = 0.008  # time constant of the contact
    contact_damping: Annotated[Finite, within(0.1, 5)] = 0.25  # the less, the more it springs back
    place_m: Triple  # of the mass centre
    turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector
    speed_m_s: Triple = (0.0, 0.0, 0.0)  # of the mass centre
    turn_rate_deg_s: Triple = (0.0, 0.0, 0.0)  # inertial axes
    bar: BarTable
    part: Annotated[tuple[PartTable, ...], Field(max_length=50)] = ()  # [[handle.part]]

    @property
    def inertia(self) -> NDArray[np.float64]:
        return np.array(self.inertia_kg_m2)

    @model_validator(mode="after")
    def _can_exist(self) -> Self:
        if not 1e-3 <= self.mass_kg <= 1e5:
            _complain("mass_kg", self.mass_kg, "0.001 … 100000: nothing floats without a mass")
        if not np.array_equal(self.inertia, self.inertia.T):
            _complain("inertia_kg_m2", self.inertia_kg_m2, "symmetric")
        a, b, c = np.linalg.eigvalsh(self.inertia).tolist()
        told = f"principal moments {a:.6g}, {b:.6g}, {c:.6g}"
        if not a > 0.0:
            _complain("inertia_kg_m2", told, "all positive")
        if c > (a + b) + TRIANGLE_SLACK * c:
            _complain("inertia_kg_m2", told, f"triangle inequality: the greatest at most {a + b:.6g}")
        return self


class TimingTable(Strict):
    """When the hand stands off, arrives and closes."""

    stand_off_s: Annotated[Finite, within(0.1, 1000)]  # the hand is behind the bar
    arrive_s: Annotated[Finite, within(0.2, 1000)]  # the bar is at the gripper's grasp
    early_s: Seconds = 0.0  # the fingers close too early
    late_s: Seconds = 0.0  # or too late
    hold_s: Seconds = 0.3  # grip firms up before the joints brake

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.arrive_s <= self.stand_off_s:
            _complain("arrive_s", self.arrive_s, f"after stand_off_s = {self.stand_off_s:g}")
        if self.early_s and self.late_s:
            _complain("early_s", self.early_s, "0 if late_s is given")
        return self

    @property
    def close_s(self) -> float:
        return self.arrive_s + self.late_s - self.early_s


class GraspApproachTable(Strict):
    """How the hand comes, as seen from the bar."""

    stand_off_m: Length = 0.12  # behind the grasp
    closing_m_s: Annotated[Finite, within(0, 1)] = 0.05  # left on arrival: a bar that is not held meets the palm
    follow_m: Length = 0.05  # how far the hand comes on from there
    look_s: Seconds = 0.5  # between the first sighting and the first motion
    horizon_s: Annotated[Finite, within(0.05, 10)] = 0.3  # no plan is shorter
    blind_s: Seconds = 0.5  # before the arrival the hand hides the bar: what follows is foreseen, not seen


class SightTable(Strict):
    """Of the handle, from the base: place and turn with noise, one standard deviation of each axis."""

    rate_hz: Annotated[Finite, within(1, 1000)] = 20.0  # sightings
    noise_m: Annotated[Finite, within(0, 1)] = 5e-4  # of the place
    noise_deg: Annotated[Finite, within(0, 10)] = 0.1  # of the turn
    drift_m_s: Annotated[Finite, within(1e-6, 10)] = 0.1  # what the tracker expects of an unknown body
    drift_deg_s: Annotated[Finite, within(1e-4, 90)] = 5.0  # likewise, turning


class SensorTable(Strict):
    """Of the craft itself, one standard deviation."""

    joint_urad: Annotated[Finite, within(0, 1e5)] = 5.0  # encoders
    rate_urad_s: Annotated[Finite, within(0, 1e6)] = 100.0  # joint rates
    base_um: Annotated[Finite, within(0, 1e5)] = 20.0  # place of the base
    base_urad: Annotated[Finite, within(0, 1e5)] = 20.0  # its attitude
    base_um_s: Annotated[Finite, within(0, 1e6)] = 50.0  # its velocity
    base_urad_s: Annotated[Finite, within(0, 1e6)] = 50.0  # its rate
    wrist_n: Annotated[Finite, within(0, 100)] = 0.5  # contact force at the wrist
    wrist_n_m: Annotated[Finite, within(0, 100)] = 0.02  # and torque
    opening_um: Annotated[Finite, within(0, 1e5)] = 50.0  # of the fingers


class DampingTable(Strict):
    """Of the joints once the bar is held: the joints' own motion fades with this time constant; soft while the grip firms up."""

    time_s: Annotated[Finite, within(0.02, 100)] = 0.5  # once the grip is firm
    soft_s: Annotated[Finite, within(0.02, 100)] = 2.0  # before


class LimitTable(Strict):
    """Of the contact, as the wrist feels it: beyond, the arm comes to rest and the fingers open."""

    force_n: Annotated[Finite, within(0.1, 1e4)] = 120.0  # length of the force
    torque_n_m: Annotated[Finite, within(0.01, 1e4)] = 15.0  # length of the torque
    stop_s: Annotated[Finite, within(0.05, 10)] = 0.5  # time constant of coming to rest


class FaultTable(Strict):
    """A measurement that is no number, from a time on."""

    of: Literal["joints", "rates", "base", "base_speed", "opening", "wrist", "sighting"]  # which
    begin_s: Seconds  # since the start


class ExpectTable(Strict):
    """Criteria: what should come of it."""

    outcome: Literal["held", "bumped", "stopped"]  # of the run
    final_speed_m_s: Annotated[Finite, within(0, 10)] = 0.002  # held: handle against hand at the end, at most
    final_turn_deg_s: Annotated[Finite, within(0, 90)] = 0.5  # likewise
    final_joint_deg_s: Annotated[Finite, within(0, 90)] = 0.2  # the fastest joint
    bumped_m_s: Annotated[Finite, within(0, 10)] = 0.005  # bumped: the handle's velocity changed by contact, at least


class GraspFile(ArmExperimentFile):
    """The whole file."""

    kind: Literal["grasp"]
    start_deg: tuple[Finite, ...]  # joints at the beginning
    posture_deg: tuple[Finite, ...] | None = None  # q_s; the start unless given
    rate_hz: Annotated[Finite, within(200, 4000)] = 500.0  # of flight software and drives
    step_s: Annotated[Finite, within(2e-5, 1e-3)] = 1e-3  # of the physics, at most
    touch_step_s: Annotated[Finite, within(2e-5, 1e-3)] = 1e-4  # while contacts come and go
    end_s: Annotated[Finite, within(0.5, 1000)]  # of the run
    seed: Annotated[Whole, within(0, 2**32)] = 1  # of the measurements' noise
    law: LawTable
    gripper: GripperTable = GripperTable()
    handle: HandleTable
    approach: GraspApproachTable = GraspApproachTable()
    timing: TimingTable
    damping: DampingTable = DampingTable()
    sight: SightTable = SightTable()
    sensors: SensorTable = SensorTable()
    limit: LimitTable = LimitTable()
    fault: FaultTable | None = None
    expect: ExpectTable

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        bar, gripper = self.handle.bar, self.gripper
        if not bar.thickness_m < gripper.opening_m:
            _complain("gripper.opening_m", gripper.opening_m, f"above the bar's thickness, {bar.thickness_m:g} m")
        if gripper.grasp_m < 0.5 * bar.thickness_m:
            _complain("gripper.grasp_m", gripper.grasp_m, f"at least half the bar's thickness, {bar.thickness_m:g} m")
        if not self.timing.arrive_s < self.end_s:
            _complain("end_s", self.end_s, f"after timing.arrive_s = {self.timing.arrive_s:g}")
        if self.sight.rate_hz > self.rate_hz:
            _complain("sight.rate_hz", self.sight.rate_hz, f"at most rate_hz = {self.rate_hz:g}")
        softness = self.handle.contact_s * min(1.0, self.handle.contact_damping)  # 1/ω of the contact's own motion
        least = max(4.0 * self.touch_step_s, self.step_s)
        if softness < least:
            _complain(
                "handle.contact_s", softness, f"times contact_damping: at least 4 touch_step_s and step_s, {least:g} s"
            )
        return self

    @property
    def duration_s(self) -> float:
        return self.end_s


FILE = GraspFile
