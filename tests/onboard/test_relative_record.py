"""The relative filter's model as a record: what kernels get is what the model says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import proxops
from proxops.core.flight import onboard_data
from proxops.core.mission import parse_mission
from proxops.onboard.navigation_build import navigation_of
from proxops.onboard.relative_model import record_of

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"


def test_a_record_holds_every_field_of_the_model_and_one_layout_serves_all() -> None:
    file = parse_mission(SOURCE.read_text(), SOURCE).file
    model = navigation_of(file, onboard_data(file))._model
    record = record_of(model)
    assert record.dtype.names == model._fields
    for name, value in model._asdict().items():
        np.testing.assert_array_equal(record[name][0], value)
    assert record_of(model).dtype is record.dtype  # two that are equal Numba would compare field by field in every call
