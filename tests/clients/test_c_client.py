"""The C client: compiles without a warning as C99 and C++17, knows the numbers of the Python side, agrees bit for bit."""

from __future__ import annotations

import hmac
import random
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

from proxops.core import bridge_datagram
from proxops.core.bridge_datagram import BridgeCommand, BridgeStatus, pack_command, pack_status, unpack_command
from proxops.core.channel import BRIDGE_PORT
from proxops.core.datagram import Refusal
from proxops.core.keyed_datagram import BRIDGE_LABEL, pack_challenge, port_key, seal
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone

HERE = Path(__file__).parent
CLIENT = HERE.parents[1] / "clients" / "c"
HEADER = (CLIENT / "proxops_bridge.h").read_text()
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", f"-I{CLIENT}"]
DIALECTS = {"c99": (("cc", "gcc"), ["-x", "c", "-std=c99"]), "c++17": (("c++", "g++"), ["-x", "c++", "-std=c++17"])}
FAMILIES: dict[str, type[IntEnum]] = {
    "PHASE": Phase, "INPUT": InputState, "ZONE": Zone, "CAUSE": Standstill, "MODE": Mode, "REFUSAL": Refusal,
}  # fmt: skip
Words = dict[str, dict[str, int]]
ANY = BridgeCommand(1, 2, (0.0,) * 7, (0.0,) * 7)


def known() -> Words:
    return {family: {w.name: int(w) for w in words} for family, words in FAMILIES.items()}


