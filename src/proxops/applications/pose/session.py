"""``proxops pose``: every image of a folder or a log through an estimator, then files, pictures and a report."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from proxops.applications.pose.client import client_named
from proxops.applications.pose.found_pictures import FoundPictures
from proxops.applications.pose.image_folder import FolderOfImages, readable
from proxops.applications.pose.image_log import LoggedImages
from proxops.applications.pose.looking import PoseRun
from proxops.applications.pose.report import PoseResult, report
from proxops.applications.pose.results import LINES, PICTURES, ROWS, PoseLines
from proxops.applications.pose.wanted import PoseOptions
from proxops.core.errors import BadInput
from proxops.core.interruption import noted_interrupt
from proxops.ground.results import PAGE, SUMMARY, write_results
from proxops.onboard.vision.own.named import estimator_named, let_go
from proxops.runs.folder import LOG
from proxops.runs.progress import count_bar


def pose_session(folder: Path, out: Path, options: PoseOptions, *, quiet: bool) -> dict[str, Any]:
    """Look through ``folder`` (or a log) and write into ``out``; the summary. BadInput before anything is written. Ctrl-C ends it
    with what was found so far."""
    options.demand()
    images = recorded_in(folder, options)
    _demand_elsewhere(folder, out)
    client, warnings = client_named(options.model, options.model_scale)
    estimator = estimator_named(options.estimator, images.sensor, client, options.limit_s, options.part_m)
    alone = options.alone or not images.timed
    run = PoseRun(estimator, alone=alone, lost_after=options.lost_after, range_m=images.range_m)
    lines, count = PoseLines(out), min(images.count, options.most or images.count)
    pictures = FoundPictures(images.sensor.lens, client, options.pictures, count)
    ended = _look_through(images, run, lines, pictures, count, quiet=quiet)
    let_go(estimator)
    if not lines.looked:
        if not ended:
            raise KeyboardInterrupt
        raise BadInput(
            "no image can be read", where=str(folder), value=images.complaints[0] if images.complaints else None
        )
    with noted_interrupt():
        lines.close()
        figures = {**lines.figures(images.unread), "interrupted": not ended}
        about = {
            "folder": readable(str(folder)), "sensor": images.sensor.name, "sensor_kind": images.sensor.gives,
            "model": options.model, "estimator": options.estimator or "proxops",
            "way": "each image alone" if alone else "tracked", "start": str(options.start) if options.start else None,
        }  # fmt: skip
        pictures.write(out / PICTURES)
        early = [] if ended else [f"interrupted after {len(lines.looked)} of {count} images"]
        notes = [*early, *images.notes, *warnings, *images.complaints]
        result = PoseResult(
            readable(folder.name or str(folder)), about, figures, lines.judged, notes, pictures.shown, _command(folder, options)
        )  # fmt: skip
        told = report(result)
        write_results(out, told, quiet=quiet, told=(SUMMARY, LINES, ROWS, PAGE, PICTURES))
        return told.summary


def _look_through(
    images: FolderOfImages | LoggedImages, run: PoseRun, lines: PoseLines, pictures: FoundPictures, count: int, *, quiet: bool
) -> bool:  # fmt: skip
    """Whether to the end."""
    unread, told = images.unread, 0
    try:
        with count_bar(quiet, "images", count) as done:
            for place, seen in enumerate(images):
                lines.begin()
                one = run.look(seen)
                pictures.look(place, seen.file, seen.image, one.found)
                lines.add(replace(one, found=replace(one.found, marks=None)))
                gone_through = len(lines.looked) + images.unread - unread
                done(gone_through - told)
                told = gone_through
                if len(lines.looked) == count:
                    break
            done(len(lines.looked) + images.unread - unread - told)
    except KeyboardInterrupt:
        return False
    return True


def recorded_in(folder: Path, options: PoseOptions) -> FolderOfImages | LoggedImages:
    """A folder of images, the folder of a run, or a log."""
    if folder.is_file() and folder.suffix == ".mcap":
        return LoggedImages(folder, options)
    if (folder / LOG).is_file():
        return LoggedImages(folder / LOG, options)
    return FolderOfImages(folder, options)


def _demand_elsewhere(folder: Path, out: Path) -> None:
    """What stands in ``out`` by the names of results is put away: a run's own, if it were its folder."""
    if out.resolve() == (folder if folder.is_dir() else folder.parent).resolve():
        raise BadInput("--out: there the images are", where=str(out), way_out="another folder, or one in it")


def _command(folder: Path, options: PoseOptions) -> str:
    words = ["proxops", "pose", str(folder), "--model", options.model]
    usual = PoseOptions(options.model)
    for option in (
        "camera",
        "model_scale",
        "sensor",
        "gives",
        "labels",
        "start",
        "estimator",
        "limit_s",
        "most",
        "part_m",
    ):
        if (value := getattr(options, option)) != getattr(usual, option):
            words += [f"--{option.replace('_', '-')}", str(value)]
    return readable(shlex.join([*words, *(["--alone"] if options.alone else [])]))
