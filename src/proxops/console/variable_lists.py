"""Variable lists that operators keep: a name and the paths of variables, one JSON file each in a folder of the console.

A path is a variable of the pool (``actual.rail``) or a component of a coordinate system (``GLC.robot1.x``, ``IJT.rail``), as the
page shows it commanded, actual and as a difference.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from proxops.core.errors import BadInput
from proxops.lab.any_cell import AnyCell, pool_of
from proxops.lab.arm_cell import ArmCell

NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _-]{0,38}[A-Za-z0-9_-])?", re.ASCII)
NAME_BOUND: Final = "1 to 40 letters, digits, blanks, - and _; begins with a letter or digit, no blank at the end"
MOST_PATHS, MOST_LISTS = 200, 100
FILE_LIMIT: Final = 64_000  # bytes; more is not one of ours

_XYZ: Final = ("x", "y", "z")
_ABC: Final = ("A", "B", "C", "turn")  # turn: angle of the rotation between commanded and actual
# Coordinate system → what each part of its 22 doubles has, and the name of ``data lin``.
_PARTS: Final[dict[str, tuple[dict[str, tuple[str, ...]], str]]] = {
    "IJT": ({"robot1": tuple(f"A{i}" for i in range(1, 7)), "robot2": tuple(f"A{i}" for i in range(1, 7))}, "rail"),
    "IDC": ({"robot1": (*_XYZ, *_ABC), "robot2": (*_XYZ, *_ABC)}, "rail"),
    "GLC": ({"robot1": (*_XYZ, *_ABC), "robot2": (*_XYZ, *_ABC)}, "lin"),
    "CLW": ({part: (*_XYZ, "qx", "qy", "qz", "qw") for part in ("robot1", "robot2", "pov")}, "lin"),
}


def system_paths(cell: AnyCell) -> Iterator[str]:
    """Every component of the four coordinate systems that means something; of a cell of arms its axes."""
    if isinstance(cell, ArmCell):
        yield from (f"IJT.{axis_path(name)}" for name in cell.axis_names)
        return
    for system, (parts, lin) in _PARTS.items():
        yield from (f"{system}.{part}.{component}" for part, names in parts.items() for component in names)
        yield f"{system}.{lin}"


def axis_path(name: str) -> str:
    """``robot1.A1`` of robot1_a1; the rail is just that."""
    robot, _, joint = name.partition("_")
    return f"{robot}.{joint.upper()}" if joint else robot


def known_paths(cell: AnyCell) -> frozenset[str]:
    """Every path that a list of this cell can have."""
    pool = {f"{group.name}.{v.name}" for group in pool_of(cell) for v in group.variables}
    return frozenset(pool | {*system_paths(cell)})


class VariableLists:
    """The lists of a folder, of the variables that are ``known``. Files that are not sound are left alone and named in
    ``unsound``."""

    def __init__(self, folder: Path, known: frozenset[str]) -> None:
        self._folder, self._known = folder, known
        self._lists: dict[str, list[str]] = {}
        self.unsound: dict[str, str] = {}  # file → what is wrong with it
        for path in sorted(folder.glob("*.json")):
            try:
                self._lists[path.stem] = _read(path, known)
            except BadInput as error:
                self.unsound[path.name] = str(error)

    def all(self) -> dict[str, list[str]]:
        """Name → paths, in the order of the names."""
        return {name: list(self._lists[name]) for name in sorted(self._lists, key=str.casefold)}

    def save(self, name: Any, paths: Any) -> None:
        """Keep a list, in place of the one of that name. Both come from a page: whatever is wrong is BadInput."""
        name, paths = _sound_name(name), _sound_paths(paths, self._known)
        other = next((n for n in self._lists if n != name and n.casefold() == name.casefold()), None)
        if other is not None:
            raise BadInput("another list differs only in capitals", value=name, bound=f"not {other}")
        if name not in self._lists and len(self._lists) >= MOST_LISTS:
            raise BadInput("too many lists", value=len(self._lists), bound=f"{MOST_LISTS}", way_out="delete one")
        _write(self._path(name), {"name": name, "paths": paths})
        self._lists[name] = paths

    def delete(self, name: Any) -> None:
        """Remove a list and its file."""
        name = _sound_name(name)
        if name not in self._lists:
            raise BadInput("no such list", value=name, bound=", ".join(self.all()) or "there are none")
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(f"cannot delete the list: {error.strerror}", where=str(self._path(name))) from None
        del self._lists[name]

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def _sound_name(name: Any) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise BadInput("not a name for a list", value=repr(name)[:60], bound=NAME_BOUND)
    return name


def _sound_paths(paths: Any, known: frozenset[str]) -> list[str]:
    if not isinstance(paths, list) or len(paths) > MOST_PATHS:
        got = len(paths) if isinstance(paths, list) else type(paths).__name__
        raise BadInput("not a list of variables", value=got, bound=f"at most {MOST_PATHS} paths")
    for path in paths:
        if not isinstance(path, str) or path not in known:
            raise BadInput("no such variable", value=repr(path)[:60], bound="group.name of the pool, or GLC.robot1.x")
    if len(set(paths)) < len(paths):
        twice = next(path for k, path in enumerate(paths) if path in paths[:k])
        raise BadInput("a variable is there twice", value=twice)
    return list(paths)


def _read(path: Path, known: frozenset[str]) -> list[str]:
    try:
        with open(path, "rb") as file:
            data = file.read(FILE_LIMIT + 1)
        if len(data) > FILE_LIMIT:
            raise BadInput("file too long for a variable list", where=str(path), bound=f"{FILE_LIMIT} bytes")
        told = json.loads(data)
        if not isinstance(told, dict) or told.get("name") != path.stem:
            raise BadInput("not a variable list of this name", where=str(path), bound='{"name": …, "paths": […]}')
        _sound_name(path.stem)
        return _sound_paths(told.get("paths"), known)
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot read the list: {error}", where=str(path)) from None


def _write(path: Path, told: dict[str, Any]) -> None:
    """The old file or the new one, never half of it."""
    beside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".list-", suffix=".part")
        with os.fdopen(handle, "w") as file:
            json.dump(told, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
        raise BadInput(f"cannot save the list: {error.strerror}", where=str(path)) from None
