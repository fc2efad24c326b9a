"""Tables of a docking with contact: two free spacecraft, hardware on both robots that truly touches, forces that come back."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.experiment import ExperimentFile
from proxops.core.force_sensor_table import ForceSensorTable
from proxops.core.strict_table import Finite, Strict, Triple, within
from proxops.core.tool_load_file import ToolLoadFile

Six = tuple[Finite, Finite, Finite, Finite, Finite, Finite]
Metres = Annotated[Finite, within(-10, 10)]
Beside = Annotated[Finite, within(-500, 500)]
Drift = Annotated[Finite, within(-100, 100)]
Tilt = Annotated[Finite, within(-15, 15)]
Turn = Annotated[Finite, within(-5, 5)]
Stiffness = Annotated[Finite, within(0.1, 10_000)]


class BodyTable(Strict):
    """A spacecraft as the dynamics take it. Its frame is the port's: the chaser's x points away from the client."""

    mass_kg: Annotated[Finite, within(1, 1e6)]  # of the spacecraft that it stands for, not of what the robot carries
    inertia_kgm2: Six  # xx, yy, zz, xy, xz, yz about the centre of mass
    com_m: tuple[Metres, Metres, Metres]  # from the port


class ShapeTable(Strict):
    """A ball on the chaser's probe, and what it meets on the client: a plate, or a cone that ends in a bowl."""

    kind: Literal["plate", "cone"]  # what the client has
    ball_mm: Annotated[Finite, within(1, 200)]  # radius
    ball_m: tuple[Metres, Metres, Metres] = (-0.40, 0.0, 0.0)  # its centre in the chaser's frame
    seat_m: Annotated[Finite, within(-2, 2)] = 0.735  # ball's centre on the client's x axis, touching the bottom
    bowl_mm: Annotated[Finite, within(1, 500)] = 30.0  # radius
    half_angle_deg: Annotated[Finite, within(10, 80)] = 40.0  # of the cone, from its axis
    mouth_mm: Annotated[Finite, within(5, 1000)] = 100.0  # radius


class ContactTable(Strict):
    """How the hardware truly gives way: known to the virtual hall only."""

    stiffness_N_mm: Stiffness  # of the linear law; with an exponent: force at 1 mm
    damping_ratio: Annotated[Finite, within(0, 1)] = 0.0  # of the two masses on the spring
    exponent: Annotated[Finite, within(1, 2)] = 1.0  # of the depth
    friction: Annotated[Finite, within(0, 2)] = 0.0  # Coulomb's


class BelievedTable(Strict):
    """What is told of the hardware beforehand. Without it the stiffness is found out on first touch."""

    stiffness_N_mm: Stiffness  # right to 30 %
    damping_ratio: Annotated[Finite, within(0, 1)] = 0.0  # a beginning; found in the contact


class LatchTable(Strict):
    """Pawls that close when the ball is this near to its seat, and hold it as a spring and a damper."""

    capture_mm: Annotated[Finite, within(0.1, 100)]  # from the seat
    stiffness_N_mm: Stiffness  # of what holds the ball
    damping_ratio: Annotated[Finite, within(0, 1)] = 0.3  # of the two masses on it
    turn_stiffness_Nm_deg: Annotated[Finite, within(0, 1e4)] = 20.0  # against turning
    turn_damping_Nms_deg: Annotated[Finite, within(0, 1e4)] = 5.0  # likewise


class DockingApproachTable(Strict):
    """The ball at the beginning, seen from its seat in the client's axes, and its motion; attitude and rate of the chaser."""

    gap_mm: Annotated[Finite, within(5, 1000)]  # along the docking axis
    speed_mm_s: Annotated[Finite, within(1, 200)]  # towards the client
    beside_mm: tuple[Beside, Beside] = (0.0, 0.0)  # along y, z
    drift_mm_s: tuple[Drift, Drift] = (0.0, 0.0)  # likewise
    attitude_deg: tuple[Tilt, Tilt, Tilt] = (0.0, 0.0, 0.0)  # rotation vector
    rate_deg_s: tuple[Turn, Turn, Turn] = (0.0, 0.0, 0.0)  # chaser's axes


