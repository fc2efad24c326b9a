"""Compile ahead what a flight through the hall needs, on two cores: ``make setup`` calls this.

One process warms up the hall, then its bridge, and plays a short script through them: that needs the kernel of usual cycles, the
longest of all; the other flies a mission in software, then through the hall. Each compiles what the other has not yet; a kernel
that both want is waited for. What is there already is not compiled again. They keep bytecode, too, whatever the user's shell
says: without it every process would compile our modules for a third of a second.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
HALL = """
import sys

from proxops import run
from proxops.bridge.settings import BridgeSettings
from proxops.facility.warmup import warm_up, warm_up_bridge
from proxops.lab.any_cell import load_cell

cell = load_cell()
warm_up(cell)
warm_up_bridge(cell, BridgeSettings())
run(sys.argv[1] + "/script.toml", out=sys.argv[1] + "/script", report=False)
"""
FLIGHT = """
import sys

from proxops import run

for hall in (False, True):
    run(sys.argv[1] + "/mission.toml", out=f"{sys.argv[1]}/{hall}", hall=hall, report=False)
"""
SCRIPT = """
name = "still"
about = "Nothing moves"
seed = 1
kind = "scripted"
motion = [{ kind = "hold", duration_s = 20.0 }]
[start]
distance_m = 5.0
"""
MISSION = 'kind = "mission"\nlike = "approach"\nduration_s = 2.0\n'


def main() -> int:
    began = time.monotonic()
    print("compiling kernels, once ...", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.toml").write_text(SCRIPT)
        (Path(folder) / "mission.toml").write_text(MISSION)
        jobs = [
            subprocess.Popen([sys.executable, "-c", code, folder], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
            for code in (HALL, FLIGHT)
        ]
        failed = any([job.wait() for job in jobs])
    print(f"kernels {'NOT all ' if failed else ''}compiled, {time.monotonic() - began:.0f} s", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
