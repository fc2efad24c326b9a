"""Nothing is compiled once the clock of a live flight runs: pushes, bounces at an edge, on a face and at the handrail."""

import subprocess
import sys

SCRIPT = """
import gc
import numpy as np
from proxops.applications.catalogue import load
from proxops.applications.floating.bench import prepare
from proxops.runs.arm_run import lockstep
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.rehearsal import rehearse
from proxops.arms.model import load_model
from proxops.facility.warmup import warm_up
from proxops.maths.kernel import Kernel

def compiled():
    kernels = [d for d in gc.get_objects() if isinstance(d, Kernel)]
    return {(d.py_func.__qualname__, str(s)) for d in kernels for s in d.signatures}

experiment = load("float")
file = experiment.file
model = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
bench = prepare(file, model, experiment.source, np.random.default_rng(1))
rehearse(bench, 1)
parts = FloatParts(bench, 1, duration_s=14.0)
warm_up(parts.cell)
before = compiled()
assert before
assert not lockstep(parts).application.failure
print(sorted(name for name, _ in compiled() - before))
"""


def test_a_flight_compiles_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
