"""What docs/vision.md says of the machine is what it does."""

from __future__ import annotations

import re
from pathlib import Path

from proxops.applications.mission.vision.designations import LAPSES_S
from proxops.core.vision_table import Vision
from proxops.core.vocabulary import DOUBTS, Doubt
from proxops.onboard.vision.machine import NEXT, WIDEST
from proxops.onboard.vision.prediction_width import WIDE

PAGE = (Path(__file__).parents[2] / "docs" / "vision.md").read_text()
MACHINE = PAGE.split("## SEARCH, TRACK, LOST\n")[1].split("\n## ")[0]


def rows(head: str) -> list[tuple[str, ...]]:
    """Of the table with that head."""
    table = re.search(rf"^\| {re.escape(head)} \|\n\|[-|]+\|\n((?:\|.*\n)+)", MACHINE, re.M)
    assert table, head
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table[1].splitlines()]


def test_states_lead_where_the_page_says() -> None:
    assert rows("from | when | to") == [(one.name, event, then.name) for (one, event), then in NEXT.items()]


def test_every_doubt_is_told_in_its_own_words() -> None:
    assert rows("doubt | in words") == [(doubt.name, DOUBTS[doubt]) for doubt in Doubt]


def test_numbers_of_the_page_are_those_of_the_machine() -> None:
    usual = Vision()
    assert f"(`lost_after`, {usual.lost_after})" in MACHINE
    assert f"(`search_s`, {usual.search_s:g} s" in MACHINE and f"`scan_search_s`, {usual.scan_search_s:g} s" in MACHINE
    assert f"{LAPSES_S:g} s after its image" in MACHINE
    share, turn = WIDEST
    assert f"above {100 * share:g} % of the distance or {turn * 57.29578:.0f} deg" in MACHINE
    share, turn = WIDE
    assert f"wider than {100 * share:g} % of the distance or {turn * 57.29578:.0f} deg" in MACHINE
