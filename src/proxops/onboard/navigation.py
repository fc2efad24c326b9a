"""Navigation: where the chaser is from the client, how fast, how the client stands and turns; and the chaser's own attitude.

Measurements of the client arrive late. The filter's base stays at the exposure of the newest one it has processed; every cycle it
is predicted from there to now through the history of inputs. When nothing comes, the base follows now at a fixed distance, so
that the history stays bounded; what arrives later than that is dropped and counted. Of one sensor so is what was exposed before
the base; where there are several, it is put in its place (``measurement_order``).

A filter begins on trial, from one measurement. When it has taken enough in a row it becomes the filter in charge. While there is
one, measurements that it refuses go to a new trial; if that takes TRIAL_RELIEF of them, all refused by the filter in charge with
none accepted between, the trial replaces it (a push that nobody told us of, a filter that was led astray).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.dispersion_table import Knowledge
from proxops.core.flight import Estimate, Floats, Measurements, OnboardData, RelativeMeasurement
from proxops.core.sensor_table import Avionics, Sensor
from proxops.maths.finite import all_finite
from proxops.onboard.attitude_filter import AttitudeFilter
from proxops.onboard.image_measurements import ImageMeasurements
from proxops.onboard.input_history import InputHistory
from proxops.onboard.measurement_check import checked
from proxops.onboard.measurement_order import MeasurementOrder
from proxops.onboard.own_place import OwnPlace
from proxops.onboard.relative_filter import ALL_DIFFER, RelativeFilter
from proxops.onboard.relative_model import SURFACE_WALK, SlowErrors, record_of, relative_model
from proxops.onboard.surface_force import SurfaceForce

TRIAL_FIRST: Final = 5  # measurements in a row that make the first filter
TRIAL_RELIEF: Final = 10  # that replace a filter in charge
LAG_SLACK_S: Final = 0.3  # beyond the sensor's largest delay
SURFACE_S: Final = 10.0  # between two looks at air and sunlight: 0.6 deg of the orbit


class Navigation:
    """``step`` once per cycle; the results are attributes."""

    def __init__(
        self, data: OnboardData, sensor: Sensor, avionics: Avionics | None = None, hall: SlowErrors | None = None,
        knowledge: Knowledge | None = None, held: bool = False, pulled: bool = True, surface: SurfaceForce | None = None,
        images: ImageMeasurements | None = None,
    ) -> None:  # fmt: skip
        """``surface``: of air and sunlight on the client, as far as it is known. ``images``: of poses from images."""
        avionics = avionics or Avionics()
        self.age_s = math.inf  # since the exposure of the last accepted measurement
        self.accepted, self.rejected = 0, 0  # in this step
        self.refused, self.late, self.restarts = 0, 0, 0  # in all: unusable, too old, times the filter was replaced
        self._model = relative_model(
            data, sensor, avionics, hall or SlowErrors(), knowledge or Knowledge(), held, pulled,
            surface.place - data.target_mass_centre if surface else None,
        )  # fmt: skip
        self._record = record_of(self._model)
        self._surface, self._surface_due = surface, -math.inf
        self._exposure_period_s = 1.0 / sensor.rate_hz
        late_s = 1e-3 * (sensor.delay_ms + sensor.jitter_ms)
        self._lag_s = max(late_s, images.late_s if images else 0.0) + data.period_s + LAG_SLACK_S
        self._alike = images.alike if images else ALL_DIFFER
        self._order = MeasurementOrder() if images and images.several else None
        self._history = InputHistory(self._lag_s + 2.0 * data.period_s, data.period_s)
        self._attitude = AttitudeFilter(avionics)
        # The filter's own arrays. The rate: rad/s in the chaser's frame, free of the gyro's bias.
        self.q_eci_chaser, self.w_eci_chaser = self._attitude.q_eci_chaser, self._attitude.w_eci_chaser
        self._place = OwnPlace()
        self.p_eci_chaser, self.v_eci_chaser = self._place.p_eci, self._place.v_eci
        self._filter: RelativeFilter | None = None
        self._trial: RelativeFilter | None = None
        self._last_accepted = -math.inf
        self._t = self._t_estimate = math.nan
        self._estimate: Estimate | None = None  # of ``_t_estimate``, once somebody has asked for it

    @property
    def ready(self) -> bool:
        """Whether there is an estimate."""
        return self._filter is not None

    @property
    def estimate(self) -> Estimate:
        """At the time of the last step; predicted when it is first asked for."""
        if self._filter is None:
            raise RuntimeError("navigation has no estimate yet: ask `ready` first")
        if self._estimate is None:
            self._estimate = self._filter.predicted(self._t_estimate, self._history.kept)
        return self._estimate

    def step(self, m: Measurements, acceleration: Floats) -> None:
        """``acceleration``: (3) m/s² by the thrusters, chaser's frame, mean over the last cycle."""
        if not all_finite(acceleration):
            raise ValueError(f"navigation: acceleration of the thrusters is no number: {acceleration}")
        self.accepted, self.rejected = 0, 0
        self._attitude.step(m.t, m.q_eci_chaser, m.w_eci_chaser)
        self._place.step(m.t, m.p_eci_chaser, m.v_eci_chaser)
        self._t = m.t
        if not self._attitude.ready or math.isnan(self.p_eci_chaser[0]):
            self._refuse(len(m.relative))  # without own attitude or place they say nothing
            return
        if self._surface is not None and m.t >= self._surface_due:
            force = self._surface.at(self.p_eci_chaser, self.v_eci_chaser)
            turning = float(np.linalg.norm(self._model.surface, 2) * np.linalg.norm(force))
            self._record["force"][0] = force
            self._record["rate_walk"][0] = max(self._model.rate_walk, SURFACE_WALK * turning)
            self._surface_due = m.t + SURFACE_S
            if self._filter is not None:
                self._filter.model_changed()
        self._history.add(m.t, self.q_eci_chaser, self.w_eci_chaser, acceleration, self.p_eci_chaser)
        if self._order is not None:
            self._order.forget(self._history.begin)
        for seen in m.relative if len(m.relative) < 2 else sorted(m.relative, key=_exposure):
            self._consider(seen)
        self._keep_up()
        self._publish()

    def _refuse(self, count: int) -> None:
        self.refused += count
        self.rejected += count

    def _consider(self, seen: RelativeMeasurement) -> None:
        """One measurement: to the filter in charge, else to the one on trial."""
        usable = checked(seen, self._t)
        if usable is None:
            self._refuse(1)
            return
        base = self._filter or self._trial
        in_time = usable.t >= (self._history.begin if base is None else base.t) - 1e-9
        if not in_time and not (self._order and self._filter and self._order.reaches(usable.t)):
            self.late += 1
            self.rejected += 1
            return
        if self._filter is not None and self._take(self._filter, usable):
            self._accept(usable.t)
            self._trial = None
        elif in_time and (self._trial is None or usable.t >= self._trial.t):
            self._try(usable)
        else:
            self.rejected += 1

    def _take(self, filter_: RelativeFilter, seen: RelativeMeasurement) -> bool:
        if self._order is None:
            return filter_.take(seen, self._history.kept)
        return self._order.take(filter_, seen, self._history.kept)

    def _accept(self, t: float) -> None:
        self.accepted += 1
        self._last_accepted = max(t, self._last_accepted)

    def _try(self, seen: RelativeMeasurement) -> None:
        """The filter on trial takes it or begins anew from it."""
        if self._trial is None or not self._trial.take(seen, self._history.kept):
            self._trial = RelativeFilter(self._record, seen, self._history.kept, self._exposure_period_s, self._alike)
        needed = TRIAL_FIRST if self._filter is None else TRIAL_RELIEF
        if self._trial.taken >= needed:
            self.restarts += self._filter is not None
            self._filter, self._trial = self._trial, None
            self._order = MeasurementOrder() if self._order else None
            self._accept(seen.t)
        elif self._filter is None:
            self.accepted += 1
        else:
            self.rejected += 1

    def _keep_up(self) -> None:
        """Neither filter stays further behind than the history reaches."""
        for one in (self._filter, self._trial):
            if one is not None and one.t < self._t - self._lag_s:
                one.advance(self._t - self._lag_s, self._history.kept)

    def _publish(self) -> None:
        self.age_s = self._t - self._last_accepted
        self._t_estimate, self._estimate = self._t, None


def _exposure(seen: RelativeMeasurement) -> float:
    return seen.t if math.isfinite(seen.t) else -math.inf
