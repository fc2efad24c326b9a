"""Trajectory files: whatever the text, it is either a motion or one clear message with line, value and bound."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.coordinates import POV_AT_LAB, values_from_axes
from proxops.lab.trajectory import (
    BadLine,
    Trajectory,
    axes_of,
    format_lines,
    line_errors,
    line_faults,
    parse_trajectory,
    read_trajectory,
)
from proxops.lab.user_tool import UserTool

QUIET = settings(max_examples=300, deadline=None, derandomize=True)
IJT_LINE = "3 0 -90 90 0 0 0 0 0 -90 90 0 0 0 0 0 0 0 0 0 0 0 6000"
CLW_LINE = "1 4.39 -0.14 0.445 0.6 0 0 0.8 2.16 1.5 0.445 0 0 0 1 0 0 0 0 0 0 1 1.56"

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def third_line(line: str) -> BadInput:
    """The complaint about ``line`` when it is the third of four."""
    with pytest.raises(BadInput) as caught:
        parse_trajectory("\n".join((IJT_LINE, CLW_LINE, line, IJT_LINE, "")), "a.txt")
    return caught.value


def with_word(line: str, column: int, word: str) -> str:
    """``line`` with another word in ``column`` (from 1, as messages count)."""
    words = line.split()
    words[column - 1] = word
    return " ".join(words)


def test_the_examples_are_good() -> None:
    assert [len(line.split()) for line in (IJT_LINE, CLW_LINE)] == [23, 23]
    trajectory = parse_trajectory(f"{IJT_LINE}\n{CLW_LINE}\n", "a.txt")
    assert trajectory.systems.tolist() == [3, 1]
    assert trajectory.values.shape == (2, 22)
    assert trajectory.values[0, [1, 21]].tolist() == [-90.0, 6000.0]
    assert trajectory.duration_s == 0.004


# --- each kind of bad input: line, value and bound are in the message ---

BAD = {
    "truncated": (" ".join(IJT_LINE.split()[:22]), ("22 columns", "23")),
    "padded": (IJT_LINE + " 0 0 0", ("26 columns", "23")),
    "24th column": (IJT_LINE + " 0", ("24 columns", "23")),
    "blank": ("", ("0 columns", "23")),
    "only blanks": (" \t ", ("0 columns", "23")),
    "text instead of a line": ("hello world", ("2 columns", "23")),
    "commas": (",".join(IJT_LINE.split()), ("1 columns", "23")),
    "comment": ("# " + IJT_LINE, ("24 columns", "23")),
    "NaN": (with_word(IJT_LINE, 5, "NaN"), ("column 5", "nan", "finite")),
    "Inf": (with_word(IJT_LINE, 23, "Inf"), ("column 23", "inf", "finite")),
    "-infinity": (with_word(IJT_LINE, 2, "-infinity"), ("column 2", "-inf", "finite")),
    "overflow": (with_word(IJT_LINE, 3, "1e400"), ("column 3", "inf", "finite")),
    "NaN in an unused column": (with_word(IJT_LINE, 17, "nan"), ("column 17", "nan", "finite")),
    "mode word 0": (with_word(IJT_LINE, 1, "0"), ("column 1", "0", "1 (CLW), 2 (GLC), 3 (IJT) or 4 (IDC)")),
    "mode word 5": (with_word(IJT_LINE, 1, "5"), ("column 1", "got 5", "1 (CLW)")),
    "mode word -3": (with_word(IJT_LINE, 1, "-3"), ("column 1", "got -3", "1 (CLW)")),
    "alive bit": (with_word(IJT_LINE, 1, "16387"), ("column 1", "16387", "1 (CLW)")),
    "int16 overflow": (with_word(IJT_LINE, 1, "65539"), ("column 1", "65539", "1 (CLW)")),
    "int64 overflow": (with_word(IJT_LINE, 1, "36893488147419103235"), ("column 1", "36893488147419103235", "1 (CLW)")),
    "float mode word": (with_word(IJT_LINE, 1, "3.0"), ("column 1", "'3.0'", "1 (CLW)")),
    "mode word in words": (with_word(IJT_LINE, 1, "IJT"), ("column 1", "'IJT'", "1 (CLW)")),
    "hexadecimal mode word": (with_word(IJT_LINE, 1, "0x3"), ("column 1", "'0x3'", "1 (CLW)")),
    "not unit, robot 1": (with_word(CLW_LINE, 8, "0.81"), ("columns 5-8", "1.00801", "1 ± 1e-06")),
    "not unit, robot 2": (with_word(CLW_LINE, 15, "0.999"), ("columns 12-15", "0.999", "1 ± 1e-06")),
    "not unit, point of view": (with_word(CLW_LINE, 22, "0"), ("columns 19-22", "norm 0", "1 ± 1e-06")),
    "huge quaternion": (with_word(CLW_LINE, 8, "1e200"), ("columns 5-8", "inf", "1 ± 1e-06")),
}


@pytest.mark.parametrize(("line", "words"), BAD.values(), ids=BAD)
def test_bad_line_is_named_with_value_and_bound(line: str, words: tuple[str, ...]) -> None:
    complaint = third_line(line)
    assert complaint.where == "a.txt, line 3"
    for word in words:
        assert word in str(complaint)
    assert complaint.bound


@pytest.mark.parametrize("word", ["abc", "1.2.3", "--1", "0,5", "1e", "0x10", "1\x00", "\x000", "1d3", "½"])
@pytest.mark.parametrize("column", [2, 13, 23])
def test_text_in_a_column_is_named_with_value_and_bound(word: str, column: int) -> None:
    complaint = third_line(with_word(IJT_LINE, column, word))
    assert complaint.where == "a.txt, line 3"
    assert f"column {column} " in str(complaint)
    assert repr(word) in str(complaint)
    assert complaint.bound, "says what it got, but not what is allowed"


@pytest.mark.parametrize("word", ["1_000", "1_0.5", "1e1_0"])
def test_pythons_underscores_are_text(word: str) -> None:
    """Python's ``float`` reads them, the file format does not know them."""
    assert repr(word) in str(third_line(with_word(IJT_LINE, 4, word)))


