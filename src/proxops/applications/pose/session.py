"""``proxops pose``: every image of a folder or a log through an estimator, then files, pictures and a report."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from proxops.applications.pose.client import client_named
from proxops.applications.pose.found_pictures import PICTURES, FoundPictures
from proxops.applications.pose.image_folder import FolderOfImages
from proxops.applications.pose.image_log import LoggedImages
from proxops.applications.pose.looking import AnsweredImage, PoseRun
from proxops.applications.pose.report import PoseResult, report
from proxops.applications.pose.results import LINES, ROWS, write_poses
from proxops.applications.pose.statistics import judgement, statistics
from proxops.applications.pose.wanted import PoseOptions
from proxops.core.errors import BadInput
from proxops.ground.results import PAGE, SUMMARY, write_results
from proxops.onboard.vision.own.named import estimator_named, let_go
from proxops.runs.folder import LOG, prepare_folder
from proxops.runs.progress import count_bar


def pose_session(folder: Path, out: Path, options: PoseOptions, *, quiet: bool) -> dict[str, Any]:
    """Look through ``folder`` (or a log) and write into ``out``; the summary. BadInput before anything is written."""
    options.demand()
    images = recorded_in(folder, options)
    client, warnings = client_named(options.model, options.model_scale)
    estimator = estimator_named(options.estimator, images.sensor, client, options.limit_s)
    alone = options.alone or not images.timed
    run = PoseRun(estimator, alone=alone, lost_after=options.lost_after, range_m=images.range_m)
    looked: list[AnsweredImage] = []
    count = min(images.count, options.most or images.count)
    pictures = FoundPictures(images.sensor.lens, client, options.pictures, count)
    with count_bar(quiet, "images", count) as done:
        for place, seen in enumerate(images):
            one = run.look(seen)
            pictures.look(place, seen.file, seen.image, one.found)
            looked.append(replace(one, found=replace(one.found, marks=None)))
            done()
            if len(looked) == count:
                break
    let_go(estimator)
    if not looked:
        raise BadInput(
            "no image can be read", where=str(folder), value=images.complaints[0] if images.complaints else None
        )
    prepare_folder(out)
    judged = [judgement(one) for one in looked]
    write_poses(out, looked, judged)
    figures = statistics(looked, judged, images.unread)
    about = {
        "folder": str(folder), "sensor": images.sensor.name, "sensor_kind": images.sensor.gives, "model": options.model,
        "estimator": options.estimator or "proxops", "way": "each image alone" if alone else "tracked",
        "start": str(options.start) if options.start else None,
    }  # fmt: skip
    pictures.write(out / PICTURES)
    notes = [*images.notes, *warnings, *images.complaints]
    result = PoseResult(
        folder.name or str(folder), about, figures, judged, notes, pictures.shown, _command(folder, options)
    )
    told = report(result)
    write_results(out, told, quiet=quiet, told=(SUMMARY, LINES, ROWS, PAGE, PICTURES))
    return told.summary


def recorded_in(folder: Path, options: PoseOptions) -> FolderOfImages | LoggedImages:
    """A folder of images, the folder of a run, or a log."""
    if folder.is_file() and folder.suffix == ".mcap":
        return LoggedImages(folder, options)
    if (folder / LOG).is_file():
        return LoggedImages(folder / LOG, options)
    return FolderOfImages(folder, options)


def _command(folder: Path, options: PoseOptions) -> str:
    words = ["proxops", "pose", str(folder), "--model", options.model]
    for option in ("camera", "sensor", "gives", "labels", "start", "estimator"):
        if value := getattr(options, option):
            words += [f"--{option}", str(value)]
    return shlex.join([*words, *(["--alone"] if options.alone else [])])