def built(dialect: str, source: Path, out: Path) -> Path:
    names, standard = DIALECTS[dialect]
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        pytest.fail(f"none of {', '.join(names)} is here: install g++ (bash tools/system_packages.sh as root does it)")
    done = subprocess.run(
        [compiler, *STRICT, *standard, str(source), "-o", str(out), "-lm"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return out


@pytest.fixture(scope="module", params=DIALECTS)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("c")
    sources = {"probe": HERE / "probe.c", "example": CLIENT / "example.c"}
    return {name: built(request.param, source, folder / name) for name, source in sources.items()}


# --- the header as a text ---


def test_the_header_has_our_numbers() -> None:
    told: Words = {family: {} for family in FAMILIES}
    for family, word, number in re.findall(r"\bX\((\w+), (\w+), (\d+)\)", HEADER):
        told[family][word] = int(number)
    assert told == known()


@pytest.mark.parametrize("name", ["COMMAND", "STATUS"])
def test_the_header_has_our_layout(name: str) -> None:
    offsets, at = {}, 0
    for field, code in (*getattr(bridge_datagram, f"{name}_LAYOUT"), ("crc", "I")):
        offsets[field.upper()] = at
        at += struct.calcsize("<" + code)
    told = re.findall(rf"^#define PXB_{name}_AT_(\w+) (\d+)\b", HEADER, re.MULTILINE)
    assert {field: int(offset) for field, offset in told} == offsets
    assert defined(f"{name}_SIZE") == at == getattr(bridge_datagram, f"{name}_SIZE")


def defined(name: str) -> int:
    found = re.search(rf"^#define PXB_{name} (\d+)u?\b", HEADER, re.MULTILINE)
    assert found, name
    return int(found[1])


def test_the_header_has_our_flags_port_and_version() -> None:
    for flag in ("VELOCITIES_VALID", "SUN_VALID", "CONVERGED", "MOVING", "MASTER", "VELOCITIES_USED"):
        assert defined(f"FLAG_{flag}") == getattr(bridge_datagram, flag)
    assert defined("PORT") == BRIDGE_PORT
    assert defined("VERSION") == bridge_datagram.VERSION
    for magic in (bridge_datagram.COMMAND_MAGIC, bridge_datagram.STATUS_MAGIC):
        assert f'"{magic.decode()}", 4)' in HEADER


def test_the_example_stays_short() -> None:
    assert len((CLIENT / "example.c").read_text().splitlines()) <= 30


# --- the client at work ---


class Probe:
    """A process that does with the header what it is told."""

    def __init__(self, program: Path, port: int) -> None:
        command = [str(program), "127.0.0.1", str(port)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words: object) -> list[str]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().split()

    def send(self, command: BridgeCommand, velocities: int | None = None) -> int:
        given = 0 if command.chaser_velocity is None else 3
        doubles = (
            *command.chaser, *command.target, *(command.chaser_velocity or [9.0] * 6),
            *(command.target_velocity or [9.0] * 6), *(command.sun or [9.0] * 3),
        )  # fmt: skip
        flags = given if velocities is None else velocities, int(command.sun is not None)
        return int(self.ask("send", command.sequence, command.sent_ns, *flags, *map(bits, doubles))[0])

    def receive(self) -> tuple[tuple[int, int, int], list[str]]:
        """(new, heard, ignored), and the fields of the newest status."""
        fresh, heard, ignored, *fields = self.ask("receive", 2000)
        return (int(fresh), int(heard), int(ignored)), fields

    def end(self) -> int:
        self._process.communicate(timeout=10)
        return self._process.returncode


def bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def fields_of(s: BridgeStatus) -> list[str]:
    """What the probe prints of a status, from the Python side of it."""
    flags = (s.converged, s.moving, s.master, s.velocities_used)
    words = (s.phase, s.input_state, s.commanded_zone, s.actual_zone, s.cause, s.mode, s.rule, s.refusal)
    doubles = (s.left_m, s.left_rad, s.left_s, s.commanded_clearance_m, s.actual_clearance_m, s.yellow_m)
    counts = (s.taken, s.lost, s.extrapolated, s.stale, s.refused, s.doubled)
    numbers = (sum(f << i for i, f in enumerate(flags)), *words, *flags, s.sequence, s.sent_ns, s.utc_ns, s.tick)
    return (
        [str(int(n)) for n in numbers] + [bits(v) for v in (*doubles, *s.chaser, *s.target)] + [str(c) for c in counts]
    )


@pytest.fixture
def probe(programs: dict[str, Path], hall: Any) -> Iterator[Probe]:
    process = Probe(programs["probe"], hall.address[1])
    yield process
    assert process.end() == 0


def test_the_compiled_words_are_ours(probe: Probe) -> None:
    *words, unknown = probe.ask("names")
    told: Words = {family: {} for family in FAMILIES}
    for family, word, number in (re.split(r"[.=]", text) for text in words):
        told[family][word] = int(number)
    assert told == known()
    assert unknown == "?"


def test_commands_are_the_same_bit_for_bit(probe: Probe, hall: Any) -> None:
    """Random values of all sizes and the odd ones; judged by the packer, which a test of its own holds to the page."""
    rng = random.Random(20)
    odd = [0.0, -0.0, 5e-324, -1.7976931348623157e308, float("inf"), float("nan"), 0.1, 1 / 3]

    def some(count: int) -> tuple[float, ...]:
        return tuple(
            rng.choice(odd) if rng.random() < 0.3 else rng.gauss(0.0, 10.0 ** rng.randint(-9, 9)) for _ in range(count)
        )

    for _ in range(40):
        speeds = (some(6), some(6)) if rng.random() < 0.5 else (None, None)
        sun = some(3) if rng.random() < 0.5 else None
        sequence, sent_ns = rng.randrange(1, 2**63), rng.randrange(-(2**63), 2**63)
        command = BridgeCommand(sequence, sent_ns, some(7), some(7), *speeds, sun)
        assert probe.send(command) == 0
        assert hall.take() == pack_command(command)


def test_one_velocity_alone_is_an_error_and_nothing_is_sent(probe: Probe, hall: Any) -> None:
    assert probe.send(ANY, velocities=1) == -1
    assert probe.send(ANY, velocities=2) == -1
    assert probe.send(replace(ANY, sequence=3)) == 0
    assert int.from_bytes(hall.take()[8:16], "little") == 3


def met(probe: Probe, hall: Any) -> None:
    """The hall knows where to answer."""
    assert probe.send(ANY) == 0
    hall.take()


def test_statuses_are_the_same_bit_for_bit(probe: Probe, hall: Any, status: BridgeStatus) -> None:
    met(probe, hall)
    others = (
        replace(
            status, converged=False, moving=True, master=False, velocities_used=True, tick=2**64 - 1, utc_ns=2**63 - 1
        ),
        replace(status, tick=2**64 - 1, utc_ns=-(2**63), sequence=0, sent_ns=-1, phase=Phase.HALTING, rule=255),
    )
    for count, sent in enumerate((status, *others), 1):
        hall.answer(pack_status(sent))
        assert probe.receive() == ((1, count, 0), fields_of(sent))


def test_hostile_statuses_are_passed_over(probe: Probe, hall: Any, status: BridgeStatus) -> None:
    """Short, long, empty, foreign, of another version, and with every single bit flipped: the status before stays."""
    met(probe, hall)
    good = pack_status(status)
    hall.answer(good)
    assert probe.receive() == ((1, 1, 0), fields_of(status))
    other = pack_status(replace(status, tick=status.tick + 1))
    hall.answer(b"", other[:-1], other[:16], other + b"\0", b"\0" * 236, b"PXBS" * 59, pack_command(ANY))
    assert probe.receive() == ((0, 1, 7), fields_of(status))
    ignored = 7
    for at in range(0, len(other), 8):  # 64 at a time: no socket's buffer overflows
        damaged = [flipped(other, at + byte, bit) for byte in range(min(8, len(other) - at)) for bit in range(8)]
        hall.answer(*damaged)
        ignored += len(damaged)
        assert probe.receive() == ((0, 1, ignored), fields_of(status))
    hall.answer(other)
    assert probe.receive()[0] == (1, 2, ignored)


def flipped(data: bytes, at: int, bit: int) -> bytes:
    damaged = bytearray(data)
    damaged[at] ^= 1 << bit
    return bytes(damaged)


def test_the_newest_status_counts(probe: Probe, hall: Any, status: BridgeStatus) -> None:
    met(probe, hall)
    later = replace(status, tick=status.tick + 1, utc_ns=status.utc_ns + 1)
    anew = replace(status, tick=1, utc_ns=status.utc_ns + 2)  # a facility started again
    hall.answer(pack_status(status), pack_status(later), pack_status(status))
    assert probe.receive() == ((1, 2, 0), fields_of(later))
    hall.answer(pack_status(anew))
    assert probe.receive() == ((1, 3, 0), fields_of(anew))


# --- under a key ---

KEY = bytes(range(7, 39))


def test_codes_are_those_of_the_standard_library(probe: Probe) -> None:
    """Keys and texts round the edges of SHA-256's blocks, and a vector of RFC 4231."""
    rng = random.Random(21)
    texts = [b"", b"a", *(rng.randbytes(n) for n in (55, 56, 63, 64, 65, 119, 120, 280, 1000))]
    for key in (b"", b"k", *(rng.randbytes(n) for n in (32, 63, 64, 65, 200))):
        for text in texts:
            (told,) = probe.ask("hmac", key.hex() or "-", text.hex() or "-")
            assert bytes.fromhex(told) == hmac.digest(key, text, "sha256")
    (told,) = probe.ask("hmac", b"Jefe".hex(), b"what do ya want for nothing?".hex())
    assert told == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"


def test_under_a_key_commands_and_statuses_are_those_of_python(probe: Probe, hall: Any, status: BridgeStatus) -> None:
    done, session = map(int, probe.ask("key", KEY.hex()))
    key = port_key(KEY, BRIDGE_LABEL)
    assert done == 0 and session != 0
    assert probe.send(ANY) == 0
    assert hall.take() == seal(pack_command(ANY), key, session, 0)
    hall.answer(pack_challenge(key, session + 1, 5), pack_challenge(key, session, 77))  # another's, and ours
    assert probe.receive()[0] == (0, 0, 2)
    assert probe.send(ANY) == 0
    assert hall.take() == seal(pack_command(ANY), key, session, 77)
    good = seal(pack_status(status), key, session, 78)
    hall.answer(
        pack_status(status),
        seal(pack_status(status), key, session + 1, 78),
        good[:-1] + bytes([good[-1] ^ 1]),
        good + b"?",
    )
    assert probe.receive()[0] == (0, 0, 6)
    hall.answer(good)
    assert probe.receive() == ((1, 1, 6), fields_of(status))
    assert probe.send(ANY) == 0
    assert hall.take() == seal(pack_command(ANY), key, session, 78)


def test_a_short_key_is_an_error(probe: Probe) -> None:
    assert probe.ask("key", KEY[:15].hex())[0] == "-1"


def test_an_address_that_is_none_is_an_error(programs: dict[str, Path]) -> None:
    done = subprocess.run([str(programs["probe"]), "nowhere", "1"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pxb_open" in done.stderr


def test_the_example_flies_its_approach(programs: dict[str, Path], hall: Any, status: BridgeStatus) -> None:
    """20 m until the hall has converged, then 0.2 mm a cycle; at 7000 km doubles are 1 nm apart."""
    example = subprocess.Popen(
        [str(programs["example"]), "1.2", str(hall.address[1])], stdout=subprocess.PIPE, text=True
    )
    steps, before = [], 20.0
    for k in range(300):
        command = unpack_command(hall.take())
        hall.answer(pack_status(replace(status, tick=k, utc_ns=k, converged=k >= 5)))
        distance = sum((a - b) ** 2 for a, b in zip(command.chaser[:3], command.target[:3], strict=True)) ** 0.5
        steps.append(before - distance)
        before = distance
        assert (command.sequence, command.chaser[3:]) == (k + 1, command.target[3:])
    out, _ = example.communicate(timeout=20)
    assert example.returncode == 0
    begin = next(k for k, step in enumerate(steps) if step > 1e-4)
    assert begin > 5
    assert steps == pytest.approx([0.0] * begin + [0.05 * 0.004] * (300 - begin), abs=1e-8)
    assert "CONVERGING  cause LIMIT" in out


def test_the_example_says_so_when_nobody_answers(programs: dict[str, Path], hall: Any) -> None:
    done = subprocess.run(
        [str(programs["example"]), "360", str(hall.address[1])], capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 0
    assert done.stdout == "no facility answers: start one with proxops serve --bridge\n"
