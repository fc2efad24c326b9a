"""The force sensor between flange and module, as the scenario states it: its errors, its stream, and the load believed on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from proxops.applications.floating.tables import FloatFile
from proxops.core.force_source import wrench_of
from proxops.maths.rotation import Array
from proxops.sensors.force_torque import SensorTraits
from proxops.sensors.virtual_force_sensor import TORQUE_SHARE_M, sensor_traits
from proxops.touch.force_watch import StreamTraits, stream_traits
from proxops.touch.tool_load import load_of


@dataclass(frozen=True, eq=False)
class ModuleSensor:
    """``load``: believed parameters of what hangs on it; its frame is the flange's. ``stated_errors``: largest offset (6),
    largest drift (6, per second) and noise (6)."""

    load: Array
    traits: SensorTraits
    stream: StreamTraits
    stated_errors: tuple[Array, Array, Array]


def module_sensor(file: FloatFile, rng: np.random.Generator) -> ModuleSensor:
    """With traits drawn from ``rng``."""
    s = file.sensor
    drift = wrench_of(s.drift_N_s, TORQUE_SHARE_M * s.drift_N_s)
    stated = wrench_of(s.offset_N, s.offset_Nm), drift, wrench_of(s.noise_N, s.noise_Nm)
    stream = replace(stream_traits(s), rate_hz=s.rate_hz)
    return ModuleSensor(load_of(file.mock_up, "mock_up").parameters, sensor_traits(s, rng), stream, stated)
