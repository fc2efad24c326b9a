"""Files that users name: plain and bounded, or one clear error; nothing else is even opened."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from proxops.applications.catalogue import load
from proxops.arms.urdf import readable
from proxops.core.errors import BadInput
from proxops.core.tool_load_file import read_tool_load
from proxops.core.user_file import demand_file, read_bytes, read_text
from proxops.core.xml_text import load_xml
from proxops.ground.align import _read as read_table
from proxops.ground.log import Log
from proxops.ground.log_file import LogFile
from proxops.ground.overview import overview_of
from proxops.ground.recover import recover
from proxops.lab.any_cell import load_cell
from proxops.lab.trajectory import read_trajectory
from proxops.lab.urdf import Model
from proxops.lab.user_tool import UserTool

READERS: dict[str, Callable[[Path], object]] = {
    "bytes": lambda path: read_bytes(path, "the file", 100),
    "demand": lambda path: demand_file(path, "the file", 100),
    "scenario": load,
    "cell": load_cell,
    "tool": UserTool.read,
    "tool load": read_tool_load,
    "trajectory": read_trajectory,
    "robot model": Model,
    "URDF": readable,
    "table": lambda path: read_table(path, None, None),
    "log": Log.open,
    "pieces of a log": LogFile,
    "overview": overview_of,
    "recover": lambda path: recover(path, path.with_name("out.mcap")),
}


@pytest.fixture
def odd(tmp_path: Path) -> dict[str, Path]:
    """Whatever is no plain file. The names end in .toml: a scenario is known by that."""
    (tmp_path / "pipe.toml").unlink(missing_ok=True)
    os.mkfifo(tmp_path / "pipe.toml")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket.toml"))
    (tmp_path / "device.toml").symlink_to("/dev/zero")
    (tmp_path / "folder.toml").mkdir()
    return {kind: tmp_path / f"{kind}.toml" for kind in ("pipe", "socket", "device", "folder")}


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_plain_file_is_refused_unopened(odd: dict[str, Path], reader: str) -> None:
    for kind, path in odd.items():
        with pytest.raises(BadInput, match=rf"{kind}\.toml: cannot read the .*; got a {kind}; allowed: a plain file"):
            READERS[reader](path)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_there(tmp_path: Path, reader: str) -> None:
    for path in (tmp_path / "gone.toml", tmp_path / "null\0.toml", tmp_path / ("long" * 100 + ".toml")):
        with pytest.raises(BadInput, match="cannot read the"):
            READERS[reader](path)


def test_size_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert len(read_bytes(path, "the file", 100)) == 100
    with pytest.raises(BadInput, match="the file is too large; got 100 bytes; allowed: 99 bytes"):
        read_bytes(path, "the file", 99)
    os.truncate(path, 2**40)  # sparse: nothing on the disk
    for reader in ("scenario", "cell", "tool", "tool load", "trajectory", "robot model", "URDF", "table", "demand"):
        named = path.rename(path.with_suffix(".toml"))
        with pytest.raises(BadInput, match=f"is too large; got {2**40} bytes"):
            READERS[reader](named)
        path = named.rename(path)


def test_a_file_that_says_it_is_empty_and_is_not() -> None:
    assert os.stat("/proc/cpuinfo").st_size == 0
    with pytest.raises(BadInput, match="too large"):
        read_bytes(Path("/proc/cpuinfo"), "the file", 10)


def test_text_is_text(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\nb\rc\n\xff")
    with pytest.raises(BadInput, match="the file is not text in UTF-8; got byte 0xff at offset 7"):
        read_text(path, "the file", 100)
    path.write_bytes(b"a\r\nb\rc\n")
    assert read_text(path, "the file", 100) == "a\nb\nc\n"


def test_a_message_never_repeats_a_whole_file() -> None:
    assert len(str(BadInput("too long", value="x" * 10**6))) < 300
    assert "too large to show" in str(BadInput("too long", value=16**9999))
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    assert "too large to show" in str(BadInput("too deep", value=deep))


def test_xml_without_end(tmp_path: Path) -> None:
    path = tmp_path / "model.urdf"
    path.write_text("<a>" * 100_000)
    with pytest.raises(BadInput, match="elements are nested too deep; got 65 or more; allowed: at most 64"):
        readable(path)
    names = "".join(f'<!ENTITY e{i + 1} "&e{i};&e{i};&e{i};&e{i};&e{i};&e{i};&e{i};&e{i};">' for i in range(12))
    path.write_text(f'<!DOCTYPE r [<!ENTITY e0 "ha">{names}]><robot name="&e12;"/>')
    with pytest.raises(BadInput, match="declares entities"):
        load_xml(path, "the URDF")
