"""Commands that run the facility: play, convert, serve, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import CellPath, Images, Json, Seed, SystemName, Tool, TrajectoryPath, end, print_json
from proxops.core.channel import BRIDGE_PORT, CONTROL_NAME, LOOPBACK, SYNC_PORT
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

Out = Annotated[Path | None, typer.Option(help="Folder for summary.json, run.mcap, report.html.")]
Report = Annotated[bool, typer.Option(help="Write report.html.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="UDP port of the synchronous interface.")]
ControlName = Annotated[str, typer.Option("--control", help="Name for proxops ctl --control; 0: after its process.")]
ControlBind = Annotated[
    str | None,
    typer.Option(help="HOST:PORT for control from other machines (stops: one port above); needs --key-file."),
]
Bind = Annotated[
    str, typer.Option(help="Address of the synchronous interface and the bridge. Control has --control-bind.")
]
ServeKey = Annotated[
    Path | None,
    typer.Option(
        help="Key of network control, the synchronous interface and the bridge; --bind beyond loopback demands one."
    ),
]
Realtime = Annotated[bool, typer.Option("--realtime", help="Keep time by the clock, not as fast as possible.")]
Order = Annotated[str, typer.Option(help="Order of the move to start.")]
Opening = Annotated[list[str] | None, typer.Option("--open", help="Rehearse: open an interlock, NAME@SECONDS.")]
Pov = Annotated[
    str | None,
    typer.Option(
        help='Point of view for CLW: "x y z qx qy qz qw" (m, scalar last). Default: the input\'s, or the lab.'
    ),
]
Posture = Annotated[
    str | None, typer.Option(help='Posture to start near: "rail A1..A6 A1..A6" in mm and deg. Default: home.')
]


def play(
    file: TrajectoryPath,
    user_tool: Tool = None,
    out: Out = None,
    realtime: Realtime = False,
    order: Order = "rail,robot1,robot2",
    seed: Seed = 0,
    open_at: Opening = None,
    report: Report = True,
    cell: CellPath = None,
    json: Json = False,
) -> None:
    """Play a trajectory file on the virtual hall: move to start, confirm, run; recorded and summed up.

    Exit code 0 only when every criterion is met and the log is whole; else 1."""
    from proxops import api

    done = api.play(
        file, out=out, seed=seed, realtime=realtime, order=order, rehearse=open_at or (), report=report, cell=cell,
        user_tool=user_tool, quiet=json,
    )  # fmt: skip
    end(done, json)


def convert(
    file: TrajectoryPath,
    to: Annotated[SystemName, typer.Option(case_sensitive=False, help="Coordinate system of the result.")],
    user_tool: Tool = None,
    out: Annotated[Path | None, typer.Option(help="File to write; standard output by default.")] = None,
    pov: Pov = None,
    posture: Posture = None,
    cell: CellPath = None,
    json: Json = False,
) -> None:
    """Write the same motion in another coordinate system."""
    from proxops.api import read_cell
    from proxops.lab.conversion import convert_file

    result = convert_file(read_cell(cell, user_tool), file, to.value, out, pov, posture, as_json=json)
    if json:
        print_json(result)


def serve(
    user_tool: Tool = None,
    out: Out = None,
    bind: Bind = LOOPBACK,
    port: Port = SYNC_PORT,
    bridge: Annotated[bool, typer.Option("--bridge", help="Give the hall to the bridge at the start.")] = False,
    bridge_port: Annotated[int, typer.Option(min=0, max=65535, help="UDP port of the bridge.")] = BRIDGE_PORT,
    bridge_settings: Annotated[
        Path | None,
        typer.Option(help="TOML file with the table [bridge], as scenarios have it: speeds, roles, scale, …"),
    ] = None,
    sensors: Annotated[
        Path | None,
        typer.Option(help="TOML file with [[sensor]] tables: cameras, ToF cameras, LiDARs, and images of your own."),
    ] = None,
    images: Images = None,
    control: ControlName = CONTROL_NAME,
    control_bind: ControlBind = None,
    key_file: ServeKey = None,
    seed: Seed = 0,
    for_s: Annotated[float | None, typer.Option("--for", min=0, help="End by itself after so many seconds.")] = None,
    drives: Annotated[bool, typer.Option(help="Switch the drives on at the start.")] = True,
    report: Report = True,
    cell: CellPath = None,
    json: Json = False,
    console: Annotated[bool, typer.Option(help="Serve the console: the hall in the browser.")] = True,
    console_bind: Annotated[
        str, typer.Option(help="Address of the console; others than loopback need a token.")
    ] = LOOPBACK,
    console_port: Annotated[int | None, typer.Option(min=0, max=65535, help="TCP port; 47254 or a free one.")] = None,
    console_token: Annotated[str | None, typer.Option(envvar="PROXOPS_TOKEN", help="What a page must know.")] = None,
) -> None:
    """Run the live facility (a hall at 250 Hz): console in the browser, bridge and synchronous commands over UDP, `proxops ctl`.

    Exit code 0 only when it ended without a standing stop and its log is whole; else 1, and why."""
    from proxops import api

    served = api.serve(
        out=out, cell=cell, user_tool=user_tool, bind=bind, port=port, bridge=bridge, bridge_port=bridge_port,
        bridge_settings=bridge_settings, sensors=sensors, control=control, control_bind=control_bind, key_file=key_file,
        seed=seed, for_s=for_s, drives=drives, report=report, console=console,
        console_bind=console_bind, console_port=console_port, console_token=console_token, quiet=json, images=images,
    ).summary  # fmt: skip
    if json:
        print_json(served)
    well = served["log_whole"] and not served["ended_in_stop"]
    raise typer.Exit(EXIT_DONE if well else EXIT_STOPPED)


def doctor(json: Json = False) -> None:
    """Tell what this machine can do for a live facility, one line each, with the fix."""
    from proxops.cli.doctor import examine, print_findings

    findings = examine()
    if json:
        print_json([finding.__dict__ for finding in findings])
    else:
        print_findings(findings)
