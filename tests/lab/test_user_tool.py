"""``user_tool.val``: twelve keys, each once, each a usable number; everything else is refused with its line."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.core.errors import BadInput
from proxops.lab.cell import builtin
from proxops.lab.user_tool import KEYS, UserTool

QUIET = settings(max_examples=300, deadline=None, derandomize=True)
GOOD = [
    "USER_ROB1_TOOL_X=0.0", "USER_ROB1_TOOL_Y=140.0", "USER_ROB1_TOOL_Z=50.0",
    "USER_ROB1_TOOL_A=0.0", "USER_ROB1_TOOL_B=90.0", "USER_ROB1_TOOL_C=-90.0",
    "USER_ROB2_TOOL_X=0.0", "USER_ROB2_TOOL_Y=0.0", "USER_ROB2_TOOL_Z=480.0",
    "USER_ROB2_TOOL_A=0.0", "USER_ROB2_TOOL_B=-90.0", "USER_ROB2_TOOL_C=-90.0",
]  # fmt: skip  # Figure 24


def complaint(lines: list[str]) -> BadInput:
    with pytest.raises(BadInput) as caught:
        UserTool.parse("\n".join(lines), "tool.val")
    return caught.value


def test_figure_24_is_shipped_and_means_what_it_says() -> None:
    """Columns are port axes in flange axes; worked out at the top of test_coordinates."""
    for tool in (UserTool.read(builtin("tools", "user_tool.val")), UserTool.parse("\n".join(GOOD), "figure 24")):
        worked1 = [[0, -1, 0, 0.0], [0, 0, 1, 0.14], [-1, 0, 0, 0.05], [0, 0, 0, 1]]
        worked2 = [[0, 1, 0, 0.0], [0, 0, 1, 0.0], [1, 0, 0, 0.48], [0, 0, 0, 1]]
        np.testing.assert_allclose(tool.T_flange_port1, worked1, atol=1e-15)
        np.testing.assert_allclose(tool.T_flange_port2, worked2, atol=1e-15)


def test_swapped_exchanges_the_tools_and_says_so() -> None:
    tool = UserTool.parse("\n".join(GOOD), "tool.val")
    other = tool.swapped()
    np.testing.assert_array_equal(other.T_flange_port1, tool.T_flange_port2)
    np.testing.assert_array_equal(other.T_flange_port2, tool.T_flange_port1)
    assert "swapped" in other.source


def test_order_blanks_and_line_ends_do_not_matter() -> None:
    plain = UserTool.parse("\n".join(GOOD), "")
    loose = UserTool.parse("\r\n\r\n".join(line.replace("=", " = ") for line in reversed(GOOD)) + "\n\n\n", "")
    np.testing.assert_array_equal(plain.T_flange_port1, loose.T_flange_port1)
    np.testing.assert_array_equal(plain.T_flange_port2, loose.T_flange_port2)


@pytest.mark.parametrize("missing", range(12))
def test_every_key_is_needed(missing: int) -> None:
    found = complaint(GOOD[:missing] + GOOD[missing + 1 :])
    assert f"missing {KEYS[missing]}" in str(found)
    assert found.where == "tool.val"


def test_several_missing_keys_are_all_named() -> None:
    text = str(complaint(GOOD[:6]))
    assert all(key in text for key in KEYS[6:])
    assert not any(key in text for key in KEYS[:6])
    assert "missing" in str(complaint([]))


def test_a_key_given_twice_is_refused_even_with_the_same_value() -> None:
    text = str(complaint([*GOOD, GOOD[3]]))
    assert "tool.val, line 13" in text
    assert "USER_ROB1_TOOL_A" in text
    assert "twice" in text


@pytest.mark.parametrize(
    "line",
    [
        "garbage",
        "USER_ROB3_TOOL_X=1",
        "user_rob1_tool_x=1",
        "USER_ROB1_TOOL_D=1",
        "=5",
        "=",
        "# comment",
        "\x00",
        "X=1",
        "\ufeff",
    ],
)
def test_garbage_is_refused_with_line_value_and_bound(line: str) -> None:
    text = str(complaint([*GOOD[:4], line, *GOOD[4:]]))
    assert "tool.val, line 5" in text
    assert repr(line.strip()) in text
    assert "USER_ROB1|2_TOOL_X|Y|Z|A|B|C=number" in text


@pytest.mark.parametrize(
    "word", ["", "abc", "nan", "inf", "-inf", "1e400", "1,5", "0x10", "5 mm", "5=6", "1e30", "5000.1", "-5001", "1_0"]
)
def test_a_length_that_is_no_usable_number(word: str) -> None:
    text = str(complaint(["", f"USER_ROB1_TOOL_X={word}", *GOOD[1:]]))
    assert "tool.val, line 2" in text
    assert "USER_ROB1_TOOL_X" in text
    assert repr(word) in text
    assert "±5000 mm" in text


@pytest.mark.parametrize("word", ["361", "-360.001", "nan", "1e5", "ninety"])
def test_an_angle_that_is_no_usable_number(word: str) -> None:
    text = str(complaint([*GOOD[:11], f"USER_ROB2_TOOL_C={word}"]))
    assert "tool.val, line 12" in text
    assert repr(word) in text
    assert "±360 deg" in text


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n", b"\xff\xfe" + "\n".join(GOOD).encode("utf-16-le"), b"\0" * 100, b""]
)
def test_binary_and_empty_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tool.val"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"tool\.val"):
        UserTool.read(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.val"):
        UserTool.read(tmp_path / "none.val")
    with pytest.raises(BadInput):
        UserTool.read(tmp_path)


@given(st.text())
@QUIET
def test_any_text_is_refused_by_name(text: str) -> None:
    """No text that hypothesis invents holds all twelve keys."""
    with pytest.raises(BadInput, match="tool"):
        UserTool.parse(text, "tool.val")


lines = st.one_of(
    st.text(),
    st.sampled_from(GOOD),
    st.builds("{}={}".format, st.sampled_from(KEYS), st.one_of(st.floats(), st.text())),
)


@given(st.lists(lines, max_size=20), st.randoms(use_true_random=False))
@QUIET
def test_anything_like_a_tool_is_read_or_refused(extra: list[str], random: object) -> None:
    text = [*GOOD, *extra]
    random.shuffle(text)  # type: ignore[attr-defined]
    try:
        tool = UserTool.parse("\n".join(text), "tool.val")
    except BadInput as found:
        assert "tool.val, line " in str(found)
    else:
        assert np.isfinite(tool.T_flange_port1).all()
        assert np.isfinite(tool.T_flange_port2).all()


@given(st.lists(st.floats(-360, 360), min_size=12, max_size=12))
@QUIET
def test_written_and_read_is_the_same_tool(numbers: list[float]) -> None:
    tool = UserTool.parse("\n".join(f"{key}={value!r}" for key, value in zip(KEYS, numbers, strict=True)), "")
    for T, part in ((tool.T_flange_port1, numbers[:6]), (tool.T_flange_port2, numbers[6:])):
        np.testing.assert_array_equal(T[:3, 3], np.array(part[:3]) * 1e-3)
        a, b, c = (math.radians(v) for v in part[3:])
        assert T[2, 0] == pytest.approx(-math.sin(b), abs=1e-15)
        assert T[2, 1] == pytest.approx(math.cos(b) * math.sin(c), abs=1e-15)
        assert T[1, 0] == pytest.approx(math.sin(a) * math.cos(b), abs=1e-15)
