"""What a mission sends to the bridge: both craft in inertial axes about the target's centre of mass, and the sun's direction."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.truth import both_in_inertial_axes, relative_pose
from proxops.core.bridge_datagram import SUN_VALID, VALUES, VELOCITIES_VALID, pack_values
from proxops.core.messages import PERIOD_NS
from proxops.core.scenario import NetworkTable
from proxops.maths.rotation import Array
from proxops.runs.network import network_of
from proxops.space.pair import SpacecraftPair

SUN: Final = slice(VALUES - 3, VALUES)  # its direction, among the doubles of a packet
SUN_EVERY: Final = 250  # cycles between two looks at it
CLIENT_EPOCH_NS: Final = 1_000_000_000  # the client's clock has an epoch of its own
Number = TypeVar("Number", int, NDArray[np.int64])


class Sent(NamedTuple):
    """What every packet has beside the state of the craft."""

    chaser: Array  # origins of the body frames from the centres of mass, body axes
    target: Array
    sun: Array  # its direction


def sent_ns(number: Number) -> Number:
    """When a packet is sent, or each of several, by the client's clock."""
    return CLIENT_EPOCH_NS + number * PERIOD_NS


def packet(number: int, values: Array) -> bytes:
    """Of the doubles that a cycle sends."""
    return pack_values(number, sent_ns(number), values.tobytes(), VELOCITIES_VALID | SUN_VALID)


class Transmitter:
    """``sent`` packets so far, through an emulated line that may be ``perfect``."""

    def __init__(self, network: NetworkTable, random: np.random.Generator, pair: SpacecraftPair) -> None:
        self._line, self.perfect = network_of(network, random), network.perfect
        true, self._pair = pair.true, pair
        self.fixed = Sent(-true.chaser.mass_centre, -true.target.mass_centre, np.zeros(3))
        self.sent, self._values = 0, np.zeros(VALUES)

    def send(self, t: float, moving: bool) -> list[bytes]:
        """One packet at the facility's time ``t``, nothing to cancel in its numbers; what arrives by then."""
        if self.sun_due_in == 0:
            self.look_at_sun()
        self._values[SUN] = self.fixed.sun
        self.write(moving, self._values)
        data = packet(self.sent, self._values)
        self.sent += 1
        if self.perfect:
            return [data]
        self._line.send(data, t)
        return self.due(t)

    def write(self, moving: bool, values: Array) -> None:
        """Where the craft are now, among the doubles of a packet."""
        both_in_inertial_axes(self._pair.y, self.fixed.chaser, self.fixed.target, moving, values)

    @property
    def relative_pose(self) -> Array:
        """T_target_chaser as computed, packed."""
        return relative_pose(self._pair.y, self.fixed.chaser, self.fixed.target)

    def due(self, t: float) -> list[bytes]:
        """What arrives until ``t`` without anything new."""
        return self._line.due(t)

    @property
    def sun_due_in(self) -> int:
        """So many packets from now on the sun is looked at anew."""
        return -self.sent % SUN_EVERY

    def look_at_sun(self) -> Array:
        """Its direction, from now on."""
        self.fixed.sun[:] = self._pair.sun_direction
        return self.fixed.sun
