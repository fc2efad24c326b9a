"""Reaction wheels: a torque on the craft shared out by the pseudo-inverse, within torque and speed."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.maths.triple import crossed, triple

USABLE: Final = 0.98  # of the momentum: the rest is kept for the drives' own loop
UNLOAD_ABOVE: Final = 0.8  # share of a wheel's momentum
UNLOAD_UNTIL: Final = 0.4
UNLOAD_PER_S: Final = 0.02
HAND_ABOVE: Final = 0.25  # of one wheel's torque, for the momentum that goes round with a spin
HAND_UNTIL: Final = 0.1
HAND_PER_S: Final = 0.05


class Wheels:
    """Torques in the chaser's frame, on the craft; a rotor gets the opposite."""

    def __init__(self, data: OnboardData) -> None:
        self._axes = data.wheel_axes  # (n, 3)
        self._share = self._axes @ np.linalg.inv(self._axes.T @ self._axes)  # (n, 3), smallest torques
        self._torque, self._momentum = data.wheel_torque_n_m, data.wheel_momentum_n_m_s
        self._rotor, self._period_s = data.rotor_kg_m2, data.period_s
        self._unloading = self._handing = False

    def momentum(self, wheel_rate: Floats) -> Floats:
        """(3) N m s of all rotors."""
        total = np.empty(3)
        momentum_of(self._axes, self._rotor, wheel_rate, total)
        return total

    def command(self, torque: Floats, wheel_rate: Floats) -> tuple[Floats, Floats]:
        """Torque of each wheel (n), and the torque (3) on the craft that they give: the wish or, where a wheel cannot, a part
        of it in the same direction."""
        each, given = np.empty(len(self._axes)), np.empty(3)
        share_out(
            torque, self._share, self._axes, wheel_rate, self._torque, self._momentum, self._rotor, self._period_s, each, given
        )  # fmt: skip
        return each, given

    def unloading(self, wheel_rate: Floats, w: Floats) -> Floats:
        """Torque (3) that the thrusters should give to bring the wheels down; ``w``: the craft's rate in its frame.

        None until a wheel comes near its limit, or until momentum across the axis of a spinning craft asks too much torque of
        the wheels, which have to hand it round at the rate of the spin.
        """
        momentum = np.empty(3)
        fastest, handed_n_m = load(self._axes, self._rotor, wheel_rate, w, momentum)
        fullest, handed = fastest * self._rotor / self._momentum, handed_n_m / self._torque
        self._unloading = fullest > (UNLOAD_UNTIL if self._unloading else UNLOAD_ABOVE)
        self._handing = handed > (HAND_UNTIL if self._handing else HAND_ABOVE)
        if self._unloading:
            return -UNLOAD_PER_S * momentum
        if self._handing:
            return -HAND_PER_S * (momentum - (momentum @ w) / (w @ w) * w)
        return np.zeros(3)


@kernel
def momentum_of(axes: Floats, rotor: float, wheel_rate: Floats, out: Floats) -> None:
    """``out`` := N m s of all rotors."""
    for i in range(3):
        out[i] = 0.0
        for k in range(wheel_rate.size):
            out[i] += axes[k, i] * (rotor * wheel_rate[k])


@kernel
def load(axes: Floats, rotor: float, wheel_rate: Floats, w: Floats, momentum: Floats) -> tuple[float, float]:
    """The fastest wheel, rad/s, and the torque, N m, that handing the momentum round takes; ``momentum`` is told, too."""
    momentum_of(axes, rotor, wheel_rate, momentum)
    fastest = 0.0
    for k in range(wheel_rate.size):
        fastest = max(fastest, abs(wheel_rate[k]))
    x, y, z = crossed(triple(w, 0), triple(momentum, 0))
    return fastest, math.sqrt(x * x + y * y + z * z)


@kernel
def share_out(
    torque: Floats, share: Floats, axes: Floats, wheel_rate: Floats, most: float, momentum: float, rotor: float, period_s: float,
    each: Floats, given: Floats,
) -> None:  # fmt: skip
    """``each`` := the wheels' torques within what they can, ``given`` := what comes of them."""
    for k in range(each.size):
        each[k] = share[k, 0] * torque[0] + share[k, 1] * torque[1] + share[k, 2] * torque[2]
    within(each, wheel_rate, most, momentum, rotor, period_s)
    for i in range(3):
        given[i] = 0.0
        for k in range(each.size):
            given[i] += axes[k, i] * each[k]


@kernel
def within(each: Floats, wheel_rate: Floats, most: float, momentum: float, rotor: float, period_s: float) -> None:
    """Scale the torques such that no wheel has to give more than it can: ``most``, and what it may still take up.

    A rotor's momentum changes by -torque; what it may still take in that sense bounds the torque of this cycle.
    """
    scale = 1.0
    for i in range(each.size):
        room = USABLE * momentum + np.sign(each[i]) * rotor * wheel_rate[i]
        bound, size = min(most, max(room, 0.0) / period_s), abs(each[i])
        if size > bound:
            scale = min(scale, bound / size)
    for i in range(each.size):
        each[i] *= scale
