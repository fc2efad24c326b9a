"""What the hall adds to an orbit picture: figures of each sensor that looks at both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from proxops.applications.mission.report.client_outline import ClientOutline
from proxops.applications.mission.report.eyes_comparison import Row, compared, lens_of
from proxops.applications.mission.report.eyes_record import EyeRecord
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.seen_by import ORBIT_SUFFIX
from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mission import MissionFile
from proxops.ground.recorded_image import RecordedImage
from proxops.lab.cell import Cell
from proxops.optics.scene.mesh import Mesh
from proxops.sensors.hall_staging import hall_client
from proxops.sensors.orbit_staging import orbit_client


class Both(NamedTuple):
    """A sensor's images of hall and orbit, of the same exposures."""

    spec: ImagingSensor
    pairs: list[tuple[RecordedImage, RecordedImage]]


def sensors_of_both(eyes: Iterable[EyeRecord]) -> Iterator[Both]:
    """Those that look at hall and orbit."""
    by_name = {eye.spec.name: eye for eye in eyes}
    for eye in by_name.values():
        other = by_name.get(eye.spec.name + ORBIT_SUFFIX)
        if eye.hall and other and not other.hall:
            theirs = {_moment(kept): kept for kept in other.kept}
            found = [(k, theirs[_moment(k)]) for k in eye.kept if _moment(k) in theirs]
            found = [pair for pair in found if all(image.T_sensor_target is not None for image in pair)]
            yield Both(eye.spec, found)


def _moment(kept: RecordedImage) -> int:
    """In periods of a thousandth of a second: the shutters of both open together, for as long as each needs."""
    return round(1e3 * (kept.encoded.t - 0.5 * kept.encoded.exposure_s))


def hall_against_orbit(run: MissionRun, cell: Cell) -> dict[str, dict[str, float | None]]:
    """By sensor: medians over the pairs. Of sensors on the target, which see another craft, nothing is said."""
    wanted = [both for both in sensors_of_both(run.eyes) if both.pairs and both.spec.on == "chaser"]
    clients = clients_of(run.file, cell) if wanted else ()
    found = {}
    for both in wanted if clients else ():
        outlines = tuple(ClientOutline(client, lens_of(both.spec)) for client in clients)
        found[both.spec.name] = medians([compared(both.spec, pair, outlines) for pair in both.pairs])
    return found


def clients_of(file: MissionFile, cell: Cell) -> tuple[Mesh, ...]:
    """In the hall and in orbit, in the target's frame; none if a user's own is not where the report is made."""
    try:
        return hall_client(cell, file.bridge.chaser_on == 2), orbit_client(file.scenery, cell)
    except BadInput:
        return ()


def medians(rows: list[Row]) -> dict[str, float | None]:
    """Over what is known; None where nothing is."""
    out: dict[str, float | None] = {"pairs": len(rows)}
    for name in rows[0]:
        known = [row[name] for row in rows if math.isfinite(row[name])]
        out[name] = float(np.median(known)) if known else None
    return out
