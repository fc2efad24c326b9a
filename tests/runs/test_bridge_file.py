"""What an operator sets on the bridge of a served hall."""

import math
from pathlib import Path

import pytest

from proxops.core.errors import BadInput
from proxops.runs.bridge_file import read_bridge_file


def test_limits_and_roles_are_those_of_the_table(tmp_path: Path) -> None:
    file = tmp_path / "bridge.toml"
    file.write_text("[bridge]\nspeed_m_s = 0.02\nrate_deg_s = 0.5\nchaser_on = 2\n")
    settings = read_bridge_file(file)
    assert settings.exchanged and settings.joining_limits == (0.02, math.radians(0.5))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[bridge]\nchaser_on = 3\n", "bridge.chaser_on: out of range"), ("[bridge]\nspeed = 1\n", "bridge.speed"),
        ("[bridge]\nspeed_m_s = 0.0\n", "bridge.speed_m_s: out of range"), ("", "bridge"), ("[client]\n[bridge]\n", "client"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_named(tmp_path: Path, text: str, word: str) -> None:
    (tmp_path / "bridge.toml").write_text(text)
    with pytest.raises(BadInput, match=word):
        read_bridge_file(tmp_path / "bridge.toml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.toml"):
        read_bridge_file(tmp_path / "none.toml")
