"""TOML of strangers: any text gives values or one BadInput that names the place, in bounded time."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.applications.catalogue import experiment_paths, load
from proxops.core.errors import BadInput
from proxops.core.mission import mission_paths
from proxops.core.scenario import scenario_paths
from proxops.core.toml_text import LARGEST_BYTES, read_toml
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import builtin

SOURCE = Path("some.toml")
SHIPPED = [*scenario_paths().values(), *mission_paths().values(), *experiment_paths().values()]
CELL = builtin("cells", "epos.toml")

HOSTILE = {
    "arrays in arrays": ("a = " + "[" * 100_000, r"line 1: brackets are nested too deep; got 17"),
    "tables in tables": ("\na = " + "{a = " * 500, r"line 2: brackets are nested too deep"),
    "a number of many digits": ("a = " + "1" * 100_000, r"key is too long; got 100000 or more; allowed: at most 128"),
    "hexadecimal digits": ("a = 0x" + "f" * 100_000, r"a number or a key is too long"),
    "a dotted key": (".".join("a" * 50_000) + " = 1", r"a dotted key has too many parts; got 9 or more; allowed: at most 8"),
    "with blanks": (" . ".join("a" * 50_000) + " = 1", r"too many parts"),
    "with quotation marks": (".".join(['"a"'] * 30_000) + " = 1", r"too many parts"),
    "a dotted table": ("[" + ".".join("a" * 50_000) + "]", r"too many parts"),
    "an endless string": ('a = "' + '\\"' * 400_000, r"not TOML"),
    "an endless text": ('a = """' + '\\"""' * 200_000, r"not TOML"),
    "too much": ("#" * (LARGEST_BYTES + 1), r"too large; got 1000001 bytes; allowed: 1000000 bytes"),
    "no date": ("a = 2026-02-30", r"not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_have_one_clear_error(kind: str, tmp_path: Path) -> None:
    text, says = HOSTILE[kind]
    with pytest.raises(BadInput, match=says):
        read_toml(text, SOURCE)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    for reader in (load, load_cell):
        with pytest.raises(BadInput):
            reader(path)


@pytest.mark.parametrize(
    "line", ['like = ["approach"]', "like = {a = 1}", "like = 1", "kind = []", "kind = {a = []}", "arm = 1"]
)
def test_words_that_are_lists(line: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line)
    with pytest.raises(BadInput):
        load(path)


def test_what_is_in_strings_and_comments_does_not_count() -> None:
    brackets, dots, word = "[" * 50, "a." * 50, "1" * 500
    text = f'# {brackets}{dots}{word}\na = "{brackets}{dots}{word}"\nc = """\n{brackets}"{word}"""\n'
    text += f"b = '{brackets}'\nd = '''{dots}'''"
    assert read_toml(text, SOURCE) == tomllib.loads(text)
    shallow = (
        "a = [\n" + "  [1.0, 2.0, 3.0],\n" * 5000 + "]\n" + "\n".join(f"[t{i}.u]\nv.w = {i}.5" for i in range(500))
    )
    assert read_toml(shallow, SOURCE) == tomllib.loads(shallow)


def test_shipped_files_read_as_ever() -> None:
    for path in (*SHIPPED, CELL):
        assert read_toml(path.read_text(), path) == tomllib.loads(path.read_text())


def test_nobody_else_reads_toml() -> None:
    root = Path(read_toml.__code__.co_filename).parents[1]
    assert [path.name for path in sorted(root.rglob("*.py")) if "import tomllib" in path.read_text()] == [
        "toml_text.py"
    ]


WORDS = ["[", "]", "{", "}", "[[", "]]", "=", ".", ",", "\n", '"', "'", '"""', "'''", "#", "\\", "a", "kind", "like", "orbit",
         "arm", "1", "1e999", "-0x", "nan", "true", "2026-01-01", "é", "\0"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60).map("".join))
def test_any_text_gives_values_or_a_refusal(text: str) -> None:
    try:
        assert isinstance(read_toml(text, SOURCE), dict)
    except BadInput as refusal:
        assert "some.toml" in str(refusal)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_shipped_files_with_mistakes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A value replaced by something of another kind, a piece cut out, a piece put in: BadInput or a scenario, or a cell."""
    source = data.draw(st.sampled_from([*SHIPPED, CELL]))
    text = source.read_text()
    lines = text.splitlines()
    row = data.draw(st.integers(0, len(lines) - 1))
    value = data.draw(
        st.sampled_from(["[]", "{}", '""', "-1", "1e308", "nan", "true", "[[1]]", "2026-01-01", '"\\u0000"', ""])
    )
    lines[row] = f"{lines[row].partition('=')[0]}= {value}" if "=" in lines[row] else value
    path = tmp_path_factory.mktemp("fuzz") / "mine.toml"
    path.write_text("\n".join(lines))
    try:
        load_cell(path) if source == CELL else load(path)
    except BadInput as refusal:
        # The file itself, one that it names and that would lie beside it, or one of ours.
        assert "mine.toml" in str(refusal) or str(path.parent) in str(refusal) or "proxops" in str(refusal)
