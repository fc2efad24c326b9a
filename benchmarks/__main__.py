"""Runs the benchmarks one after another; a table on the terminal, JSON in runs/bench.json."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import bridge, kernels, live, lockstep, startup

BENCHMARKS = {
    "startup": startup.run,
    "kernels": kernels.run,
    "lockstep": lockstep.run,
    "bridge": bridge.run,
    "live": live.run,
}


def main() -> None:
    console, chosen = Console(), sys.argv[1:] or list(BENCHMARKS)
    results: dict[str, object] = {"machine": platform.platform(), "python": platform.python_version()}
    for name in chosen:
        with console.status(f"{name} …"):
            figures = BENCHMARKS[name]()
        results[name] = figures
        table = Table(name, "value")
        for key, value in figures.items():
            table.add_row(key, f"{value:.4g}" if isinstance(value, float) else str(value))
        console.print(table)
    out = Path("runs") / "bench.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(results, indent=2) + "\n")
    console.print(out)


if __name__ == "__main__":
    main()
