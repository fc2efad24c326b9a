"""The command ``pose``: the client's pose in recorded images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

Camera = Annotated[
    str | None,
    typer.Option(
        help="What took the images: TOML with a [[sensor]] table, a calibration, a mission; data sets and logs tell it."
    ),
]


def pose(
    folder: Annotated[Path, typer.Argument(help="Images, depth images or scans; a data set; a run or its log.")],
    model: Annotated[str, typer.Option(help="Mesh of the client (URDF, STL, OBJ, glTF), or client, client_full.")],
    camera: Camera = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; runs/pose-FOLDER unless given.")] = None,
    model_scale: Annotated[float, typer.Option(help="Metres in a unit of the mesh.")] = 1.0,
    sensor: Annotated[str, typer.Option(help="Which one, where images of several are there.")] = "",
    gives: Annotated[str, typer.Option(help="camera, tof or lidar, where files do not tell.")] = "",
    labels: Annotated[
        Path | None, typer.Option(help="Truth and light of each image, CSV or JSON; found in the folder unless given.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Poses that are expected, as labels have them: where searches begin.")
    ] = None,
    estimator: Annotated[str, typer.Option(help="Your own: file.py:Class, module:Class or tcp://HOST:PORT.")] = "",
    limit_s: Annotated[
        float, typer.Option(min=0.01, max=3600, help="For an image, of an estimator of your own.")
    ] = 10.0,
    alone: Annotated[bool, typer.Option("--alone", help="Search each image; none follows another.")] = False,
    pictures: Annotated[int, typer.Option(min=0, max=200, help="With what was found drawn into them.")] = 12,
    most: Annotated[int | None, typer.Option(min=1, help="Images, from the first on.")] = None,
    part_m: Annotated[
        float | None,
        typer.Option(min=0, max=0.1, help="By which parts of the model may stand elsewhere, m, one deviation."),
    ] = None,
    json: Json = False,
) -> None:
    """Find the client's pose in recorded images and say how good it is. Exit code 1 if some images could not be read."""
    import proxops

    summary = proxops.pose(
        folder, model=model, camera=camera, out=out, model_scale=model_scale, sensor=sensor, gives=gives, labels=labels,
        start=start, estimator=estimator, limit_s=limit_s, alone=alone, pictures=pictures, most=most, part_m=part_m,
        quiet=json,
    )  # fmt: skip
    if json:
        print_json(summary)
    raise typer.Exit(EXIT_DONE if summary["passed"] else EXIT_STOPPED)
