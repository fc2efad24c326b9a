"""A force sensor of a virtual hall, as a scenario describes it; six axes, and what can be broken about it."""

from __future__ import annotations

from typing import Annotated, Literal

from proxops.core.strict_table import Finite, Strict, within


class ForceSensorTable(Strict):
    """Six axes between a robot and the tool that touches."""

    # Noise tells a living sensor from a stuck one: none is not allowed.
    noise_N: Annotated[Finite, within(0.001, 100)] = 0.3  # standard deviation of a reading
    noise_Nm: Annotated[Finite, within(0.0001, 100)] = 0.02  # likewise
    offset_N: Annotated[Finite, within(0, 1000)] = 5.0  # largest; drawn from the seed
    offset_Nm: Annotated[Finite, within(0, 100)] = 0.5  # likewise
    drift_N_s: Annotated[Finite, within(0, 10)] = 0.01  # largest; of the torque a twentieth of it
    range_N: Annotated[Finite, within(1, 1e5)] = 2500.0  # at which it saturates
    range_Nm: Annotated[Finite, within(1, 1e5)] = 400.0  # likewise
    dead_zone_N: Annotated[Finite, within(0, 100)] = 0.0  # below it the force reads zero
    fault: Literal["none", "lost_cable", "stuck", "nan"] = "none"  # to try what happens
    fault_at_s: Annotated[Finite, within(0, 3600)] = 0.0  # since the flight began
