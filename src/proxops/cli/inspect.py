"""The command ``inspect``: a model of a client that nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json

AGAINST_TRUTH = (
    "against the truth in the log: surface off by {surface_median_mm:.1f} mm (median), {surface_p95_mm:.1f} mm (95 %);"
    " {complete_percent:.1f} % found within 10 mm; frame off by {frame_mm:.1f} mm, {frame_deg:.2f} deg;"
    " spin by {spin_off_deg_s:.3f} deg/s"
)


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
    looked = f"{figures['looks'] - figures['lost']} of {figures['looks']} looks"
    print(f"{figures['model']}: {figures['triangles']} triangles, {x:.2f} x {y:.2f} x {z:.2f} m, of {looked}")
    print(f"frame: {figures['frame']}")
    rates = ", ".join(f"{rate:.3f}" for rate in figures["spin_deg_s"])
    print(
        f"spin at {figures['spin_t_s']:.0f} s: {rates} deg/s in inertial axes;"
        f" a constant one leaves {figures['constant_spin_left_deg']:.1f} deg"
    )
    if "truth" in figures:
        print(AGAINST_TRUTH.format(**figures["truth"]))
