"""The C client against the live facility: in which cycle does the status come back that answers a packet?"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import LOOPBACK
from proxops.facility.control import ANY, ControlSettings
from proxops.facility.live import LiveFacility
from proxops.lab.cell import Cell

ROOT = Path(__file__).parents[1]
PACKETS = 1000
LONGEST_S = 60.0


def compile_probe(folder: Path) -> Path:
    """The probe, compiled against the header."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "no C compiler: install gcc"
    probe = folder / "round_trip"
    words = [compiler, "-std=c99", "-O2", "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT / 'clients' / 'c'}"]
    subprocess.run([*words, str(ROOT / "benchmarks" / "round_trip.c"), "-o", str(probe), "-lm"], check=True)
    return probe


def round_trip(cell: Cell) -> dict[str, float]:
    """Shares of packets whose status came in the same cycle and in the next, and the times in ms."""
    with tempfile.TemporaryDirectory() as name:
        probe = compile_probe(Path(name))
        live = LiveFacility(cell, None, sync=(LOOPBACK, 0), control=ControlSettings(ANY), bridge=BridgeSettings())
        end = live.hall.desk.bridge
        assert end is not None
        words = [str(probe), str(end.port.address[1]), str(PACKETS)]
        client = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        live.run(
            lambda real_time: None,
            for_s=LONGEST_S,
            begin=lambda: live.hall.desk.select("bridge"),
            until=lambda: client.poll() is not None,
        )
        said = client.communicate(timeout=10)[0]
    figures = dict(line.split() for line in said.splitlines())
    return {f"c_round_trip_{key}": float(value) for key, value in figures.items()}
