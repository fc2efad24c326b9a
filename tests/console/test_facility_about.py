"""``facility.json`` as a stranger might write it: refused with its place, never an error of the console later on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxops.console.facility_about import FacilityAbout
from proxops.core.errors import BadInput

GOOD: dict[str, Any] = {
    "pid": 7, "sync": None, "bridge": None, "control": "c", "stop": "s", "pool_ring": "p", "event_ring": "e",
    "groups": [["loop", "what is done", [["t", "f8", "s", "time"], ["stage", "u1", "", "stage"]]]],
}  # fmt: skip


def read(path: Path, **changes: Any) -> FacilityAbout:
    (path / "facility.json").write_text(json.dumps({**GOOD, **changes}))
    return FacilityAbout.read(path / "facility.json")


def test_groups_are_read(tmp_path: Path) -> None:
    (group,) = read(tmp_path).groups
    assert group.plain() == GOOD["groups"][0]


@pytest.mark.parametrize(
    "variables",
    [
        "", ["abcd"], [["t", "O", "s", ""]], [["t", "zz", "s", ""]], [["t", 5, "s", ""]], [[None, "f8", "s", ""]],
        [["t", "S999999999", "", ""]], [["t", "(9,)f8", "", ""]], [["t", "f8", "s", ""]] * 2, [["t", "f8", None, None]],
    ],
    ids=str,
)  # fmt: skip
def test_groups_that_are_none_are_refused(tmp_path: Path, variables: object) -> None:
    with pytest.raises(BadInput, match=r"facility\.json"):
        read(tmp_path, groups=[["loop", "", variables]])


@pytest.mark.parametrize("changes", [{"groups": [[None, "", []]]}, {"groups": 1}, {"pid": float("inf")}], ids=str)
def test_what_is_no_number_and_no_group_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"facility\.json"):
        read(tmp_path, **changes)
