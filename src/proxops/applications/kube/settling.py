"""Can a loop with these gains and this computer ever come to rest at its goal? Judged before anything moves."""

from __future__ import annotations

from proxops.applications.kube.tables import HardwareLoopFile
from proxops.core.errors import BadInput
from proxops.lab.virtual_iiwa import IiwaTraits
from proxops.onboard.loop_stability import SampledLoop, ServedLoop


def check_computer(file: HardwareLoopFile) -> None:
    """BadInput of times that do not fit together."""
    computer = file.computer
    if computer is None:
        return
    if computer.stall_ms[0] > computer.stall_ms[1]:
        raise BadInput("computer.stall_ms: least, then most", value=list(computer.stall_ms))
    if computer.hold_ms < computer.time_ms:
        raise BadInput(
            "computer.hold_ms: the arm would stand between two commands", value=computer.hold_ms,
            bound=f"at least {computer.time_ms:g} ms, the time of an evaluation",
        )  # fmt: skip
    if computer.time_ms * file.loop.rate_hz < 5e3:
        raise BadInput(
            "computer.time_ms: less than five cycles of the loop", value=computer.time_ms,
            bound=f"at least {5e3 / file.loop.rate_hz:g} ms", way_out="a higher loop.rate_hz, or no [computer]",
        )  # fmt: skip


def check_gains(file: HardwareLoopFile, traits: IiwaTraits) -> None:
    """BadInput of each gain alone: an error that stays, grows, or swings ever wider at this rate."""
    loop = _sampled(file, traits)
    for name, gains in (("position", file.law.position_gain_per_s), ("attitude", file.law.attitude_gain_per_s)):
        for axis, gain in zip("xyz", gains, strict=True):
            what = f"law.{name}_gain_per_s: the error in {axis} "
            if gain <= 0.0:
                raise BadInput(what + ("grows" if gain else "stays"), value=f"{gain:g} per s", bound="above 0")
            if not loop.settles(gain):
                raise BadInput(
                    f"{what}swings ever wider", value=f"{gain:g} per s, evaluated every {1e3 * loop.period_s:g} ms",
                    bound=f"below {loop.highest_gain():.3g} per s at this rate", way_out="lower gains, or a quicker loop",
                )  # fmt: skip


def _sampled(file: HardwareLoopFile, traits: IiwaTraits) -> SampledLoop:
    drives = (traits.dead_cycles, traits.lag_s)
    if file.computer is None:
        return SampledLoop(traits.cycle_s, 1.0 / file.loop.rate_hz, *drives)
    return ServedLoop(traits.cycle_s, file.computer.time_ms * 1e-3, *drives, file.computer.hold_ms * 1e-3)