class DockingLoopTable(Strict):
    """How the force goes back into the dynamics."""

    compensation: Literal["replay", "none"] = "replay"  # none: the force goes back as it comes, to look at
    law: Literal["linear", "free"] = "free"  # free: the force may rise with a power of the depth, found as well
    beyond_bounds: Literal["refuse", "label"] = "refuse"  # what happens if the certificate cannot be given
    stamp_error_ms: Annotated[Finite, within(0.001, 5)] = 0.05  # between the stamps of encoders and of forces
    alignment_mm: Annotated[Finite, within(0, 5)] = 0.05  # one sigma of how well the hardware is taught in
    least_stiffness_N_mm: Stiffness = 5.0  # found on first touch outside of these: the robots retract
    most_stiffness_N_mm: Stiffness = 1000.0  # likewise


class TouchLimitsTable(Strict):
    """Of force and torque at the probe: the robots retract at the first, stop at the second."""

    retract_N: Annotated[Finite, within(1, 1e5)] = 800.0  # length of the force
    stop_N: Annotated[Finite, within(1, 1e5)] = 1500.0  # likewise
    retract_Nm: Annotated[Finite, within(1, 1e5)] = 150.0  # length of the torque
    stop_Nm: Annotated[Finite, within(1, 1e5)] = 300.0  # likewise


class OpenZoneTable(Strict):
    """Where mock-ups may meet: the ball within this distance of the client's docking axis and of its seat. Everywhere else, and
    for everything else in the hall, zones stay as they are."""

    radius_mm: Annotated[Finite, within(1, 1000)] = 150.0  # of the ball from the docking axis
    length_mm: Annotated[Finite, within(1, 2000)] = 400.0  # of the ball from its seat, along the axis
    tilt_deg: Annotated[Finite, within(0.1, 45)] = 10.0  # of the chaser's axis from the client's


class PlaceTable(Strict):
    """Where in the hall: the client's port in the lab, and how far in front of its base robot 1 holds its flange."""

    client_lab_m: Triple = (1.8, 0.7, 0.0)  # the client's port
    reach_m: Annotated[Finite, within(0.5, 2.5)] = 1.6  # at the start; the rail stands where this asks for


class DockingFile(ExperimentFile):
    """``tool``: what hangs on the force sensor."""

    kind: Literal["docking"]
    seed: Annotated[int, Field(strict=True, ge=0)] = 1  # of the sensor's errors, the robots', the teach-in
    flight_s: Annotated[Finite, within(0.1, 600)]  # of the spacecraft, at most
    chaser: BodyTable
    client: BodyTable
    shape: ShapeTable
    contact: ContactTable  # the hardware as it is
    believed: BelievedTable | None = None  # as it is declared
    latch: LatchTable | None = None  # none: nothing can capture
    approach: DockingApproachTable
    sensor: ForceSensorTable = ForceSensorTable()
    tool: ToolLoadFile  # what hangs on the force sensor: by hand, or load.toml of `proxops ft calibrate`
    loop: DockingLoopTable = DockingLoopTable()
    limits: TouchLimitsTable = TouchLimitsTable()
    zone: OpenZoneTable | None = None  # none: mock-ups may not meet anywhere
    place: PlaceTable = PlaceTable()
    expect: Literal["capture", "bounce", "any"] = "any"  # criterion of the run

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.expect == "capture" and self.latch is None:
            context = {"key": "expect", "value": self.expect, "bound": "a table latch"}
            raise PydanticCustomError("no_latch", "nothing there that could capture", context)
        for unit in ("N", "Nm"):
            retract, stop = getattr(self.limits, f"retract_{unit}"), getattr(self.limits, f"stop_{unit}")
            if retract > stop:
                context = {
                    "key": f"limits.retract_{unit}",
                    "value": str(retract),
                    "bound": f"at most limits.stop_{unit} = {stop:g}",
                }
                raise PydanticCustomError("limits", "beyond the one that stops", context)
        if self.loop.least_stiffness_N_mm >= self.loop.most_stiffness_N_mm:
            context = {
                "key": "loop.least_stiffness_N_mm",
                "value": str(self.loop.least_stiffness_N_mm),
                "bound": "below the most",
            }
            raise PydanticCustomError("bounds", "bounds the wrong way round", context)
        return self

    @property
    def duration_s(self) -> float:
        return self.flight_s


FILE = DockingFile
