"""docs/missions.md and docs/experiments.md list the keys that the code reads, and the example is one."""

import re
import runpy
from pathlib import Path

import pytest

from proxops.core.mission import parse_mission

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["missions.md", "experiments.md"])
def test_keys_ranges_and_defaults_are_the_codes(name: str) -> None:
    lister = runpy.run_path(str(DOCS / "list_keys.py"))
    text = (DOCS / name).read_text()
    assert lister["page"](name, text) == text, "run python docs/list_keys.py"


def test_the_example_is_a_mission() -> None:
    found = re.search(r"```toml\n(.*?)```", (DOCS / "missions.md").read_text(), re.DOTALL)
    assert found
    assert parse_mission(found[1], Path("example.toml")).name == "example"
