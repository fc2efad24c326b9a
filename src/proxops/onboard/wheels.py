"""Reaction wheels: a torque on the craft shared out by the pseudo-inverse, within torque and speed."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
        self._under_way = np.zeros(2, np.bool_)  # unloading, handing

    @property
    def parts(self) -> tuple[Floats, Floats, float, float, float, NDArray[np.bool_]]:
        """For kernels."""
        return self._axes, self._share, self._torque, self._momentum, self._rotor, self._under_way

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
        torque = np.empty(3)
        unload(
            self._axes, self._torque, self._momentum, self._rotor, wheel_rate, w, self._under_way, torque
        )  # fmt: skip
        return torque


@kernel
def momentum_of(axes: Floats, rotor: float, wheel_rate: Floats, out: Floats) -> None:
    """``out`` := N m s of all rotors."""
    for i in range(3):
        out[i] = 0.0
        for k in range(wheel_rate.size):
            out[i] += axes[k, i] * (rotor * wheel_rate[k])


@kernel
def unload(
    axes: Floats, most_torque: float, most_momentum: float, rotor: float, wheel_rate: Floats, w: Floats,
    under_way: NDArray[np.bool_], out: Floats,
) -> None:  # fmt: skip
    """``out`` := see ``Wheels.unloading``; ``under_way``: whether wheels are being unloaded, and momentum handed out. Either ends
    below the load at which it begins."""
    momentum_of(axes, rotor, wheel_rate, out)
    fastest = 0.0
    for k in range(wheel_rate.size):
        fastest = max(fastest, abs(wheel_rate[k]))
    x, y, z = crossed(triple(w, 0), triple(out, 0))
    fullest, handed = fastest * rotor / most_momentum, math.sqrt(x * x + y * y + z * z) / most_torque
    under_way[0] = fullest > (UNLOAD_UNTIL if under_way[0] else UNLOAD_ABOVE)
    under_way[1] = handed > (HAND_UNTIL if under_way[1] else HAND_ABOVE)
    share = 0.0
    if under_way[1] and not under_way[0]:  # what lies along the spin need not go round
        share = (out[0] * w[0] + out[1] * w[1] + out[2] * w[2]) / (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    for i in range(3):
        if under_way[0]:
            out[i] = -UNLOAD_PER_S * out[i]
        else:
            out[i] = -HAND_PER_S * (out[i] - share * w[i]) if under_way[1] else 0.0


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