def test_an_endless_mode_word_is_refused() -> None:
    assert "column 1" in str(third_line(with_word(IJT_LINE, 1, "3" * 3900)))


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "  \r\n \t ", "\x0c"])
def test_empty(text: str) -> None:
    with pytest.raises(BadInput, match=r"a\.txt: .*empty.*23 columns"):
        parse_trajectory(text, "a.txt")


def test_a_blank_first_line_is_line_1() -> None:
    with pytest.raises(BadInput, match=r"line 1: 0 columns"):
        parse_trajectory(f"\n{IJT_LINE}\n", "a.txt")


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\r\n\r\n  \n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_of_other_machines_and_blank_last_lines_are_no_fault(newline: str, end: str) -> None:
    trajectory = parse_trajectory(newline.join((IJT_LINE, CLW_LINE, IJT_LINE)) + end, "a.txt")
    assert trajectory.systems.tolist() == [3, 1, 3]


def test_crlf_does_not_shift_line_numbers() -> None:
    with pytest.raises(BadInput, match="line 3"):
        parse_trajectory("\r\n".join((IJT_LINE, IJT_LINE, "x", IJT_LINE)), "a.txt")


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n\x00\x00", bytes(range(256)), b"\xff" * 1000, IJT_LINE.encode("utf-16"), "3 ½".encode()],
)
def test_binary_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "binary.txt"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"binary\.txt: the trajectory is not an ASCII file; got byte 0x"):
        read_trajectory(path)


def test_a_file_of_zeros_is_not_a_trajectory(tmp_path: Path) -> None:
    path = tmp_path / "zeros.txt"
    path.write_bytes(b"\0" * 4096)
    with pytest.raises(BadInput, match="line 1"):
        read_trajectory(path)


