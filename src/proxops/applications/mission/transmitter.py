"""What a mission sends to the bridge: both craft in inertial axes about the target's centre of mass, and the sun's direction."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from proxops.applications.mission.truth import both_in_inertial_axes, relative_pose
from proxops.core.bridge_datagram import SUN_VALID, VALUES, VELOCITIES_VALID, pack_values
from proxops.core.messages import PERIOD_NS
from proxops.core.scenario import Network
from proxops.maths.rotation import Array
from proxops.runs.network import network_of
from proxops.space.pair import SpacecraftPair

SUN: Final = slice(VALUES - 3, VALUES)  # its direction, among the doubles of a packet
SUN_EVERY: Final = 250  # cycles between two looks at it
CLIENT_EPOCH_NS: Final = 1_000_000_000  # the client's clock has an epoch of its own


class Origins(NamedTuple):
    """Of the body frames from the centres of mass, body axes."""

    chaser: Array
    target: Array


def sent_ns(number: int) -> int:
    """When a packet is sent, by the client's clock."""
    return CLIENT_EPOCH_NS + number * PERIOD_NS


def packet(number: int, values: Array) -> bytes:
    """Of the doubles that a cycle sends."""
    return pack_values(number, sent_ns(number), values.tobytes(), VELOCITIES_VALID | SUN_VALID)


class Transmitter:
    """``sent`` packets so far, through an emulated line that may be ``perfect``."""

    def __init__(self, network: Network, random: np.random.Generator, pair: SpacecraftPair) -> None:
        self._line, self.perfect = network_of(network, random), network.perfect
        true, self._pair = pair.true, pair
        self.origins = Origins(-true.chaser.mass_centre, -true.target.mass_centre)
        self.sent, self._values = 0, np.zeros(VALUES)

    def send(self, t: float, moving: bool) -> list[bytes]:
        """One packet at the facility's time ``t``, nothing to cancel in its numbers; what arrives by then."""
        both_in_inertial_axes(self._pair.y, *self.origins, moving, self._values)
        self._values[SUN] = self.look_at_sun()
        data = packet(self.sent, self._values)
        self.sent += 1
        if self.perfect:
            return [data]
        self._line.send(data, t)
        return self.due(t)

    @property
    def relative_pose(self) -> Array:
        """T_target_chaser as computed, packed."""
        return relative_pose(self._pair.y, *self.origins)

    def due(self, t: float) -> list[bytes]:
        """What arrives until ``t`` without anything new."""
        return self._line.due(t)

    @property
    def sun_due(self) -> bool:
        """The next packet looks at the sun anew."""
        return self.sent % SUN_EVERY == 0

    def look_at_sun(self) -> Array:
        """Its direction, as the next packet has it."""
        if self.sun_due:
            self._values[SUN] = self._pair.sun_direction
        return self._values[SUN]
