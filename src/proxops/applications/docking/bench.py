"""What a docking run is made of, judged before anything moves: bodies, hardware, sensor, place in the hall, the law believed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.applications.docking.tables import BodyTable, DockingFile
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.lab.cell import Cell
from proxops.maths.pose import compose, inverse_pose, pose_from_packed
from proxops.maths.quaternion import turned
from proxops.maths.rotation import Array, quat_from_rotation_vector
from proxops.sensors.force_torque import SensorTraits
from proxops.sensors.virtual_force_sensor import sensor_traits
from proxops.space.contact_pair import BODY, PAIR_DTYPE, SIZE, P, Pair, Q, V, W, relative, softness
from proxops.space.drogue import Drogue, depth
from proxops.touch.contact_fit import ContactFit, Law, Sensed
from proxops.touch.contact_samples import contact_threshold_n
from proxops.touch.docking_loop import DockingLoop
from proxops.touch.fidelity import LEAST_ERROR, LEAST_ERROR_FREE, Contact
from proxops.touch.force_watch import StreamTraits, stream_traits
from proxops.touch.tool_load import check_inertia, load_of, symmetric

STIFFNESS_SHARE: Final = 0.3  # by which a declared stiffness may be off
FOUND_SHARE: Final = 0.1  # by which one that was found in an earlier contact may be
SETTLE_S: Final = 0.5  # standing, before anything is measured, and again before the flight
WAVE_S, WAVE_HZ, WAVE_M = 4.0, 2.0, 0.012  # to and fro along the approach: how late the hall is
PREPARED_S: Final = SETTLE_S + WAVE_S + SETTLE_S  # until the flight
CLEAR_M: Final = 0.004  # what robots may be off before they are taught in, and more
SMALLEST_M: Final = 0.01  # radius of gyration of a spacecraft
CREEP_M_S: Final = 1e-3  # sliding speed below which friction is taken as viscous
RESERVE_S: Final = 20.0  # beyond the flight: settling, the wave, a retreat

ROW: Final = np.dtype(
    [
        ("t", "f8"), ("stage", "f8"), ("command", "f8", (7,)), ("shown", "f8", (7,)), ("shown_twist", "f8", (6,)),
        ("ball", "f8", (7,)), ("ball_twist", "f8", (6,)),  # computed: ball and attitude seen from the client
        ("felt", "f8", (6,)), ("modelled", "f8", (6,)), ("true", "f8", (6,)), ("true_depth", "f8"), ("depth", "f8"),
        ("law", "f8", (5,)), ("books", "f8", (8,)), ("away", "f8", (6,)), ("bias", "f8", (6,)), ("latched", "f8"),
    ]
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class DockingBench:
    """``pair``: bodies, shape and the law as it is believed; ``true``: the hardware as it is."""

    file: DockingFile
    pair: Pair
    true: Pair
    y: Array
    start: Array  # (7) T_port2_port1 at the beginning
    mass: float  # kg, of both along the axis
    load: Array  # believed parameters of the tool
    traits: SensorTraits
    stream: StreamTraits
    client_lab: Array
    base1: Array  # T_lab_base1 with the rail at zero
    port1_inv: Array
    rail_m: float

    row = ROW

    @property
    def longest_s(self) -> float:
        return self.file.flight_s + PREPARED_S

    @property
    def cycles(self) -> int:
        return round((self.longest_s + RESERVE_S) / PERIOD_S)

    @property
    def reach_m(self) -> float:
        """Behind this x of the ball nothing can touch."""
        shape = self.file.shape
        mouth = self.pair[0]["drogue"][0]["rim_x"] if shape.kind == "cone" else shape.seat_m
        return float(mouth) + 2e-3 * shape.ball_mm

    @property
    def way(self) -> Array:
        """From the start to where the ball would sit, m, with what it drifts on the way."""
        a = self.file.approach
        return a.gap_mm * np.array([-1e-3, *(1e-3 * drift / a.speed_mm_s for drift in a.drift_mm_s)])

    def lin_of(self, T_client_port: Array) -> float:
        """``data lin`` of a command that leaves the rail where it stands."""
        return _ahead_m(self.base1, self.port1_inv, self.client_lab, T_client_port) - self.rail_m * float(
            self.base1[0, 0]
        )

    @property
    def threshold_n(self) -> float:
        return contact_threshold_n(self.file.sensor.noise_N, self.file.sensor.dead_zone_N)

    def loop(self, delay_s: float) -> DockingLoop:
        """The loop, ready to fly."""
        file = self.file
        believed = file.believed.stiffness_N_mm * 1e3 if file.believed else None
        sensed = Sensed(
            self.mass, file.sensor.noise_N, file.sensor.dead_zone_N, exponent_free=file.loop.law == "free", stiffness=believed,
            stiffness_share=STIFFNESS_SHARE, contact_point_m=0.0,
        )  # fmt: skip

        def new_fit(before: Law | None) -> ContactFit:
            if before is None or file.loop.law == "free":
                return ContactFit(sensed)
            return ContactFit(replace(sensed, stiffness=before.k, stiffness_share=max(before.sigmas[0], FOUND_SHARE)))

        return DockingLoop(
            self.pair.copy(), self.y.copy(), delay_s, self.threshold_n, new_fit,
            compensate=file.loop.compensation == "replay",
        )  # fmt: skip

    def contacts(self, delay_s: float) -> tuple[Contact, ...]:
        """The contacts to come, as far as they are known: at the bottom, and on the wall of a cone, where speed along the
        normal and mass that it meets are less."""
        shape, normals = self.file.shape, [np.array([1.0, 0.0, 0.0])]
        if shape.kind == "cone":
            half = math.radians(shape.half_angle_deg)
            normals.append(np.array([math.sin(half), -math.cos(half), 0.0]))
        speed = self.file.approach.speed_mm_s * 1e-3
        declared = self.file.believed
        contacts = (self.contact(delay_s, self.y, normal, speed * float(normal[0])) for normal in normals)
        if declared is None:
            return tuple(contacts)
        k = declared.stiffness_N_mm * 1e3
        return tuple(replace(contact, stiffness=k, stiffness_share=STIFFNESS_SHARE) for contact in contacts)

    def contact(self, delay_s: float, state: Array, normal: Array, speed: float) -> Contact:
        """Of the two bodies in a state along a normal; how stiff is not said."""
        s, limits = self.file.sensor, self.file.limits
        return Contact(
            1.0 / softness(self.pair, state, normal), speed, delay_s, self.file.loop.stamp_error_ms * 1e-3, s.noise_N,
            s.dead_zone_N, most_n=min(limits.retract_N, s.range_N - s.offset_N),
            least_error=LEAST_ERROR if self.file.loop.law == "linear" else LEAST_ERROR_FREE,
        )  # fmt: skip


def prepare(file: DockingFile, cell: Cell, rng: np.random.Generator) -> DockingBench:
    """Everything that can be judged before anything moves."""
    shape = file.shape
    drogue = Drogue(
        shape.kind, shape.ball_mm * 1e-3, shape.seat_m, shape.bowl_mm * 1e-3, math.radians(shape.half_angle_deg),
        shape.mouth_mm * 1e-3,
    )  # fmt: skip
    pair = np.zeros(1, PAIR_DTYPE)
    r = pair[0]
    for name, body in (("chaser", file.chaser), ("client", file.client)):
        _put_body(r[name], body, name)
    r["tip"], r["drogue"] = shape.ball_m, drogue.record
    mass = 1.0 / (1.0 / file.chaser.mass_kg + 1.0 / file.client.mass_kg)
    true = pair.copy()
    law, contact = true[0]["law"], file.contact
    k = contact.stiffness_N_mm * 1e3 * 1e-3 ** (1.0 - contact.exponent)
    law["stiffness"], law["exponent"], law["friction"], law["creep"] = k, contact.exponent, contact.friction, CREEP_M_S
    law["damping"] = 2.0 * contact.damping_ratio * math.sqrt(contact.stiffness_N_mm * 1e3 * mass)
    r["law"]["exponent"], r["law"]["creep"] = 1.0, CREEP_M_S
    if file.believed:
        r["law"]["stiffness"] = file.believed.stiffness_N_mm * 1e3
        r["law"]["damping"] = 2.0 * file.believed.damping_ratio * math.sqrt(file.believed.stiffness_N_mm * 1e3 * mass)
    for each in (pair, true):
        _put_latch(each, file, mass)
    y, start = _start(file, pair)
    _check_start(file, true, y)
    hall = cell.hall[0]
    rail = _rail(file, hall["base1"], hall["port1_inv"], start)
    return DockingBench(
        file, pair, true, y, start, mass, load_of(file.tool, "tool").parameters, sensor_traits(file.sensor, rng),
        stream_traits(file.sensor),
        np.array(file.place.client_lab_m), hall["base1"], hall["port1_inv"], rail,
    )  # fmt: skip


def _put_body(record: np.void, table: BodyTable, name: str) -> None:
    inertia = symmetric(np.array(table.inertia_kgm2))
    check_inertia(inertia, name)
    if float(np.linalg.eigvalsh(inertia)[0]) < table.mass_kg * SMALLEST_M**2:
        raise BadInput(f"{name}.inertia_kgm2: smaller than a body of this mass has", value=list(table.inertia_kgm2),
            bound=f"principal moments from {table.mass_kg * SMALLEST_M**2:.3g} kg m2 on")  # fmt: skip
    record["mass"], record["inertia"], record["inverse"] = table.mass_kg, inertia, np.linalg.inv(inertia)
    record["com"] = table.com_m


def _put_latch(pair: Pair, file: DockingFile, mass: float) -> None:
    latch = pair[0]["latch"]
    latch["rest"] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    if file.latch is None:
        return
    k = file.latch.stiffness_N_mm * 1e3
    latch["stiffness"], latch["damping"] = k, 2.0 * file.latch.damping_ratio * math.sqrt(k * mass)
    latch["turn_stiffness"] = math.degrees(file.latch.turn_stiffness_Nm_deg)
    latch["turn_damping"] = math.degrees(file.latch.turn_damping_Nms_deg)


def _start(file: DockingFile, pair: Pair) -> tuple[Array, Array]:
    """State of both bodies, the client at rest at the origin, and the pose of the ports."""
    a, r = file.approach, pair[0]
    y = np.zeros(SIZE)
    y[BODY + Q] = 1.0
    y[BODY + P : BODY + P + 3] = r["client"]["com"]
    q = quat_from_rotation_vector(np.radians(a.attitude_deg))
    ball = np.array([file.shape.seat_m + a.gap_mm * 1e-3, a.beside_mm[0] * 1e-3, a.beside_mm[1] * 1e-3])
    w_body = np.radians(a.rate_deg_s)
    arm = turned(q, r["tip"] - r["chaser"]["com"])
    w = turned(q, w_body)
    speed = np.array([-a.speed_mm_s, a.drift_mm_s[0], a.drift_mm_s[1]]) * 1e-3
    y[P : P + 3], y[Q : Q + 4] = ball - arm, q
    y[V : V + 3], y[W : W + 3] = speed - np.cross(w, arm), w_body
    pose, twist = np.zeros(7), np.zeros(6)
    relative(pair, y, pose, twist)
    start = np.concatenate([pose[:3] - turned(q, r["tip"]), q])
    return y, start


def _rail(file: DockingFile, base1: Array, port1_inv: Array, start: Array) -> float:
    """Where the rail has to stand so that flange 1 is ``reach_m`` in front of its base at the start."""
    ahead = _ahead_m(base1, port1_inv, np.array(file.place.client_lab_m), pose_from_packed(start))
    return (ahead - file.place.reach_m) * float(base1[0, 0])


def _ahead_m(base1: Array, port1_inv: Array, client_lab: Array, T_client_port: Array) -> float:
    """x of flange 1 in the base of robot 1 with the rail at zero; the client's axes are the lab's."""
    T_lab_port = T_client_port.copy()
    T_lab_port[:3, 3] += client_lab
    return float(compose(inverse_pose(base1), compose(T_lab_port, port1_inv))[0, 3])


def _check_start(file: DockingFile, true: Pair, y: Array) -> None:
    """BadInput if the ball begins inside of what it shall touch, or so near that the wave which finds the delay would reach
    it."""
    pose, twist, normal = np.zeros(7), np.zeros(6), np.zeros(3)
    relative(true, y, pose, twist)
    deep = depth(true[0]["drogue"], pose, normal)
    if deep >= 0.0:
        raise BadInput(
            "approach: ball and hardware begin inside each other", value=f"{deep * 1e3:.2f} mm deep", bound="clear"
        )
    pose[0] -= WAVE_M + CLEAR_M
    if depth(true[0]["drogue"], pose, normal) >= 0.0:
        raise BadInput(
            "approach.gap_mm: the wave that finds the delay would touch", value=file.approach.gap_mm,
            bound=f"{(WAVE_M + CLEAR_M) * 1e3:g} mm more than where it touches",
        )  # fmt: skip
    away = math.hypot(pose[0] - file.shape.seat_m, pose[1], pose[2])
    if file.latch is not None and away <= file.latch.capture_mm * 1e-3:
        raise BadInput(
            "latch.capture_mm: would close at the start",
            value=file.latch.capture_mm,
            bound=f"less than {away * 1e3:.1f} mm",
        )
