"""Between a spacecraft and its flight software: measurements in, actuator commands out. Truth never passes here.

Frames: ``eci`` (inertial), ``chaser`` and ``target`` (body frames), ``sensor`` (as a camera has it: z along its line of sight,
which is -x of the chaser, x to the right, y down if the chaser's +z is down).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.mission import MissionFile
from proxops.core.vocabulary import AbortCause, MissionPhase

Floats = NDArray[np.float64]
# Columns: the sensor's axes in the chaser's frame.
R_CHASER_SENSOR: Final = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
LATE_CYCLES: Final = 2  # that our own software allows its answers to be late where nobody waits for them
N_ERRORS: Final = 12  # position, velocity, attitude, rate of the client: three each


@dataclass(frozen=True)
class RelativeMeasurement:
    """The target as a relative sensor saw it. Poses of every source are told in the frame of the pose sensor: ``[sensor]
    place_m``, looking along -x."""

    t: float  # s on the mission's clock, when it was exposed
    p_sensor_target: Floats  # (3) m, origin of the target's body frame
    q_sensor_target: Floats  # (4) scalar first
    # (6, 6) of its own error, in the sensor's axes: place (m), then a small rotation on the left (rad). Its upper half is not
    # read. None: as the data sheet of the pose sensor has it.
    covariance: Floats | None = None
    source: int = 0  # 0: the modelled pose sensor; k: the mission's k-th imaging sensor, from 1


@dataclass(frozen=True)
class Measurements:
    """All that reaches the flight software in one cycle."""

    t: float  # s, now, on the mission's clock
    relative: tuple[RelativeMeasurement, ...]  # that arrived since the last cycle, oldest first
    q_eci_chaser: Floats  # (4) star tracker
    w_eci_chaser: Floats  # (3) rad/s in the chaser's frame: gyro
    p_eci_chaser: Floats  # (3) m, of the chaser's centre of mass: GNSS
    v_eci_chaser: Floats  # (3) m/s
    wheel_rate: Floats  # (wheels) rad/s
    thruster_on_s: Floats  # (thrusters) s of chamber pressure during the last cycle
    propellant_kg: float


@dataclass(frozen=True)
class Estimate:
    """What the flight software believes at the time of its cycle; recorded and compared with truth, never fed back."""

    position: Floats  # (3) m: chaser's centre of mass from the target's, in eci axes
    velocity: Floats  # (3) m/s: its inertial derivative
    q_eci_target: Floats  # (4)
    w_eci_target: Floats  # (3) rad/s in the target's frame
    # (12, 12) of position, velocity (eci axes), attitude (small rotation in the target's frame) and rate.
    covariance: Floats


@dataclass(frozen=True)
class Telemetry:
    """What the flight software tells of itself, all of it optional."""

    phase: MissionPhase = MissionPhase.NONE
    abort: AbortCause = AbortCause.NONE
    step: int = 0  # of the plan, from 1
    estimate: Estimate | None = None
    goal: Floats | None = None  # (3) m: where the chaser's centre of mass should be, from the target's, in eci axes
    corridor: float = 0.0  # share of the corridor's width in use; above 1: outside
    accepted: int = 0  # measurements the filter took in this cycle
    rejected: int = 0


@dataclass(frozen=True)
class Commands:
    """What the flight software asks for until its next cycle. Arrays in the order of the scenario's thrusters and wheels."""

    on_time_s: Floats  # (thrusters) 0 … one cycle
    wheel_torque: Floats  # (wheels) N m on the craft about the wheel's axis
    isolated: NDArray[np.bool_] | None = None  # (thrusters) latch valves that shall be closed
    telemetry: Telemetry = field(default_factory=Telemetry)


class FlightSoftware(Protocol):
    """The one method that a user's own flight software needs; made with ``Class(mission_file)``: the data of the scenario as
    it is known on board, nominal."""

    def step(self, measurements: Measurements) -> Commands: ...


@dataclass(frozen=True)
class OnboardData:
    """The nominal data, as arrays: what every flight software computes from the scenario first."""

    period_s: float
    mass_kg: float
    inertia: Floats  # (3, 3) chaser
    mass_centre: Floats  # (3) in the chaser's frame
    interface: Floats  # (3)
    thruster_places: Floats  # (n, 3) from the chaser's centre of mass
    thruster_directions: Floats  # (n, 3)
    thruster_force_n: float
    specific_impulse_s: float
    min_on_s: float
    wheel_axes: Floats  # (n, 3)
    wheel_torque_n_m: float
    wheel_momentum_n_m_s: float
    rotor_kg_m2: float
    target_inertia: Floats
    target_mass_centre: Floats  # (3) in the target's frame
    target_interface: Floats
    target_radius_m: float  # of a sphere about its mass centre that holds the target
    sensor_place: Floats  # (3) in the chaser's frame
    late_cycles: int = 0  # by which a command may be carried out later than it is given


def onboard_data(file: MissionFile) -> OnboardData:
    """What is known on board."""
    c, t = file.chaser, file.target
    mass_centre = np.array(c.mass_centre_m)
    return OnboardData(
        1.0 / file.flight.rate_hz, c.mass_kg, c.inertia, mass_centre, np.array(c.interface_m),
        c.thrusters.places - mass_centre, c.thrusters.directions, c.thrusters.force_n, c.thrusters.specific_impulse_s,
        c.thrusters.min_on_ms * 1e-3, np.array(c.wheels.axes), c.wheels.torque_n_m, c.wheels.momentum_n_m_s,
        c.wheels.rotor_kg_m2, t.inertia, np.array(t.mass_centre_m), np.array(t.interface_m), t.radius_m,
        np.array(file.sensor.place_m), 0 if file.flight.waits else LATE_CYCLES,
    )  # fmt: skip
