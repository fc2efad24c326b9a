"""What a module says, with all that it imports of ours, as one number: comments, docstrings and lines do not count.

Reading and parsing two hundred files takes seconds, so what each file says is noted beside the compiled kernels, by its size
and time of change; only files that changed are parsed again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

PACKAGE: Final = Path(__file__).parents[1]
NOTES: Final = "sources.json"
KEPT: Final = 6  # folders of earlier versions of one module that stay


class SourceRecord(NamedTuple):
    """What one file says, and which of our modules it imports (as paths below the package)."""

    stamp: tuple[int, int]  # size in bytes, time of change in ns
    digest: str
    imports: tuple[str, ...]


@cache
def root() -> Path:
    """Where compiled kernels are kept: where the user wants Numba's, else beside the sources, else in the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen) / "proxops"
    beside = Path(__file__).parent / "__pycache__"
    try:
        beside.mkdir(exist_ok=True)
        if os.access(beside, os.W_OK):
            return beside / "kernels"
    except OSError:
        pass
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "proxops" / "kernels"


@cache
def kernel_folder(source: Path) -> Path:
    """The folder for the kernels of ``source``. It is not there before ``make_folder``."""
    name = (
        ".".join(source.relative_to(PACKAGE).with_suffix("").parts) if source.is_relative_to(PACKAGE) else source.stem
    )
    return root() / f"{name}-{_closure(source)[:16]}"


def make_folder(folder: Path) -> None:
    """Those of the same module's older versions are thinned out."""
    if not folder.exists():
        name, _, _ = folder.name.rpartition("-")
        others = sorted(folder.parent.glob(f"{name}-*"), key=lambda path: path.stat().st_mtime)
        for old in others[: -(KEPT - 1)]:
            shutil.rmtree(old, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)


def _closure(source: Path) -> str:
    """Digest of a file and of everything below it that it imports, directly or not."""
    notes, digest = _notes(), hashlib.sha256()
    found, ahead = {str(source)}, [str(source)]
    while ahead:
        for name in notes.of(ahead.pop()).imports:
            if name not in found:
                found.add(name)
                ahead.append(name)
    for name in sorted(found):
        digest.update(notes.of(name).digest.encode())
    notes.keep()
    return digest.hexdigest()


class _Notes:
    """What files said when they were read last."""

    def __init__(self, path: Path) -> None:
        self._path, self._changed = path, False
        self._current: dict[str, SourceRecord] = {}
        try:
            table = json.loads(path.read_text())
            self._noted = {k: SourceRecord((v[0][0], v[0][1]), v[1], tuple(v[2])) for k, v in table.items()}
        except (OSError, ValueError, LookupError, TypeError):
            self._noted = {}

    def of(self, name: str) -> SourceRecord:
        if name not in self._current:
            state = os.stat(name)
            stamp, noted = (state.st_size, state.st_mtime_ns), self._noted.get(name)
            if noted is None or noted.stamp != stamp:
                noted, self._changed = _read(Path(name), stamp), True
            self._current[name] = noted
        return self._current[name]

    def keep(self) -> None:
        """Write the notes down for the next process, whole or not at all."""
        if not self._changed:
            return
        self._changed = False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=self._path.parent)
            with os.fdopen(handle, "w") as file:
                json.dump({**self._noted, **self._current}, file)
            os.replace(draft, self._path)
        except OSError:
            pass  # a folder that takes no notes costs time, nothing else


@cache
def _notes() -> _Notes:
    return _Notes(root() / NOTES)


def _read(path: Path, stamp: tuple[int, int]) -> SourceRecord:
    tree = ast.parse(path.read_bytes())
    imports = tuple(sorted({str(found) for module in _imported(tree) for found in _files(module)} - {str(path)}))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            assert isinstance(body, list)
            body.pop(0)
    return SourceRecord(stamp, hashlib.sha256(ast.dump(tree).encode()).hexdigest(), imports)


def _imported(tree: ast.Module) -> list[str]:
    """Dotted names of ours that a module may import: ``from proxops.a import b`` may mean a module or a name."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in names if name.startswith(f"{PACKAGE.name}.")]


def _files(module: str) -> list[Path]:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return [found for found in (path.with_suffix(".py"), path / "__init__.py") if found.is_file()]
