"""The command ``inspect``: a model of a client that nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json


def inspect(
    run: Annotated[Path, typer.Argument(help="Folder or log of a mission that looked at the client from all sides.")],
    out: Annotated[Path | None, typer.Option(help="Folder for client.obj; the run's unless given.")] = None,
    sensor: Annotated[str, typer.Option(help="LiDAR or time-of-flight camera, where there are several.")] = "",
    voxel_m: Annotated[float, typer.Option(min=0.002, max=1.0, help="How fine the surface is.")] = 0.01,
    triangles: Annotated[int, typer.Option(min=100, max=200_000, help="Of the model, at most.")] = 8000,
    json: Json = False,
) -> None:
    """Make a model of an unknown client, and find its spin, from the scans of a mission that has circled it."""
    import proxops

    figures = proxops.inspect(run, out=out, sensor=sensor, voxel_m=voxel_m, triangles=triangles, quiet=json)
    if json:
        print_json(figures)
        return
    x, y, z = figures["size_m"]
    print(f"{figures['model']}: {figures['triangles']} triangles, {x:.2f} x {y:.2f} x {z:.2f} m")
    print("spin: " + ", ".join(f"{rate:.3f}" for rate in figures["spin_deg_s"]) + " deg/s in inertial axes")
    for name, value in figures.get("truth", {}).items():
        print(f"{name}: {value:.3g}")
