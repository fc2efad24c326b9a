"""Imports point down only (design.md, section 1): every import of ours, in every file, against the table of levels."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import proxops
from proxops.applications.kinds import KINDS, experiments

ROOT = Path(proxops.__file__).parent

# Who may import what, besides itself. A new package is put here on purpose or the test fails.
BELOW = {"core", "maths"}
ARMS = {"arms"} | BELOW  # models of articulated craft: of truth, of what flight software believes, of what is drawn
MAY_IMPORT: dict[str, set[str]] = {
    "maths": set(),
    "core": {"maths"},
    "arms": BELOW,
    "space": ARMS,
    "lab": BELOW,
    "bridge": {"space", "lab", "safety"} | BELOW,  # orbit → hall, judged where it wishes to go
    "touch": {"space", "lab"} | ARMS,  # hall → orbit: forces that come back
    "safety": {"lab"} | BELOW,  # judges motion, not missions
    "optics": {"lab"} | BELOW,  # what can be seen of models: of true ones, and of those that flight software believes
    "sensors": {"optics", "space", "lab"} | ARMS,
    "onboard": {"optics", "lab"} | ARMS,  # measurements only: never space, never truth
    "ground": {"lab"} | ARMS,
    "client": BELOW,  # what an application uses to talk to the facility
    "facility": {"client", "bridge", "touch", "safety", "sensors", "onboard", "ground", "optics", "space", "lab"}
    | ARMS,
    "runs": {"facility", "bridge", "safety", "sensors", "ground", "lab"}
    | BELOW,  # what all kinds share round the facility: none of orbit's
    "console": {"applications", "runs", "facility", "client", "bridge", "safety", "ground", "lab"}
    | BELOW,  # a process of its own that looks on
}
MAY_IMPORT["applications"] = {"runs", "facility"} | MAY_IMPORT["facility"]
MAY_IMPORT["campaign"] = set(MAY_IMPORT["applications"])
MAY_IMPORT["cli"] = {"applications", "campaign", "console"} | MAY_IMPORT["applications"]
MAY_IMPORT["api"] = set(MAY_IMPORT["cli"])
MAY_IMPORT["cli"] |= {"api"}
MAY_IMPORT["__init__"] = MAY_IMPORT["cli"]  # the Python API; late, as test_startup sees to
# Siblings that may be seen all the same, one module at a time: a report has to spell the rules that stopped the hall,
# to know which modes brake, and to measure exactly what the tick knows by bounds only.
SIBLINGS = {
    ("ground", "proxops.safety.rules"),
    ("ground", "proxops.safety.modes"),
    ("ground", "proxops.safety.clearance"),
}
BOTH_WORLDS = {"__init__", "api", "bridge", "touch", "facility", "applications", "campaign", "cli"}
FILES = sorted(ROOT.rglob("*.py"))
# A module sees fewer than this many of ours. Those that see more are named, with as many as they may see and why.
MOST_SEEN = 15
SEE_MORE = {
    "proxops": 24,  # the Python API: names, each imported when it is first used
}
MOST_METHODS = 25


def package(path: Path) -> str:
    """Top-level part of a file: ``safety`` of safety/limits.py, ``cli`` of cli.py."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Imports(NamedTuple):
    """Of one file: (line, full name) of every import, wherever it stands, relative ones made absolute; those at its top; lines of
    star imports and of relative ones. And its classes, with the number of their methods."""

    all: tuple[tuple[int, str], ...]
    top: tuple[tuple[int, str], ...]
    unclear: tuple[int, ...]
    classes: tuple[tuple[str, int], ...]


@cache
def read(path: Path) -> Imports:
    tree, name, is_package = ast.parse(path.read_text(), str(path)), module(path), path.name == "__init__.py"
    top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    nodes = list(ast.walk(tree))
    unclear = (
        node.lineno
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.level or any(alias.name == "*" for alias in node.names))
    )
    classes = ((node.name, methods(node)) for node in nodes if isinstance(node, ast.ClassDef))
    found, above = imports_of(nodes, name, is_package), imports_of(ast.walk(top), name, is_package)
    return Imports(tuple(found), tuple(above), tuple(unclear), tuple(classes))


def methods(node: ast.ClassDef) -> int:
    return sum(isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) for item in node.body)


def imports(path: Path) -> tuple[tuple[int, str], ...]:
    return read(path).all


def imports_of(nodes: Iterable[ast.AST], name: str, is_package: bool) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".")
                parts = parts[: len(parts) - node.level + is_package]
                base = ".".join([*parts, base] if base else parts)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and name_of(node.func) in ("import_module", "__import__"):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant):
                    yield node.lineno, str(argument.value)


def name_of(called: ast.expr) -> str:
    """Of a function, whatever it is taken from."""
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def ours(name: str) -> str | None:
    """The part of us that an import names, if it is one of ours."""
    parts = name.split(".")
    return parts[1] if parts[0] == "proxops" and len(parts) > 1 else None


