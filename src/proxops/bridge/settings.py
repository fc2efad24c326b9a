"""What a scenario (or the operator) can set on the bridge, and what holds when nothing is set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.scenario import Bridge


@dataclass(frozen=True)
class BridgeSettings:
    """SI units and radians. The clutch's limits leave the axes about half of what they can do."""

    speed_m_s: float = 1.0  # of the relative position, in the target's frame
    acceleration_m_s2: float = 0.3
    rate_rad_s: float = math.radians(20.0)
    angular_acceleration_rad_s2: float = math.radians(20.0)
    timeout_s: float = 0.1  # silence after which the client counts as gone
    scale: float = 1.0  # metres in the hall per metre in orbit
    sun_weight: float = 0.0
    phi_rad: float | None = None  # given: it stays where it is

    @property
    def limits(self) -> NDArray[np.float64]:
        """For the clutch: m/s, m/s², rad/s, rad/s²."""
        return np.array([self.speed_m_s, self.acceleration_m_s2, self.rate_rad_s, self.angular_acceleration_rad_s2])

    @property
    def timeout_ns(self) -> int:
        """Silence after which the client is gone: whole cycles, at least one."""
        return max(1, round(self.timeout_s / PERIOD_S)) * PERIOD_NS


def settings_of(b: Bridge) -> BridgeSettings:
    """The bridge's settings: those of the scenario, or what holds when it is silent."""
    default = BridgeSettings()

    def angle(value: float | None, otherwise: float) -> float:
        return otherwise if value is None else math.radians(value)

    return BridgeSettings(
        speed_m_s=b.speed_m_s or default.speed_m_s,
        acceleration_m_s2=b.acceleration_m_s2 or default.acceleration_m_s2,
        rate_rad_s=angle(b.rate_deg_s, default.rate_rad_s),
        angular_acceleration_rad_s2=angle(b.angular_acceleration_deg_s2, default.angular_acceleration_rad_s2),
        timeout_s=default.timeout_s if b.timeout_ms is None else b.timeout_ms * 1e-3,
        scale=b.scale,
        sun_weight=b.sun_weight,
        phi_rad=None if b.phi_deg is None else math.radians(b.phi_deg),
    )
