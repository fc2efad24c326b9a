"""A spacecraft as a scenario describes it: mass properties, docking interface, surfaces; thrusters and wheels of a chaser."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from proxops.core.errors import BadInput
from proxops.core.messages import MAX_THRUSTERS, MAX_WHEELS
from proxops.core.strict_table import Direction, Finite, Strict, Triple, within

Rate = Annotated[Finite, within(-30, 30)]
Rows = tuple[Triple, Triple, Triple]


class Attitude(Strict):
    """How the body stands and turns when the mission begins: where its +x axis points in LVLH, turned about that axis by
    ``roll_deg`` from the attitude that the smallest turn from LVLH gives; its inertial rate in body axes."""

    axis: Direction = (1.0, 0.0, 0.0)
    roll_deg: Annotated[Finite, within(-360, 360)] = 0.0
    rate_deg_s: tuple[Rate, Rate, Rate] = (0.0, 0.0, 0.0)


class Body(Strict):
    """The target: a rigid body. ``control`` = "lvlh" holds its first attitude in LVLH, whatever acts on it."""

    mass_kg: Finite
    inertia_kg_m2: Rows  # about the centre of mass, in body axes
    mass_centre_m: Triple = (0.0, 0.0, 0.0)
    interface_m: Triple  # of the docking interface; its axis is +x of the target, -x of the chaser
    # Of a sphere about the mass centre that holds the body, but for its interface.
    radius_m: Annotated[Finite, within(0.01, 100)] = 1.0
    attitude: Attitude = Attitude()
    control: Literal["none", "lvlh"] = "none"
    drag_area_m2: Annotated[Finite, within(0, 10_000)] = 0.0
    drag_coefficient: Annotated[Finite, within(0, 10)] = 2.2
    sunlit_area_m2: Annotated[Finite, within(0, 10_000)] = 0.0
    reflectivity: Annotated[Finite, within(0, 2)] = 1.3  # 1: absorbs all, 2: a mirror face on
    pressure_centre_m: Triple | None = None  # where drag and sunlight attack; the centre of mass unless given

    @property
    def inertia(self) -> NDArray[np.float64]:
        return np.array(self.inertia_kg_m2)

    def check(self, key: str) -> None:
        """Mass and inertia that a body can have."""
        if not 1.0 <= self.mass_kg <= 1e6:
            raise BadInput(f"{key}.mass_kg: no spacecraft has it", value=self.mass_kg, bound="1 … 1000000")
        inertia = self.inertia
        if not np.array_equal(inertia, inertia.T):
            raise BadInput(f"{key}.inertia_kg_m2: not symmetric", value=inertia.tolist())
        a, b, c = np.linalg.eigvalsh(inertia).tolist()
        if not a > 1e-6 * self.mass_kg:
            raise BadInput(
                f"{key}.inertia_kg_m2: singular or not positive", value=f"principal moments {a:.6g}, {b:.6g}, {c:.6g}",
                bound=f"all above {1e-6 * self.mass_kg:.3g}",
            )  # fmt: skip
        if c > (a + b) * (1.0 + 1e-9):
            raise BadInput(
                f"{key}.inertia_kg_m2: no body has it (triangle inequality)",
                value=f"principal moments {a:.6g}, {b:.6g}, {c:.6g}", bound=f"the greatest at most {a + b:.6g}",
            )  # fmt: skip


class Thruster(Strict):
    """Where it sits and which way it pushes the craft (the plume goes the other way)."""

    place_m: Triple
    direction: Direction


class Thrusters(Strict):
    """Thrusters of one kind: 24 in the corners of a box unless they are listed one by one."""

    force_n: Annotated[Finite, within(0.01, 1000)] = 10.0
    specific_impulse_s: Annotated[Finite, within(10, 5000)] = 220.0
    min_on_ms: Annotated[Finite, within(4, 1000)] = 16.0
    misalignment_deg: Annotated[Finite, within(0, 10)] = 0.3  # one standard deviation, each thruster
    half_box_m: Triple = (0.9, 0.7, 0.7)  # about the centre of the box
    box_centre_m: Triple = (1.0, 0.0, 0.0)
    cant_deg: Annotated[Finite, within(0, 80)] = 35.0  # of those that brake, outwards: their plume misses the target
    each: Annotated[tuple[Thruster, ...], Field(max_length=MAX_THRUSTERS)] = ()

    @property
    def places(self) -> NDArray[np.float64]:
        """In the chaser's frame (n, 3)."""
        return np.array([thruster.place_m for thruster in self._all])

    @property
    def directions(self) -> NDArray[np.float64]:
        """Of the force on the chaser (n, 3)."""
        return np.array([thruster.direction for thruster in self._all])

    @property
    def _all(self) -> tuple[Thruster, ...]:
        return self.each or _corners(self)


def _corners(spec: Thrusters) -> tuple[Thruster, ...]:
    """Three in each corner: one across in y, one across in z, one along x; all push inwards, away from their corner."""
    cant = math.radians(spec.cant_deg)
    rows = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            for sz in (-1, 1):
                place = tuple(
                    c + s * h for c, s, h in zip(spec.box_centre_m, (sx, sy, sz), spec.half_box_m, strict=True)
                )
                outwards = math.sin(cant) / math.sqrt(2.0) if sx < 0 else 0.0
                along = (-sx * (math.cos(cant) if sx < 0 else 1.0), -sy * outwards, -sz * outwards)
                for direction in ((0.0, -float(sy), 0.0), (0.0, 0.0, -float(sz)), along):
                    rows.append(Thruster.model_validate({"place_m": place, "direction": direction}))
    return tuple(rows)


class ChaserWheels(Strict):
    """Reaction wheels: four in a pyramid about x unless their axes are given."""

    torque_n_m: Annotated[Finite, within(0.0001, 100)] = 0.4
    momentum_n_m_s: Annotated[Finite, within(0.001, 10_000)] = 50.0
    rotor_kg_m2: Annotated[Finite, within(1e-6, 100)] = 0.1
    axes: Annotated[tuple[Direction, ...], Field(min_length=3, max_length=MAX_WHEELS)] = (
        (0.5773502691896258, 0.5773502691896258, 0.5773502691896258),
        (0.5773502691896258, -0.5773502691896258, 0.5773502691896258),
        (0.5773502691896258, -0.5773502691896258, -0.5773502691896258),
        (0.5773502691896258, 0.5773502691896258, -0.5773502691896258),
    )


class ChaserBody(Body):
    """The chaser: a body with actuators. ``mass_kg`` holds the propellant."""

    propellant_kg: Annotated[Finite, within(0, 100_000)] = 30.0
    thrusters: Thrusters = Thrusters()
    wheels: ChaserWheels = ChaserWheels()

    def check(self, key: str) -> None:
        super().check(key)
        if self.propellant_kg >= self.mass_kg:
            raise BadInput(f"{key}.propellant_kg: more than the craft's mass", value=self.propellant_kg)
        if np.linalg.matrix_rank(np.array(self.wheels.axes)) < 3:
            raise BadInput(f"{key}.wheels.axes: do not span all directions", value=self.wheels.axes)
        if np.linalg.matrix_rank(self.thrusters.directions) < 3:
            raise BadInput(f"{key}.thrusters.each: do not push in all directions")
