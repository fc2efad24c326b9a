"""The command ``dataset``: labelled images of a mission's imaging sensors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from proxops.cli.options import Json, print_json


def dataset(
    scenario: Annotated[str, typer.Argument(help="Mission with [[sensor]] tables of cameras, ToF cameras or LiDARs.")],
    out: Annotated[Path, typer.Option(help="Folder for the images; new or empty.")],
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="Images of each sensor.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same files, bit for bit.")] = 0,
    poses: Annotated[
        str, typer.Option(help="drawn (any attitude) or flown (along the mission, in software).")
    ] = "drawn",
    near_m: Annotated[float, typer.Option(help="Nearest distance of drawn poses.")] = 2.0,
    far_m: Annotated[float, typer.Option(help="Farthest.")] = 25.0,
    lights: Annotated[str, typer.Option(help="Names of the light catalogue with commas; all unless given.")] = "",
    splits: Annotated[str, typer.Option(help="Folders and their shares.")] = "train=0.8,test=0.2",
    json: Json = False,
) -> None:
    """Write labelled images, depth images and scans, for training and testing what is to see with them."""
    import proxops

    about = proxops.dataset(
        scenario, out=out, count=count, seed=seed, poses=_either(poses), between_m=(near_m, far_m), lights=lights, splits=splits,
        quiet=json,
    )  # fmt: skip
    if json:
        print_json(about)
    else:
        print(f"{out}: {about['images']} images, labels.csv, dataset.json")


def _either(poses: str) -> Literal["drawn", "flown"]:
    from proxops.core.errors import BadInput

    if poses == "drawn":
        return "drawn"
    if poses == "flown":
        return "flown"
    raise BadInput("--poses", value=poses, bound="drawn, flown")