def test_no_file_and_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nothing\.txt: cannot read"):
        read_trajectory(tmp_path / "nothing.txt")
    with pytest.raises(BadInput, match="cannot read"):
        read_trajectory(tmp_path)


def test_exit_code_of_bad_input_is_2() -> None:
    assert third_line("x").exit_code == 2


# --- hypothesis ---


def parse_or_complain(text: str) -> Trajectory | None:
    try:
        trajectory = parse_trajectory(text, "a.txt")
    except BadInput as complaint:
        if text.strip():
            assert "a.txt, line " in str(complaint)
        return None
    assert np.isfinite(trajectory.values).all()
    assert set(trajectory.systems.tolist()) <= {1, 2, 3, 4}
    assert trajectory.values.shape == (len(trajectory), 22)
    return trajectory


@given(st.text())
@example("\x1c")
@example("²" + " 0" * 22)
@example("٣" + " 0" * 22)
@QUIET
def test_any_text_parses_or_is_refused_with_a_line_number(text: str) -> None:
    parse_or_complain(text)


words = st.one_of(
    finite.map(repr), st.integers().map(str), st.text(min_size=1), st.sampled_from(["nan", "inf", "1", "3"])
)


@given(st.lists(st.lists(words, min_size=20, max_size=25), max_size=4), st.sampled_from(["\n", "\r\n", "\x0b"]))
@QUIET
def test_anything_like_a_file_parses_or_is_refused(lines: list[list[str]], newline: str) -> None:
    parse_or_complain(newline.join(" ".join(line) for line in lines))


@given(st.data())
@QUIET
def test_a_good_file_with_one_character_changed(data: st.DataObject) -> None:
    text = f"{IJT_LINE}\n{CLW_LINE}\n"
    at = data.draw(st.integers(0, len(text) - 1))
    parse_or_complain(text[:at] + data.draw(st.characters(codec="ascii")) + text[at + 1 :])


@given(
    st.lists(st.tuples(st.sampled_from([2, 3, 4]), st.lists(finite, min_size=22, max_size=22)), min_size=1, max_size=5)
)
@example([(3, [-0.0, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, -1e-300] + [2.0**-1074] * 16)])
@QUIET
def test_formatted_and_parsed_is_the_same_bit_for_bit(lines: list[tuple[int, list[float]]]) -> None:
    systems = np.array([system for system, _ in lines], np.int16)
    written = Trajectory(systems, np.array([values for _, values in lines]), "made up")
    read = parse_trajectory("".join(format_lines(written)), "a.txt")
    np.testing.assert_array_equal(read.systems, systems)
    assert read.values.tobytes() == written.values.tobytes()


# --- every bad line ---


def test_every_bad_line_is_told_in_order_with_the_parsers_own_words() -> None:
    """One of each kind, good lines between them."""
    bad = [line for line, _ in BAD.values()]
    text = "".join(f"{IJT_LINE}\n{line}\n" for line in bad) + CLW_LINE
    told = line_errors(text, 1000)
    assert [number for number, _ in told] == list(range(2, 2 * len(bad) + 1, 2))
    for line, (_, message) in zip(bad, told, strict=True):
        assert str(third_line(line)) == f"a.txt, line 3: {message}"


def test_the_limit_is_kept_and_good_text_has_no_errors() -> None:
    assert line_errors("x\n" * 10, 3) == line_errors("x\n" * 3, 10)
    assert len(line_errors("x\n" * 10, 3)) == 3
    assert line_errors(f"{IJT_LINE}\r\n{CLW_LINE}\n\n", 10) == []
    assert line_errors(" \n", 10) == []


@given(
    st.lists(st.sampled_from([IJT_LINE, CLW_LINE, "x", with_word(CLW_LINE, 8, "2"), with_word(IJT_LINE, 3, "nan"), ""]))
)
@QUIET
def test_a_text_parses_exactly_when_no_line_is_bad(lines: list[str]) -> None:
    text = "\n".join(lines)
    faults = dict(line_faults(text))
    try:
        parse_trajectory(text, "a.txt")
    except BadInput as complaint:
        said = {f"a.txt, line {number}: {message}" for number, message in faults.items()}
        assert str(complaint) in said or not text.strip()
    else:
        assert not faults


