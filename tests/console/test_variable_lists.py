"""Variable lists: kept across a restart, checked before they are kept, and never half written."""

import json
import os
from pathlib import Path

import pytest

from proxops.console import variable_lists
from proxops.console.variable_lists import MOST_LISTS, MOST_PATHS, VariableLists, known_paths, system_paths
from proxops.core.errors import BadInput
from proxops.core.messages import POOL
from proxops.lab.any_cell import load_cell, read_any_cell

HALL = load_cell()
PATHS = ["actual.rail", "GLC.robot1.x", "IJT.rail", "CLW.pov.qw", "state.mode"]


def lists_in(folder: Path) -> VariableLists:
    return VariableLists(folder, known_paths(HALL))


def test_saved_lists_are_there_again(tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    lists = lists_in(folder)
    assert lists.all() == {}
    lists.save("my axes", PATHS)
    lists.save("Approach-2", [])
    assert lists_in(folder).all() == lists.all() == {"Approach-2": [], "my axes": PATHS}
    assert list(lists.all()) == ["Approach-2", "my axes"]


def test_a_list_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    lists = lists_in(tmp_path)
    lists.save("a", PATHS)
    lists.save("a", PATHS[:1])
    assert lists_in(tmp_path).all() == {"a": PATHS[:1]}
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_deleted_is_gone(tmp_path: Path) -> None:
    lists = lists_in(tmp_path)
    lists.save("a", PATHS)
    lists.delete("a")
    assert lists.all() == lists_in(tmp_path).all() == {} and not list(tmp_path.iterdir())
    with pytest.raises(BadInput, match="no such list"):
        lists.delete("a")


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "../a", "a/b", "a.json", ".", "é", "a\n", "x" * 41, None, 3, "a\0", "-a"]
)
def test_names_that_are_refused(name: object, tmp_path: Path) -> None:
    lists = lists_in(tmp_path / "lists")
    for act in (lambda: lists.save(name, PATHS), lambda: lists.delete(name)):
        with pytest.raises(BadInput, match="not a name"):
            act()
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["a", "x" * 40, "A 1_b-c", "9"])
def test_names_that_are_taken(name: str, tmp_path: Path) -> None:
    lists_in(tmp_path).save(name, PATHS)
    assert list(lists_in(tmp_path).all()) == [name]


@pytest.mark.parametrize(
    "paths",
    [None, "actual.rail", {"a": 1}, [1], [None], ["actual"], ["actual.nothing"], ["GLC.robot1.A1"], ["IJT.lin"],
     ["CLW.robot1.A"], ["actual.rail", "actual.rail"], ["x" * 10000], [["actual.rail"]]],
)  # fmt: skip
def test_paths_that_are_refused(paths: object, tmp_path: Path) -> None:
    lists = lists_in(tmp_path)
    lists.save("a", PATHS)
    with pytest.raises(BadInput) as told:
        lists.save("a", paths)
    assert len(str(told.value)) < 300
    assert lists_in(tmp_path).all() == {"a": PATHS}


def test_lists_and_their_number_are_bounded(tmp_path: Path) -> None:
    every = [f"{group.name}.{v.name}" for group in POOL for v in group.variables]
    lists = lists_in(tmp_path)
    lists.save("l0", every[:MOST_PATHS])
    with pytest.raises(BadInput, match=f"at most {MOST_PATHS}"):
        lists.save("l0", every[: MOST_PATHS + 1])
    for k in range(1, MOST_LISTS):
        lists.save(f"l{k}", PATHS)
    with pytest.raises(BadInput, match="too many lists"):
        lists.save("one more", PATHS)
    lists.save("l5", PATHS[:1])  # one that is there may change
    assert len(lists_in(tmp_path).all()) == MOST_LISTS


def test_capitals_alone_do_not_tell_lists_apart(tmp_path: Path) -> None:
    lists = lists_in(tmp_path)
    lists.save("Axes", PATHS)
    with pytest.raises(BadInput, match="capitals"):
        lists.save("axes", PATHS)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"name": "b", "paths": []}', '{"name": "a", "paths": ["no.such"]}', "[" * 60000, "1" * 70000],
)
def test_unsound_files_are_named_and_left_alone(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    lists_in(tmp_path).save("good", PATHS)
    lists = lists_in(tmp_path)
    assert list(lists.all()) == ["good"] and list(lists.unsound) == ["a.json"]
    assert (tmp_path / "a.json").read_text() == text


def test_trouble_while_writing_leaves_the_old_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = lists_in(tmp_path)
    lists.save("a", PATHS)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(variable_lists.os, "fsync", full)
    with pytest.raises(BadInput, match="No space left"):
        lists.save("a", [])
    assert lists.all() == lists_in(tmp_path).all() == {"a": PATHS}
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_list_is_a_plain_file(tmp_path: Path) -> None:
    lists_in(tmp_path).save("a", PATHS)
    assert json.loads((tmp_path / "a.json").read_text()) == {"name": "a", "paths": PATHS}


def test_the_four_systems_have_their_columns() -> None:
    paths = list(system_paths(HALL))
    # 12 axes and the rail; twice six components, the turn and data lin, in IDC and GLC; three poses of seven and data lin.
    assert [sum(p.startswith(s) for p in paths) for s in ("IJT", "IDC", "GLC", "CLW")] == [13, 15, 15, 22]
    assert len(set(paths)) == len(paths)


def test_a_cell_of_arms_has_its_own_axes() -> None:
    assert list(system_paths(read_any_cell("fzi"))) == [
        f"IJT.robot1.{a}" for a in ("A1", "A2", "E1", "A3", "A4", "A5", "A6")
    ]


def test_lists_of_arms_know_their_own_pool(tmp_path: Path) -> None:
    lists = VariableLists(tmp_path, known_paths(read_any_cell("kube")))
    lists.save("axes", ["IJT.robot1.A7", "actual.robot1_a7", "actual_flange1.x", "state.mode"])
    for path in ("actual.rail", "IJT.rail", "GLC.robot1.x", "bridge.phase"):
        with pytest.raises(BadInput, match="no such variable"):
            lists.save("axes", [path])
