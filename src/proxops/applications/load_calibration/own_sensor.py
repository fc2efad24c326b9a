"""What a tool on a user's own force sensor weighs: its readings come over UDP while the arm moves by the wall's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from proxops.applications.load_calibration.arm_run import driven
from proxops.applications.load_calibration.calibration import ARM, rehearse
from proxops.applications.load_calibration.identification import identified, noise_at_rest
from proxops.applications.load_calibration.motion import calibration_motion
from proxops.applications.load_calibration.record import CalibrationSamples
from proxops.applications.load_calibration.result import Calibration
from proxops.arms.model import load_model
from proxops.core.channel import LOOPBACK
from proxops.core.clock import Clock, LiveClock
from proxops.core.errors import Refused
from proxops.core.force_source import ForceSource, wrench_of
from proxops.ground.row_stream import RowStream
from proxops.touch.force_port import ForcePort
from proxops.touch.force_watch import StreamTraits

RANGE: Final = wrench_of(2500.0, 400.0)  # what no reading reaches
ANY_NOISE: Final = wrench_of(1e-9, 1e-9)  # every axis of it rustles


def listening(
    name: str, excitation: float, seed: int, port: int, rate_hz: float, log: Callable[[], RowStream], *, quiet: bool
) -> Calibration:
    """The port is given back whatever happens. ``log`` is asked for once the port is ours."""
    rehearse()
    source = ForcePort((LOOPBACK, port))
    try:
        place = log()
        if not quiet:
            print(f"force port {LOOPBACK}:{source.address[1]}: waiting for readings, then the arm moves", flush=True)
        return calibrate_sensor(name, excitation, seed, source, rate_hz, LiveClock(), place)
    except Refused as error:
        if source.last_refusal and not source.taken:
            raise Refused(f"{error}; datagrams came, the last was refused: {source.last_refusal}") from None
        raise
    finally:
        source.close()


def calibrate_sensor(
    name: str, excitation: float, seed: int, source: ForceSource, rate_hz: float, clock: Clock, log: RowStream
) -> Calibration:
    """The sensor's noise is what it shows while the arm stands. ``seed``: of the encoders."""
    model = load_model(*ARM)
    q = calibration_motion(model, excitation).q
    stream, out = StreamTraits(RANGE, ANY_NOISE, np.zeros(6), rate_hz), list[Calibration]()

    def found(recorded: CalibrationSamples) -> Calibration:
        out.append(identified(name, model, recorded, noise_at_rest(recorded)))
        return out[0]

    driven(model, q, np.random.default_rng(seed), lambda arm: source, stream, clock, log, found)
    return out[0]