def test_no_kind_of_run_sees_another() -> None:
    """What two of them need belongs to a level below. Files of ``applications`` itself stand above all kinds."""
    folders = {path.name for path in (ROOT / "applications").iterdir() if path.is_dir()}
    offenders = [
        f"{path.relative_to(ROOT.parent.parent)}:{line}: {own} may not import {name}"
        for own in folders
        for path in (ROOT / "applications" / own).rglob("*.py")
        for line, name in imports(path)
        if f"{name}.".startswith("proxops.applications.") and f"{name}.".split(".")[2] != own
    ]
    assert not offenders, "\n".join(offenders)


def test_every_kind_of_experiment_has_its_parts() -> None:
    for kind in experiments():
        here = ROOT / "applications" / KINDS[kind].folder
        assert {"tables.py", "experiment.py", "figures.py"} <= {path.name for path in here.iterdir()}, kind


def test_every_part_has_its_place() -> None:
    assert {package(path) for path in FILES} <= set(MAY_IMPORT)


@pytest.mark.parametrize("part", sorted({package(path) for path in FILES}))
def test_imports_point_down(part: str) -> None:
    offenders = [
        f"{path.relative_to(ROOT.parent.parent)}:{line}: {part} may not import {name}"
        for path in FILES
        if package(path) == part
        for line, name in imports(path)
        if (target := ours(name)) is not None and target != part and target not in MAY_IMPORT[part]
        if not any(part == who and f"{name}.".startswith(f"{what}.") for who, what in SIBLINGS)
    ]
    assert not offenders, "\n".join(offenders)


def test_only_bridge_and_what_stands_above_it_see_both_worlds() -> None:
    offenders = []
    for part in {package(path) for path in FILES} - BOTH_WORLDS:
        seen = {ours(name) for path in FILES if package(path) == part for _, name in imports(path)}
        if {"space", "lab"} <= seen:
            offenders.append(part)
    assert not offenders


def test_the_table_itself_keeps_the_three_prohibitions() -> None:
    assert "space" not in MAY_IMPORT["onboard"]
    assert MAY_IMPORT["safety"] == {"lab", "core", "maths"}
    assert not {"space", "lab"} & {other for part in ("space", "lab") for other in MAY_IMPORT[part]}
    levels = (
        "maths",
        "core",
        "arms",
        "space lab",
        "optics",
        "touch safety sensors onboard ground client",
        "bridge",
        "facility",
        "runs",
        "applications",
        "campaign console",
        "api",
        "cli",
    )
    level = {name: k for k, names in enumerate(levels) for name in names.split()}
    for part, allowed in MAY_IMPORT.items():
        if part in level:
            assert all(level[other] < level[part] for other in allowed), part


def test_no_circles_between_modules() -> None:
    """Over imports at the top of files: those inside functions are late on purpose."""
    names = {module(path): path for path in FILES}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        found = {full for _, full in read(path).top}
        graph[name] = {target for full in found for target in (full, full.rpartition(".")[0]) if target in names} - {
            name
        }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail, name))
        if name not in done:
            for target in sorted(graph[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


def seen_by(path: Path, names: set[str]) -> set[str]:
    """Our modules that a file imports anywhere; of what a package's face offers, the package."""
    found = {full for _, full in imports(path) if ours(f"{full}.") is not None}
    return {full if full in names else full.rpartition(".")[0] for full in found} - {module(path)}


def test_no_module_sees_too_many_others() -> None:
    """Then it does several things, or knows the insides of a part that could have a face."""
    names = {module(path) for path in FILES}
    seen = {module(path): len(seen_by(path, names)) for path in FILES}
    offenders = {name: count for name, count in seen.items() if count > SEE_MORE.get(name, MOST_SEEN - 1)}
    assert not offenders
    assert not [name for name in SEE_MORE if seen[name] < MOST_SEEN], "needs no exception any more"


def test_no_class_has_too_many_methods() -> None:
    offenders = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in FILES
        for name, count in read(path).classes
        if count > MOST_METHODS
    ]
    assert not offenders


def test_no_star_imports_and_no_relative_ones() -> None:
    assert not [f"{path.relative_to(ROOT)}:{line}" for path in FILES for line in read(path).unclear]


def test_files_are_named_after_nouns_of_the_field() -> None:
    banned = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert not [str(path) for path in FILES if banned & set(path.stem.split("_"))]


# --- the checker itself can fail ---


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import proxops.space.orbit", "proxops.space.orbit"),
        ("from proxops import space", "proxops.space"),
        ("from proxops.space import orbit as o", "proxops.space.orbit"),
        ("def f():\n    from proxops.space.orbit import x", "proxops.space.orbit.x"),
        ("if TYPE_CHECKING:\n    import proxops.space", "proxops.space"),
        ("from ..space import orbit", "proxops.space.orbit"),
        ("from .. import space", "proxops.space"),
        ("importlib.import_module('proxops.space')", "proxops.space"),
    ],
)
def test_every_way_of_importing_is_seen(code: str, found: str) -> None:
    names = [name for _, name in imports_of(ast.walk(ast.parse(code)), "proxops.safety.limits", False)]
    assert names == [found]
    assert ours(names[0]) == "space"
    assert "space" not in MAY_IMPORT["safety"]
