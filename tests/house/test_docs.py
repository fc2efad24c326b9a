"""Pages tell the truth: tables of docs/safety.md equal the code, byte layouts equal the packer, links and commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from proxops.core.datagram import ANSWER_SIZE, COMMAND_SIZE, Refusal
from proxops.core.frames import FRAMES
from proxops.core.vocabulary import Mode
from proxops.facility.events import ALARMS
from proxops.safety.interlocks import DRIVES_DROP, KINDS
from proxops.safety.modes import NEXT
from proxops.safety.rules import RULES, Category

ROOT = Path(__file__).parents[2]
SAFETY = (ROOT / "docs" / "safety.md").read_text()
INTERFACES = (ROOT / "docs" / "interfaces.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def rows(text: str, heading: str) -> list[list[str]]:
    """Cells of the first table under a heading, without its head."""
    lines = text.split(f"## {heading}\n", 1)[1].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|---"))
    table = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def test_every_rule_is_on_the_page_with_its_number_and_what_it_does_to_the_drives() -> None:
    told = {(r[0], r[1], r[2], r[4]) for r in rows(SAFETY, "Rules")}
    known = {
        (str(int(rule)), rule.name, entry.text, "off" if entry.category is Category.DRIVES_OFF else "on")
        for rule, entry in RULES.items()
    }
    assert told == known


def test_every_transition_is_on_the_page() -> None:
    assert {tuple(r) for r in rows(SAFETY, "Modes")} == {(m.name, e.value, n.name) for (m, e), n in NEXT.items()}


def test_every_kind_of_interlock_and_every_alarm_is_on_the_page() -> None:
    told = {(r[0], r[1], r[3]) for r in rows(SAFETY, "Interlocks")}
    assert told == {(kind, rule.name, "off" if kind in DRIVES_DROP else "on") for kind, (rule, _) in KINDS.items()}
    for alarm in ALARMS:
        assert alarm in SAFETY


@pytest.mark.parametrize(("name", "size"), [("Command", COMMAND_SIZE), ("Answer", ANSWER_SIZE)])
def test_byte_layouts_are_gapless_and_as_long_as_the_packer_says(name: str, size: int) -> None:
    part = INTERFACES.split(f"**{name}, {size} bytes**", 1)[1]
    fields = re.findall(r"^\| (\d+) \| (\d+) \|", part.split("\n\n", 2)[1], re.MULTILINE)
    at = 0
    for offset, length in fields:
        assert int(offset) == at
        at += int(length)
    assert at == size


def test_refusals_and_modes_are_named_on_the_page() -> None:
    for refusal in Refusal:
        if refusal:
            assert re.search(rf"\b{int(refusal)} {refusal.name}\b", INTERFACES)
    for mode in Mode:
        assert f"{int(mode)} {mode.name}" in INTERFACES


def test_every_frame_is_on_the_page() -> None:
    page = (ROOT / "docs" / "frames.md").read_text()
    for frame in FRAMES:
        assert re.search(rf"\b{frame}\b", page), frame


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_on_the_pages_exist(page: Path) -> None:
    """Every `proxops …` on a page is a command with that name."""
    words = set(re.findall(r"proxops (ctl [a-z-]+|log [a-z]+|[a-z]+)", page.read_text())) - {"ctl", "log"}
    for word in sorted(words):
        if word.split()[0] not in ("play", "convert", "serve", "ctl", "log", "doctor"):
            continue  # prose
        done = subprocess.run([sys.executable, "-m", "proxops.cli", *word.split(), "--help"], capture_output=True)
        assert done.returncode == 0, word


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("0*.py")), ids=lambda p: p.name)
def test_examples_run(example: Path) -> None:
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_readme_fits_one_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 50
