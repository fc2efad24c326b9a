"""Where the chaser stands in a cycle: the target's orbit and turning, and the figures by which its walk is judged."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Estimate, Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.maths.stack import vector
from proxops.maths.triple import mapped, triple
from proxops.onboard.corridor import off_boresight, off_course
from proxops.onboard.docking_axis import between, euler
from proxops.onboard.guidance import Reference
from proxops.onboard.local_orbit import LocalOrbit, put_orbit


class Situation:
    """``look`` once a cycle, which uses the same memory again."""

    def __init__(self, data: OnboardData) -> None:
        none = np.zeros(3)
        self.orbit = LocalOrbit(none, none.copy(), np.zeros((3, 3)), none.copy(), none.copy(), np.zeros((3, 3)))
        self.turning = none.copy(), none.copy()  # the target's rate and its change when no torque acts, eci axes
        self.distance_m = math.inf  # of the centres of mass
        self.off_m = self.off_m_s = 0.0  # off the reference of the cycle before: place and speed
        self.off_boresight = 0.0  # rad: the target's origin
        self.between = [0.0, 0.0, 0.0]  # m, of the interfaces in the target's frame: x is the gap, y and z lateral
        self.place_lvlh = [0.0, 0.0, 0.0]  # m, of the chaser from the target
        self._figures = np.zeros(10)
        self._craft = (
            data.interface - data.mass_centre, data.target_interface - data.target_mass_centre, data.target_mass_centre,
            data.sensor_place - data.mass_centre, data.target_inertia, np.asarray(np.linalg.inv(data.target_inertia), np.float64),
        )  # fmt: skip

    def look(
        self, p_eci_chaser: Floats, v_eci_chaser: Floats, q_eci_chaser: Floats, estimate: Estimate, reference: Reference | None
    ) -> None:  # fmt: skip
        """``reference``: of the cycle before, if there was one."""
        orbit, figures = self.orbit, self._figures
        told: Estimate | Reference = estimate if reference is None else reference
        survey(
            p_eci_chaser, v_eci_chaser, q_eci_chaser, estimate.position, estimate.velocity, estimate.q_eci_target,
            estimate.w_eci_target, told.position, told.velocity, *self._craft, orbit.p_eci_target, orbit.v_eci_target,
            orbit.R_eci_lvlh, orbit.w, orbit.w_dot, orbit.gradient, *self.turning, figures,
        )  # fmt: skip
        self.distance_m, self.off_m, self.off_m_s, self.off_boresight, *places = figures.tolist()
        self.between, self.place_lvlh = places[:3], places[3:]


@kernel
def survey(
    p_chaser: Floats, v_chaser: Floats, q_chaser: Floats, position: Floats, velocity: Floats, q_target: Floats, w_target: Floats,
    p_ref: Floats, v_ref: Floats, interface: Floats, target_interface: Floats, target_mass_centre: Floats, sensor_place: Floats,
    inertia: Floats, inverse_inertia: Floats, p_target: Floats, v_target: Floats, R_eci_lvlh: Floats, w_lvlh: Floats,
    w_dot_lvlh: Floats, gradient: Floats, w: Floats, w_dot: Floats, figures: Floats,
) -> None:  # fmt: skip
    """The target's orbit, its turning and ``figures``, in the order of ``Situation.look``. Craft's places: from the centre of
    mass, but for ``target_mass_centre``."""
    for i in range(3):
        p_target[i], v_target[i] = p_chaser[i] - position[i], v_chaser[i] - velocity[i]
    put_orbit(p_target, v_target, R_eci_lvlh, w_lvlh, w_dot_lvlh, gradient)
    euler(q_target, w_target, inertia, inverse_inertia, w, w_dot)
    figures[0], figures[1], figures[2] = off_course(position, velocity, p_ref, v_ref)
    figures[3] = off_boresight(position, q_target, q_chaser, target_mass_centre, sensor_place)
    apart = vector(3)
    between(position, q_chaser, q_target, interface, target_interface, apart)
    place = mapped(R_eci_lvlh.T, triple(position, 0))
    for i in range(3):
        figures[4 + i], figures[7 + i] = apart[i], place[i]
