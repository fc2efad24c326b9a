"""The virtual force sensor and its tool from a scenario: traits drawn from the seed, what the watch expects, the load's truth."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.force_sensor_table import ForceSensorTable
from proxops.core.messages import PERIOD_S
from proxops.core.tool_load_file import ToolLoadFile
from proxops.maths.rotation import Array
from proxops.sensors.force_torque import DeadZone, ForceTorqueSensor, SensorFault, SensorTraits, wrench_of
from proxops.touch.force_watch import StreamTraits
from proxops.touch.tool_load import load_of

TORQUE_SHARE_M: Final = 0.05  # drift of the torque over that of the force
STUCK_S: Final = 0.02  # five readings of a noisy axis that are equal to the bit are no coincidence
NO_STEPS: Final = np.zeros(6)  # resolution


def sensor_traits(table: ForceSensorTable, rng: np.random.Generator) -> SensorTraits:
    """Offset and drift anywhere up to the largest that the scenario states."""
    share = rng.uniform(-1.0, 1.0, 12)
    return SensorTraits(
        noise=wrench_of(table.noise_N, table.noise_Nm), offset=share[:6] * wrench_of(table.offset_N, table.offset_Nm),
        drift=share[6:] * wrench_of(table.drift_N_s, TORQUE_SHARE_M * table.drift_N_s),
        range=wrench_of(table.range_N, table.range_Nm), resolution=NO_STEPS, dead_n=table.dead_zone_N,
        dead_zone=DeadZone.CUT if table.dead_zone_N > 0.0 else DeadZone.NONE, rate_hz=1.0 / PERIOD_S,
    )  # fmt: skip


def stream_traits(table: ForceSensorTable) -> StreamTraits:
    """What the watch knows of it."""
    noise = wrench_of(table.noise_N, table.noise_Nm)
    return StreamTraits(wrench_of(table.range_N, table.range_Nm), noise, NO_STEPS, 1.0 / PERIOD_S, stuck_s=STUCK_S)


def true_load(tool: ToolLoadFile, rng: np.random.Generator) -> Array:
    """Parameters of what truly hangs on the sensor: off by what the calibration was unsure of."""
    believed, known = load_of(tool).parameters, tool.identified
    if known is None:
        return believed
    sigma = np.concatenate(
        [[known.mass_sigma_kg], tool.mass_kg * np.array(known.com_sigma_m), known.inertia_sigma_kgm2]
    )
    return believed + sigma * rng.standard_normal(len(believed))


def put_fault(sensor: ForceTorqueSensor, table: ForceSensorTable, flight_s: float) -> None:
    """The scenario's fault, from its time on."""
    if table.fault != "none" and flight_s >= table.fault_at_s:
        sensor.fault = SensorFault(table.fault.replace("_", " "))
