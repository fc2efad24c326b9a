"""docs/flight_software.md says what the code does: bytes, words, causes of failure, limits."""

from __future__ import annotations

import re
import struct
from enum import IntEnum
from pathlib import Path

import pytest

from proxops.applications.mission import (
    flight_child,
    flight_free_running,
    flight_host,
    flight_judgement,
    flight_line,
    flight_link,
    flight_process,
)
from proxops.core.channel import FLIGHT_PORT
from proxops.core.flight_datagram import (
    COMMANDS_LAYOUT,
    COMMANDS_SIZE,
    END,
    ESTIMATE_VALID,
    FAILED,
    GOAL_VALID,
    ISOLATED_VALID,
    MAX_RELATIVE,
    MEASUREMENTS_LAYOUT,
    MEASUREMENTS_SIZE,
    START,
)
from proxops.core.messages import MAX_THRUSTERS, MAX_WHEELS
from proxops.core.mission import Flight
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "flight_software.md").read_text()
TYPES = {"s": "bytes", "B": "uint8", "H": "uint16", "I": "uint32", "Q": "uint64", "q": "int64", "d": "float64"}
MODULES = (flight_free_running, flight_host, flight_judgement, flight_line, flight_link, flight_process)
Layout = tuple[tuple[str, str], ...]


def table(name: str, size: int) -> list[tuple[str, str, str, str]]:
    part = PAGE.split(f"**{name}, {size} bytes**", 1)[1].split("\n\n", 2)[1]
    return re.findall(r"^\| (\d+) \| (\d+) \| ([^|]+) \| (.+) \|$", part, re.MULTILINE)


def written(layout: Layout) -> list[tuple[int, int, str]]:
    """Rows (offset, bytes, type) that a layout would have on the page, with the CRC that ends it."""
    rows, at = [], 0
    for _, code in (*layout, ("crc", "I")):
        count, size = code[:-1], struct.calcsize("<" + code)
        rows.append((at, size, f"{count} {TYPES[code[-1]]}" if count and code[-1] != "s" else TYPES[code[-1]]))
        at += size
    return rows


@pytest.mark.parametrize(
    ("name", "size", "layout"),
    [("Measurements", MEASUREMENTS_SIZE, MEASUREMENTS_LAYOUT), ("Commands", COMMANDS_SIZE, COMMANDS_LAYOUT)],
)
def test_the_page_shows_the_layout_without_gaps(name: str, size: int, layout: Layout) -> None:
    told = [(int(offset), int(length), kind) for offset, length, kind, _ in table(name, size)]
    assert told == written(layout)
    assert sum(length for _, length, _ in told) == size


def test_the_page_names_flags_and_counts() -> None:
    questions = {offset: text for offset, _, _, text in table("Measurements", MEASUREMENTS_SIZE)}
    answers = {offset: text for offset, _, _, text in table("Commands", COMMANDS_SIZE)}
    assert (START, END) == (1 << 0, 1 << 1)
    assert questions["5"] == "flags: bit 0 START, bit 1 END"
    assert (ISOLATED_VALID, ESTIMATE_VALID, GOAL_VALID, FAILED) == (1 << 0, 1 << 1, 1 << 2, 1 << 3)
    assert answers["5"].startswith("flags: bit 0 valves valid, bit 1 estimate valid, bit 2 goal valid, bit 3 FAILED")
    assert questions["6"] == f"number of thrusters, up to {MAX_THRUSTERS}"
    assert questions["7"] == f"number of wheels, up to {MAX_WHEELS}"
    assert questions["24"] == f"number of relative measurements, up to {MAX_RELATIVE}"


@pytest.mark.parametrize(("heading", "words"), [("Phases", MissionPhase), ("Causes of an abort", AbortCause)])
def test_the_page_names_every_number(heading: str, words: type[IntEnum]) -> None:
    part = PAGE.split(f"### {heading}\n", 1)[1].strip().splitlines()[0]
    assert part == ", ".join(f"{int(word)} {word.name}" for word in words)


def test_the_page_tells_the_limits_of_the_code() -> None:
    flat = " ".join(PAGE.split())
    limit_ms = Flight().limit_ms
    assert f"`flight.limit_ms` of wall time ({limit_ms:g} unless" in flat
    assert f"the first one {flight_host.START_S:g} s" in flat
    assert f"interrupted at {flight_host.LATE:g} times the limit" in flat
    assert f"killed {flight_process.GRACE_S:g} s later" in flat
    assert f"together may take {flight_process.LOAD_S:g} s, `close` {flight_process.CLOSE_S:g} s" in flat
    assert f"{flight_child.ADDRESS_SPACE >> 30} GiB of address space" in flat
    assert f"beyond {flight_judgement.TORQUE_MAX_N_M:g} N m" in flat
    assert f"off by more than {flight_judgement.UNIT_TOLERANCE:g}" in flat
    assert flight_judgement.ROUNDING_S == 1e-9  # "1 ns"
    assert f"repeated every {flight_link.REPEAT_S:g} s" in flat
    assert f"for up to {flight_line.START_S:g} s" in flat
    assert f"hold their last torque for {flight_free_running.WHEEL_HOLD} flight cycles" in flat
    assert f"up to {flight_free_running.READ_MOST} datagrams" in flat
    assert f"UDP, port {FLIGHT_PORT} unless" in flat
    assert MissionEnd.FLIGHT_SOFTWARE.name in flat


def test_every_cause_that_the_code_gives_is_on_the_page() -> None:
    """The first words of every message, up to what varies."""
    source = "".join(Path(str(module.__file__)).read_text() for module in MODULES)
    named = re.findall(r'FlightSoftwareFailed\(\s*f?"([a-z][^"{:]*)', source) + re.findall(
        r'return f"(no [^{]*)', source
    )
    told = PAGE.split("## Failures\n", 1)[1].split("\n## ", 1)[0]
    assert len(named) > 12
    for words in {words.strip() for words in named}:
        assert words in told, words
    for words in ("is negative", "is longer than a cycle", "is absurd"):
        assert words in source
        assert words in told
