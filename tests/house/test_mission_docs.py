"""docs/missions.md lists the keys that the code reads, and its example is one."""

import re
import runpy
from pathlib import Path

from proxops.core.mission import parse_mission

DOCS = Path(__file__).parents[2] / "docs"


def test_keys_ranges_and_defaults_are_the_codes() -> None:
    lister = runpy.run_path(str(DOCS / "list_mission_keys.py"))
    text = (DOCS / "missions.md").read_text()
    assert lister["page"](text) == text, "run python docs/list_mission_keys.py"


def test_the_example_is_a_mission() -> None:
    found = re.search(r"```toml\n(.*?)```", (DOCS / "missions.md").read_text(), re.DOTALL)
    assert found
    assert parse_mission(found[1], Path("example.toml")).name == "example"
