"""The detectors of pushes that a scenario can have: ours and paper 002's, with its parameters judged before anything moves."""

from __future__ import annotations

import math
from typing import Final

from proxops.applications.floating.tables import DetectorTable, FloatFile, FloatSensorTable
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.touch.derivative_detector import DerivativeDetector, DerivativeSettings, rate_noise
from proxops.touch.impulse_detector import ImpulseDetector, ImpulseSettings
from proxops.touch.push_detector import PushDetector

SILENT: Final = 7.0  # sigmas of one component of eq. 3: the length of six stays below it for an hour
TALKATIVE: Final = 5.0  # at this threshold noise alone is taken for a push every half minute


def detector_of(file: FloatFile) -> PushDetector:
    """The one that the scenario selects."""
    return derivative(file) if file.detector.kind == "derivative" else level(file)


def level(file: FloatFile) -> ImpulseDetector:
    """Our detector, which compares with a line through the past, set to the scenario's sensor."""
    return ImpulseDetector(ImpulseSettings(force_noise_N=file.sensor.noise_N, torque_noise_Nm=file.sensor.noise_Nm))


def derivative(file: FloatFile) -> DerivativeDetector:
    """Paper 002's detector (eqs. 2 to 4), set to the scenario's table and sensor."""
    return DerivativeDetector(derivative_settings(file.detector, file.sensor))


def derivative_settings(table: DetectorTable, sensor: FloatSensorTable) -> DerivativeSettings:
    """In sigmas of one reading."""
    known = DerivativeSettings(sensor.noise_N, sensor.noise_Nm, table.alpha)
    smoothed = math.sqrt((1.0 - table.alpha) / (1.0 + table.alpha))
    threshold = (
        SILENT * rate_noise(table.alpha) if table.threshold_N_s is None else table.threshold_N_s / sensor.noise_N
    )
    back = known.back if table.back_N is None else table.back_N / sensor.noise_N / smoothed
    return DerivativeSettings(
        sensor.noise_N, sensor.noise_Nm, table.alpha, threshold, known.rise, back, known.longest_s
    )


def judge_detector(table: DetectorTable, sensor: FloatSensorTable) -> None:
    """A threshold that noise reaches by itself, or that no force can reach, is refused."""
    if table.threshold_N_s is not None:
        least = TALKATIVE * rate_noise(table.alpha) * sensor.noise_N
        most = (1.0 - table.alpha) * sensor.range_N / PERIOD_S
        if not least <= table.threshold_N_s <= most:
            raise BadInput(
                "detector.threshold_N_s: reached by noise alone, or by no force that the sensor reads", value=table.threshold_N_s,
                bound=f"{least:.4g} … {most:.4g} N/s, with sensor.noise_N = {sensor.noise_N:g}, range_N = {sensor.range_N:g} and "
                f"alpha = {table.alpha:g}", way_out="leave it out: 7 sigma of the derivative's noise",
            )  # fmt: skip
    if table.back_N is not None and not sensor.noise_N * math.sqrt(1.0 - table.alpha) < table.back_N < sensor.range_N:
        raise BadInput(
            "detector.back_N: below the smoothed noise or beyond the sensor's range", value=table.back_N,
            bound=f"{sensor.noise_N * math.sqrt(1.0 - table.alpha):.3g} … {sensor.range_N:g} N",
        )  # fmt: skip
