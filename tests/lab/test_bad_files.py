"""Trajectories and user tools of strangers: BadInput or what they say, never anything else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.core.errors import BadInput
from proxops.lab import trajectory
from proxops.lab.cell import builtin
from proxops.lab.trajectory import LONGEST_LINE, parse_trajectory, read_trajectory
from proxops.lab.user_tool import UserTool

LINE = "3 " + " ".join(f"0.{k}" for k in range(22))
TOOL = builtin("tools", "user_tool.val").read_text()
PIECES = [*"130 \n\r\t\v\x1c\0-.=_#", "e9", "1e999", "nan", "inf", "9" * 400, LINE, "0x1"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
def test_any_text_is_a_trajectory_or_refused(text: str) -> None:
    try:
        assert np.isfinite(parse_trajectory(text, "file").values).all()
    except BadInput as refusal:
        assert len(str(refusal)) < 1000


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 500), st.integers(0, 100))
def test_any_bytes_are_a_tool_or_refused(
    tmp_path_factory: pytest.TempPathFactory, piece: bytes, at: int, cut: int
) -> None:
    data = TOOL.encode()
    path = tmp_path_factory.mktemp("fuzz") / "tool.val"
    path.write_bytes(data[:at] + piece + data[at + cut :])
    try:
        assert np.isfinite(UserTool.read(path).T_flange_port1).all()
    except BadInput as refusal:
        assert "tool.val" in str(refusal)


def test_lines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="line 2: line too long; got 4001 characters; allowed: 4000"):
        parse_trajectory(LINE + "\n" + "1" * (LONGEST_LINE + 1), "file")
    monkeypatch.setattr(trajectory, "MOST_LINES", 10)
    for end in "\n\r\v\x1e":
        with pytest.raises(BadInput, match="too many lines; got 11; allowed: 10"):
            parse_trajectory((LINE + end) * 11, "file")


def test_many_lines_read_as_few(tmp_path: Path) -> None:
    """Words are made of some thousand lines at a time; the numbers are the same."""
    count = trajectory.BATCH + 3
    path = tmp_path / "long.txt"
    path.write_text("".join(f"3 {k / 7} " + LINE[6:] + "\n" for k in range(count)))
    read = read_trajectory(path)
    assert len(read) == count
    assert (read.values[:, 0] == np.arange(count) / 7).all()
    assert (read.values[:, 1:] == read.values[0, 1:]).all()
