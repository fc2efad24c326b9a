"""Runs the benchmarks one after another; a table on the terminal, JSON in runs/bench.json.

``python -m benchmarks [name …] [--venv PATH]``. Without names all but ``basilisk``, which installs foreign software on
first use, and those that are no matter of speed: ``laws``, and ``vision``, which takes hours (``PROXOPS_IMAGES`` and
``PROXOPS_SEEDS`` say how many images a cell and flights a condition).
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    arm,
    basilisk,
    bridge,
    console,
    contact,
    develop,
    eyes,
    flight,
    image_log,
    impulses,
    kernels,
    laws,
    live,
    lockstep,
    logs,
    mission,
    orbit,
    rays,
    render,
    report,
    stages,
    startup,
    touch,
    vision_depth,
    vision_flights,
    vision_inspection,
    vision_search,
    vision_tracking,
)

BENCHMARKS: dict[str, Callable[[], Mapping[str, float | str]]] = {
    "startup": startup.run,
    "kernels": kernels.run,
    "lockstep": lockstep.run,
    "bridge": bridge.run,
    "orbit": orbit.run,
    "mission": mission.run,
    "stages": stages.run,
    "flight": flight.run,
    "arm": arm.run,
    "laws": laws.run,
    "impulses": impulses.run,
    "contact": contact.run,
    "touch": touch.run,
    "logs": logs.run,
    "rays": rays.run,
    "develop": develop.run,
    "eyes": eyes.run,
    "image_log": image_log.run,
    "render": render.run,
    "report": report.run,
    "vision_tracking": vision_tracking.run,
    "vision_search": vision_search.run,
    "vision_depth": vision_depth.run,
    "live": live.run,
    "console": console.run,
    "vision_flights": vision_flights.run,
    "vision_inspection": vision_inspection.run,
    "basilisk": basilisk.run,
}
VISION = [name for name in BENCHMARKS if name.startswith("vision_")]
"""What ``vision`` stands for: hours of two cores."""
ON_REQUEST = {"basilisk", "laws", *VISION}


def main() -> None:
    asked = _arguments()
    terminal, chosen = Console(), _chosen(asked.names)
    results: dict[str, object] = {"machine": platform.platform(), "python": platform.python_version()}
    for name in chosen:
        call = partial(basilisk.run, asked.venv) if name == "basilisk" else BENCHMARKS[name]
        with terminal.status(f"{name} …"):
            figures = call()
        results[name] = figures
        table = Table(name, "value")
        for key, value in figures.items():
            table.add_row(key, f"{value:.4g}" if isinstance(value, float) else str(value))
        terminal.print(table)
    out = Path("runs") / "bench.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(results, indent=2) + "\n")
    terminal.print(out)


def _chosen(names: list[str]) -> list[str]:
    if not names:
        return [name for name in BENCHMARKS if name not in ON_REQUEST]
    return [one for name in names for one in (VISION if name == "vision" else [name])]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed, as ratios within one run.")
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join((*BENCHMARKS, "vision (all of its)")))
    parser.add_argument(
        "--venv", type=Path, help="where Basilisk is, or shall be installed (default: user's cache folder)"
    )
    asked = parser.parse_args()
    if unknown := set(asked.names) - {*BENCHMARKS, "vision"}:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    return asked


if __name__ == "__main__":
    main()
