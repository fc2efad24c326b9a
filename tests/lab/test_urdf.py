"""Reading a robot model: the six lengths and the limits, and refusal of every chain that the closed form does not fit."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from proxops.core.errors import BadInput
from proxops.lab.cell import builtin
from proxops.lab.urdf import read_arm, read_limits

KR240 = builtin("models", "kr_240_2.urdf")
TEXT = KR240.read_text()
D4 = '<origin xyz="1.1 0 0" rpy="0 0 0"/>'
FLANGE = '<origin xyz="0.23 0 0" rpy="0 1.5707963267948966 0"/>'


def changed(tmp_path: Path, old: str, new: str) -> Path:
    assert old in TEXT, f"kr_240_2.urdf no longer holds {old!r}"
    path = tmp_path / "mine.urdf"
    path.write_text(TEXT.replace(old, new, 1))
    return path


def complaint(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_arm(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["kr_100_ha", "kr_240_2"])
def test_limits_and_lengths_are_what_pinocchio_reads(name: str) -> None:
    path = builtin("models", f"{name}.urdf")
    arm, model = read_arm(path), pin.buildModelFromUrdf(str(path))
    np.testing.assert_array_equal([a.lower for a in arm.axes], model.lowerPositionLimit)
    np.testing.assert_array_equal([a.upper for a in arm.axes], model.upperPositionLimit)
    np.testing.assert_array_equal([a.speed for a in arm.axes], model.velocityLimit)
    a1, d1, a2, a3, d4, _ = arm.lengths
    for joint, xyz in enumerate([(0, 0, 0), (a1, 0, d1), (a2, 0, 0), (0, 0, a3), (d4, 0, 0), (0, 0, 0)], 1):
        np.testing.assert_array_equal(model.jointPlacements[joint].translation, xyz)


def test_rail_limits() -> None:
    rail = read_limits(builtin("models", "kl_1500.urdf"), "e1")
    assert (rail.lower, rail.upper, rail.speed, rail.acceleration) == (0.0, 25.0, 1.45, 1.0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name="a4"', 'name="axis_4"', ("no joint a4",)),
        ('name="flange_joint"', 'name="tool_joint"', ("no joint flange_joint",)),
        ('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 1"/>', ("a1", "(0, 0, -1)")),
        ('<axis xyz="-1 0 0"/>', '<axis xyz="0 0 1"/>', ("a4", "(-1, 0, 0)")),
        (D4, '<origin xyz="1.1 0.1 0" rpy="0 0 0"/>', ("a5", "0.1")),
        (D4, '<origin xyz="1.1 0 0" rpy="0 0.1 0"/>', ("a5", "rpy")),
        ('<origin xyz="0 0 -0.055"', '<origin xyz="0.1 0 -0.055"', ("a4", "0.1")),
        ('<origin xyz="1.25 0 0"', '<origin xyz="long 0 0"', ("a3", "long")),
        (FLANGE, FLANGE.replace("0.23 0 0", "0.23 0 0.01"), ("flange_joint", "0.01")),
    ],
)
def test_a_chain_that_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    text = complaint(changed(tmp_path, old, new))
    for word in words:
        assert word in text


@pytest.mark.parametrize("rpy", ["0 0 0", "0 -1.5707963267948966 0", "0 1.5707963267948966 0.5"])
def test_a_flange_that_is_turned_otherwise_is_refused(tmp_path: Path, rpy: str) -> None:
    """The closed form ends in +90 deg about y. A flange without it would be off by a quarter turn, silently."""
    assert "flange_joint" in complaint(changed(tmp_path, FLANGE, f'<origin xyz="0.23 0 0" rpy="{rpy}"/>'))


@pytest.mark.parametrize("xyz", ["1.1 0", "1.1", "1.1 0 0 0"])
def test_an_origin_needs_three_numbers(tmp_path: Path, xyz: str) -> None:
    assert "a5" in complaint(changed(tmp_path, D4, f'<origin xyz="{xyz}" rpy="0 0 0"/>'))


@pytest.mark.parametrize("length", ["nan", "inf", "1e400"])
def test_lengths_are_finite(tmp_path: Path, length: str) -> None:
    assert "a5" in complaint(changed(tmp_path, D4, f'<origin xyz="{length} 0 0" rpy="0 0 0"/>'))


@pytest.mark.parametrize("length", ["0", "-1.25"])
def test_an_upper_arm_has_a_length(tmp_path: Path, length: str) -> None:
    """The inverse divides by it."""
    assert "a3" in complaint(changed(tmp_path, '<origin xyz="1.25 0 0"', f'<origin xyz="{length} 0 0"'))


def test_a_joint_of_another_kind_is_refused(tmp_path: Path) -> None:
    assert "a3" in complaint(
        changed(tmp_path, '<joint name="a3" type="revolute">', '<joint name="a3" type="prismatic">')
    )


def test_a_joint_that_hangs_elsewhere_is_refused(tmp_path: Path) -> None:
    """a4 on the base instead of on link 3: same numbers, another robot."""
    text = TEXT
    start = text.index('<joint name="a4"')
    text = text[:start] + text[start:].replace('<parent link="link_3"/>', '<parent link="base_link"/>', 1)
    path = tmp_path / "mine.urdf"
    path.write_text(text)
    assert "a4" in complaint(path)


A1_LIMIT = next(line.strip() for line in TEXT[TEXT.index('name="a1"') :].splitlines() if "<limit" in line)


@pytest.mark.parametrize(
    "attributes",
    [
        'lower="0" upper="1" velocity="1"',
        'upper="1" velocity="1" acceleration="1"',
        'lower="1" upper="1" velocity="1" acceleration="1"',
        'lower="2" upper="1" velocity="1" acceleration="1"',
        'lower="0" upper="1" velocity="0" acceleration="1"',
        'lower="0" upper="1" velocity="1" acceleration="-1"',
        'lower="nan" upper="1" velocity="1" acceleration="1"',
        'lower="0" upper="inf" velocity="1" acceleration="1"',
        'lower="0" upper="1" velocity="nan" acceleration="1"',
        'lower="0" upper="1" velocity="fast" acceleration="1"',
        'lower="0" upper="1" velocity="1" acceleration="inf"',
    ],
)
def test_limits_that_are_none(tmp_path: Path, attributes: str) -> None:
    text = complaint(changed(tmp_path, A1_LIMIT, f"<limit {attributes}/>"))
    assert "a1" in text
    assert "limit" in text


def test_an_axis_without_limits(tmp_path: Path) -> None:
    assert "a1" in complaint(changed(tmp_path, A1_LIMIT, ""))


@pytest.mark.parametrize(
    "content", [b"", b"not xml", b"<robot>", b"\x00\x01\xff", "<robot/>".encode("utf-16")[:7], b"<robot/>"]
)
def test_files_that_are_no_models(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.urdf"
    path.write_bytes(content)
    complaint(path)


@pytest.mark.parametrize("encoding", ["utf-7", "no-such-code"])
def test_odd_encodings_are_bad_input_too(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><robot/>')
    complaint(path)


def test_no_file(tmp_path: Path) -> None:
    complaint(tmp_path / "none.urdf")
    complaint(tmp_path)
