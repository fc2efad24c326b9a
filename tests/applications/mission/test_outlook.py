"""Cycles that a mission flies ahead of the hall: what each sends and tells is what it sends and tells cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import load_flight_software
from proxops.applications.mission.outlook import Outlook, coast_and_tell
from proxops.core.messages import MISSION_DTYPE
from proxops.core.mission import Mission, load_mission
from proxops.core.vocabulary import MissionEnd
from proxops.maths.rotation import Array
from proxops.space.coasting import coast


class Shown:
    """A hall that shows one pose."""

    converged = True

    def __init__(self, pose: Array) -> None:
        self.truth = pose


def nearby(duration_s: float) -> Mission:
    flagship = load_mission("approach")
    start = flagship.file.start.model_copy(update={"position_m": (-12.0, 0.0, 0.0)})
    changed = {"start": start, "duration_s": duration_s}
    return Mission(flagship.file.model_copy(update=changed), flagship.source, flagship.text)


def begun(mission: Mission) -> tuple[MissionApplication, Shown]:
    application = MissionApplication(mission, 1, load_flight_software(None, mission.file), 0.05, 300.0)
    hall = Shown(application.relative_pose())
    application.advance(0.0, hall)
    return application, hall


def ahead(mission: Mission) -> Iterator[tuple[MissionApplication, Outlook]]:
    """Each stretch to its end."""
    application, hall = begun(mission)
    out = Outlook()
    while application.outcome.end is MissionEnd.UNDER_WAY:
        application.look_ahead(hall, out)
        yield application, out


def test_packets_and_records_are_those_of_single_cycles() -> None:
    """Measurements that begin and end to be told, truth, audit, the sun's direction, and the last cycle, in which all stands."""
    mission = nearby(5.002)
    one, hall = begun(mission)
    stretches, audited = 0, set()
    for many, out in ahead(mission):
        stretches += 1
        for k in range(out.flown):
            (data,) = one.advance(0.0, hall)
            out.handed_out = k
            assert out.packet() == data
            record = np.frombuffer(out.records[k].tobytes(), MISSION_DTYPE)
            assert record.tobytes() == bytes(one.record.bytes), (stretches, k)
            audited.add(record["audit"].tobytes())
        assert many.pair.y.tobytes() == one.pair.y.tobytes()
    assert many.outcome.end is one.outcome.end is MissionEnd.TIME
    assert stretches < 0.05 * one.pair.cycle and len(audited) > 10
    assert many.outcome.audit.tolist() == one.outcome.audit.tolist()


@pytest.mark.parametrize("handed_out", [0, 1, 7])
def test_what_nobody_asks_for_is_taken_back(handed_out: int) -> None:
    mission = nearby(20.0)
    one, hall = begun(mission)
    flights = ahead(mission)
    for _ in range(4):
        many, out = next(flights)
    for _ in range(3 * 25 + handed_out):
        one.advance(0.0, hall)
    out.handed_out = handed_out
    many.take_back(out)
    if handed_out:  # else the measurement of this cycle is exposed, which no motion is
        assert bytes(many.record.bytes) == bytes(one.record.bytes)
    assert (many.pair.cycle, many.pair.t) == (one.pair.cycle, one.pair.t)
    assert many.pair.y.tobytes() == one.pair.y.tobytes()
    assert many.record.worst.tolist() == one.record.worst.tolist()


def test_no_flight_asks_anything_of_the_heap() -> None:
    for _ in zip(range(2), ahead(nearby(5.0)), strict=False):
        pass
    application, _ = begun(nearby(5.0))
    application.fly_on()
    for kernel in (coast, coast_and_tell):
        called = kernel.called  # type: ignore[attr-defined]  # put there by ``kernel``
        modules = [called.of(types).library._get_module_for_linking() for types in kernel.signatures]  # type: ignore[attr-defined]
        assert modules
        assert not {f.name for module in modules for f in module.functions if f.name.startswith("NRT_")}
