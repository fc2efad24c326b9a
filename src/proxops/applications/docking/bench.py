"""What a docking run is made of, judged before anything moves: bodies, hardware, sensor, place in the hall, the law believed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from proxops.applications.docking.bodies import bodies, check_start, start_of
from proxops.applications.docking.place import Place
from proxops.applications.docking.tables import DockingFile
from proxops.core.messages import PERIOD_S
from proxops.lab.cell import Cell
from proxops.maths.rotation import Array
from proxops.space.contact_pair import Pair, softness
from proxops.touch.contact_fit import ContactFit, Law, Sensed
from proxops.touch.contact_samples import contact_threshold_n
from proxops.touch.docking_loop import DockingLoop
from proxops.touch.fidelity import LEAST_ERROR, LEAST_ERROR_FREE, ExpectedContact
from proxops.touch.force_watch import StreamTraits, stream_traits
from proxops.touch.tool_load import load_of

STIFFNESS_SHARE: Final = 0.3  # by which a declared stiffness may be off
FOUND_SHARE: Final = 0.1  # by which one that was found in an earlier contact may be
SETTLE_S: Final = 0.5  # standing, before anything is measured, and again before the flight
WAVE_S, WAVE_HZ, WAVE_M = 4.0, 2.0, 0.012  # to and fro along the approach: how late the hall is
PREPARED_S: Final = SETTLE_S + WAVE_S + SETTLE_S  # until the flight
CLEAR_M: Final = 0.004  # what robots may be off before they are taught in, and more
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
    stream: StreamTraits
    place: Place

    row = ROW

    @property
    def longest_s(self) -> float:
        return self.file.flight_s + PREPARED_S

    @property
    def cycles(self) -> int:
        return round((self.longest_s + RESERVE_S) / PERIOD_S)

    @cached_property
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

    @cached_property
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

    def contacts(self, delay_s: float) -> tuple[ExpectedContact, ...]:
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

    def contact(self, delay_s: float, state: Array, normal: Array, speed: float) -> ExpectedContact:
        """Of the two bodies in a state along a normal; how stiff is not said."""
        s, limits = self.file.sensor, self.file.limits
        return ExpectedContact(
            1.0 / softness(self.pair, state, normal), speed, delay_s, self.file.loop.stamp_error_ms * 1e-3, s.noise_N,
            s.dead_zone_N, most_n=min(limits.retract_N, s.range_N - s.offset_N),
            least_error=LEAST_ERROR if self.file.loop.law == "linear" else LEAST_ERROR_FREE,
        )  # fmt: skip


def prepare(file: DockingFile, cell: Cell) -> DockingBench:
    """Everything that can be judged before anything moves."""
    pair, true, mass = bodies(file)
    y, start = start_of(file, pair)
    check_start(file, true, y, WAVE_M + CLEAR_M)
    return DockingBench(
        file, pair, true, y, start, mass, load_of(file.tool, "tool").parameters,
        stream_traits(file.sensor), Place.of(file.place, cell, start),
    )  # fmt: skip
