"""A shipped micro-gravity scenario with some of its tables changed, made ready and flown in lockstep."""

import json
from typing import Any

import numpy as np

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.floating.application import FloatApplication
from proxops.applications.floating.bench import FloatBench, prepare
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import load_model
from proxops.core.experiment import Experiment
from proxops.core.strict_table import judge_table
from proxops.runs.arm_parts import ArmRan
from proxops.runs.arm_run import lockstep


def bench_of(name: str, **changes: Any) -> FloatBench:
    """A table that is given replaces the keys it names; anything else replaces the whole."""
    path = experiment_paths()[name]
    values = json.loads(parse_experiment(path.read_text(), path).file.model_dump_json())
    for table, change in changes.items():
        both = isinstance(values.get(table), dict) and isinstance(change, dict)
        values[table] = {**values[table], **change} if both else change
    file = judge_table(values, FloatFile, path)
    model = load_model(Experiment(file, path, "").model_path(), file.arm.tool)
    return prepare(file, model, path, np.random.default_rng(1))


def flown(bench: FloatBench, seed: int = 1) -> ArmRan[FloatApplication]:
    return lockstep(FloatParts(bench, seed))
