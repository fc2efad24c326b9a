"""Nothing is compiled once the clock runs: a fresh process warms up, serves a client with a socket and plays mapped files."""

import subprocess
import sys

SCRIPT = """
import gc
from proxops.bridge.settings import BridgeSettings
from proxops.client import BridgeClient
from proxops.core.clock import LockstepClock
from proxops.facility.build import build
from proxops.core.vocabulary import System
from proxops.facility.trajectories.checked import unsealed
from proxops.facility.trajectories import STANDING_LINES as LINES
from proxops.facility.trajectories import standing
from proxops.facility.warmup import warm_up
from proxops.maths.kernel import Kernel
from proxops.lab.any_cell import load_cell
from proxops.lab.sealed_trajectory import SealedTrajectory, seal

def compiled():
    kernels = [d for d in gc.get_objects() if isinstance(d, Kernel)]
    return {(d.py_func.__qualname__, str(s)) for d in kernels for s in d.signatures}

cell, settings, clock = load_cell(), BridgeSettings(), LockstepClock()
warm_up(cell, settings)
hall = build(cell, clock, seed=1, record=None, sync=("127.0.0.1", 0), bridge=settings, bridge_at=("127.0.0.1", 0))
client = BridgeClient(hall.desk.bridge.port.address)
before = compiled()
assert before
hall.desk.drives(True)
for k in range(1500):
    if k == 100:
        hall.desk.select("bridge")
    if k > 150:
        client.send((6.0 - 1e-4 * k, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0), (0.0,) * 6 + (1.0,))
    hall.facility.tick()
    told = client.status()
assert told is not None and told.phase.name in ("JOINING", "CONVERGING"), told

hall.desk.select("none")
while hall.facility.mode.name != "READY":
    hall.facility.tick()
for system in System:  # as the checker hands it over: mapped, read-only
    fd, digest = seal(standing(cell, system))
    hall.desk.load(unsealed(SealedTrajectory(fd, LINES, digest, "standing")))
    hall.desk.select("async")
    hall.desk.move_to_start("rail,robot1,robot2")
    while hall.facility.mode.name == "MOVING_TO_START":
        hall.facility.tick()
    hall.desk.confirm()
    while hall.facility.mode.name != "READY":
        hall.facility.tick()
print(sorted(name for name, _ in compiled() - before))
hall.close()
"""


def test_a_client_and_a_file_compile_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
