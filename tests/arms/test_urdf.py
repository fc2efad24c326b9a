"""A URDF that no craft can be: each defect is refused before anything moves, and its part is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxops.arms.model import load_model
from proxops.core.errors import BadInput

BALL = 'ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"'
GOOD = f"""<robot name="r"><link name="base"><inertial><mass value="50"/><inertia {BALL}/></inertial></link>
<link name="hand"><inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia {BALL}/></inertial></link><link name="eye"/>
<joint name="elbow" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" velocity="2" effort="3"/></joint>
<joint name="mount" type="fixed"><parent link="base"/><child link="eye"/></joint></robot>"""


def load(tmp_path: Path, text: str, tool: str = "hand", joints: tuple[str, ...] | None = None) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(text)
    load_model(path, tool, joints)


def test_the_good_one_loads(tmp_path: Path) -> None:
    load(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('xyz="0 0 0.1"', 'xyz="0 0 nan"', "link hand: mass centre"),
        ('xyz="0 0 0.1"', 'xyz="0 0 1e9"', "link hand: mass centre"),
        ('xyz="0 0 0.1"', 'xyz="0 0"', "three numbers"),
        ('mass value="2"', 'mass value="heavy"', "link hand: mass is no number"),
        ('mass value="2"', 'mass value="-2"', "link hand: mass"),
        ('mass value="50"', 'mass value="0"', "link base: mass"),
        ('<mass value="2"/>', "", "link hand: mass or inertia missing"),
        (f'"2"/><inertia {BALL}', f'"2"/><inertia {BALL.replace("0.1", "0.3", 1)}', "link hand: no body"),
        ('axis xyz="0 1 0"', 'axis xyz="0 0 0"', "joint elbow: axis"),
        ('lower="-1" upper="1"', 'lower="1" upper="-1"', "joint elbow: limits"),
        ('effort="3"', 'effort="0"', "joint elbow: effort"),
        ('type="revolute"', 'type="planar"', "joint elbow: more than one angle"),
        ("</robot>", "", "cannot read the URDF"),
    ],
)  # fmt: skip
def test_defects_are_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    assert old in GOOD
    with pytest.raises(BadInput, match=named):
        load(tmp_path, GOOD.replace(old, new))


def test_a_link_without_mass_behind_a_joint_is_named(tmp_path: Path) -> None:
    text = GOOD.replace(f'<inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia {BALL}/></inertial>', "")
    with pytest.raises(BadInput, match="joint elbow: what it moves has no mass"):
        load(tmp_path, text)


def test_a_continuous_joint_turns_far(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(GOOD.replace('type="revolute"', 'type="continuous"'))
    model = load_model(path, "hand")
    assert model.n == 1 and model.upper[0] > 900.0 and model.pin.nq == 8


@pytest.mark.parametrize("tool", ["eye", "base", "universe"])
def test_a_tool_that_no_joint_moves_is_refused(tmp_path: Path, tool: str) -> None:
    with pytest.raises(BadInput, match="does not hang on a joint"):
        load(tmp_path, GOOD, tool)


def test_an_unknown_tool_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="hand"):
        load(tmp_path, GOOD, "claw")


def test_joints_in_another_order_or_twice_are_refused() -> None:
    for joints in (("arm_right_2", "arm_right_1"), ("arm_right_1", "arm_right_1")):
        with pytest.raises(BadInput, match="in the order"):
            load_model("humanoid", "hand_right", joints)