# --- poses that cannot be reached ---


def line_of(cell: Cell, system: System, q: NDArray[np.float64]) -> NDArray[np.float64]:
    v = np.empty(22)
    values_from_axes(cell.hall, int(system), q, POV_AT_LAB, v)
    return v


def test_unreachable_names_line_robot_distance_and_bound(cell: Cell) -> None:
    """Third line: port 2 of the home posture lifted until its wrist centre is 100 mm beyond reach (see test_coordinates)."""
    values = np.tile(line_of(cell, System.GLC, cell.home), (4, 1))
    values[2, 9] += math.sqrt((1.25 + math.hypot(1.1, 0.055) + 0.1) ** 2 - 1.1**2) - 1.195
    with pytest.raises(
        BadInput, match=r"a\.txt, line 3: robot 2 cannot reach .*100\.0 mm beyond .*allowed: 0 mm"
    ) as caught:
        axes_of(cell, Trajectory(np.full(4, 2, np.int16), values, "a.txt"))
    assert isinstance(caught.value, BadLine)
    assert caught.value.index == 2
    assert "swapped" not in str(caught.value)


@pytest.mark.parametrize("huge", [1e6, 1e30, 1e155, 1e300, 1.7e308])
@pytest.mark.parametrize("system", [System.CLW, System.GLC, System.IDC])
@pytest.mark.parametrize("column", [0, 1, 2, 7, 8, 9])
def test_huge_positions_are_unreachable_and_nothing_else(cell: Cell, system: System, column: int, huge: float) -> None:
    """Finite, so the parser takes them; the arithmetic behind must not turn them into a posture."""
    values = line_of(cell, system, cell.home)[None, :]
    values[0, column] = huge
    try:
        q = axes_of(cell, Trajectory(np.array([system], np.int16), values, "a.txt"))
    except BadInput as complaint:
        assert f"a.txt, line 1: robot {1 + column // 7} cannot reach" in str(complaint)
        assert "nan" not in str(complaint)
    else:  # x of robot 1 is the rail's affair: far beyond its end, for the guard to name
        assert column == 0
        assert system in (System.CLW, System.GLC)
        assert q[0, 0] > cell.axes.upper[0]


def test_huge_data_lin_is_unreachable(cell: Cell) -> None:
    values = line_of(cell, System.GLC, cell.home)[None, :]
    values[0, 21] = 1e300
    with pytest.raises(BadInput, match="line 1: robot 1 cannot reach"):
        axes_of(cell, Trajectory(np.array([2], np.int16), values, "a.txt"))


def test_swapped_tools_are_suspected(cell: Cell) -> None:
    """A file made with the tools the right way round, played with them exchanged: robot 2's port, now 480 mm on robot 1,
    looks the other way. The message says what may be wrong; without a swap that helps it does not."""
    right = UserTool.read(builtin("tools", "user_tool.val"))
    wrong = load_cell(tool=right.swapped())
    q = np.tile(cell.home, (3, 1))
    q[:, 5] = q[:, 11] = math.radians(-30.0)
    values = np.array([line_of(cell, System.GLC, row) for row in q])
    good = Trajectory(np.full(3, 2, np.int16), values, "a.txt")
    assert len(axes_of(cell, good)) == 3
    with pytest.raises(BadInput, match=r"line 1.*mm beyond.*tools exchanged: are they swapped\?"):
        axes_of(wrong, good)


def test_no_suspicion_in_systems_without_tools(cell: Cell) -> None:
    values = line_of(cell, System.IDC, cell.home)[None, :]
    values[0, 0] = 9000.0
    with pytest.raises(BadInput) as caught:
        axes_of(cell, Trajectory(np.array([4], np.int16), values, "a.txt"))
    assert "swapped" not in str(caught.value)
