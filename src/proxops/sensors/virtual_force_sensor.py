"""The virtual force sensor of a scenario: its traits, drawn from the seed, and its fault."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.force_sensor_table import ForceSensorTable
from proxops.core.force_source import wrench_of
from proxops.core.messages import PERIOD_S
from proxops.sensors.force_torque import DeadZone, ForceTorqueSensor, SensorFault, SensorTraits

TORQUE_SHARE_M: Final = 0.05  # drift of the torque over that of the force


def sensor_traits(table: ForceSensorTable, rng: np.random.Generator) -> SensorTraits:
    """Offset and drift anywhere up to the largest that the scenario states."""
    share = rng.uniform(-1.0, 1.0, 12)
    return SensorTraits(
        noise=wrench_of(table.noise_N, table.noise_Nm), offset=share[:6] * wrench_of(table.offset_N, table.offset_Nm),
        drift=share[6:] * wrench_of(table.drift_N_s, TORQUE_SHARE_M * table.drift_N_s),
        range=wrench_of(table.range_N, table.range_Nm), resolution=np.zeros(6), dead_n=table.dead_zone_N,
        dead_zone=DeadZone.CUT if table.dead_zone_N > 0.0 else DeadZone.NONE, rate_hz=1.0 / PERIOD_S,
    )  # fmt: skip


def put_fault(sensor: ForceTorqueSensor, table: ForceSensorTable, flight_s: float) -> None:
    """The scenario's fault, from its time on."""
    if table.fault != "none" and flight_s >= table.fault_at_s:
        sensor.fault = SensorFault(table.fault.replace("_", " "))
