"""A class in the user's own Python file or module: found, loaded and made in the process that asks for it."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from proxops.core.errors import BadInput
from proxops.core.user_file import demand_file

LARGEST_BYTES: Final = 16_000_000  # of a Python file


@dataclass(frozen=True)
class UserPart:
    """What a class of the user's stands in for, as complaints have it. ``call``: what its method looks like; ``made``: what its
    constructor is given."""

    what: str  # "flight software"
    method: str
    call: str
    made: str
    takes: str
    forms: str
    modules: bool = False  # package.module:ClassName is one of the forms

    @property
    def module_name(self) -> str:
        return self.what.replace(" ", "_")


def split_name(given: str, part: UserPart) -> tuple[str, str]:
    """Place and name of the class, if there is such a file; BadInput otherwise. Nothing of the user's has run yet."""
    path, colon, name = given.rpartition(":")
    what = part.what
    if not colon or not path or not name.isidentifier():
        raise BadInput(f"{what} without a class", value=repr(given), bound=part.forms)
    if part.modules and not path.endswith(".py") and all(word.isidentifier() for word in path.split(".")):
        return path, name
    if not Path(path).is_file():
        raise BadInput(f"{what}: no such file", where=path, value=repr(given), bound=part.forms)
    demand_file(Path(path), f"the {what}", LARGEST_BYTES)
    if Path(path).suffix != ".py":
        raise BadInput(f"{what}: not a Python file", where=path, bound="a name that ends in .py")
    return path, name


def made_of(path: str, name: str, part: UserPart, *given: object) -> Any:
    """An object of the class, made with ``given``; BadInput says what is wrong with the file."""
    found = _class(_module(path, part), name, path, part)
    try:
        return found(*given)
    except (Exception, SystemExit) as error:
        raise BadInput(
            f"{part.what}: {name}({part.made}) failed: {told_of(error, Path(path))}", where=path,
            way_out=f"its constructor takes {part.takes} and nothing else",
        ) from error  # fmt: skip


def told_of(error: BaseException, path: Path) -> str:
    """Type, message and the line of the user's file."""
    here = str(path.resolve())
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if str(Path(f.filename).resolve()) == here]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f"{type(error).__name__}: {error}" + (f" (line {line})" if line else "")


def _module(path: str, part: UserPart) -> ModuleType:
    """The user's file, run as a module. As for a script, its neighbours can be imported."""
    if not path.endswith(".py"):
        return _imported(path, part)
    spec = spec_from_file_location(f"{part.module_name}_{Path(path).stem}", path)
    assert spec is not None and spec.loader is not None  # its name ends in .py
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    _look_in(str(Path(path).resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[spec.name]
        raise BadInput(f"{part.what} cannot be loaded: {told_of(error, Path(path))}", where=path) from error
    return module


def _imported(name: str, part: UserPart) -> ModuleType:
    _look_in(str(Path.cwd()))
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{part.what} cannot be loaded: {type(error).__name__}: {error}", where=name) from error


def _look_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _class(module: ModuleType, class_name: str, path: str, part: UserPart) -> type[Any]:
    what, method, found = part.what, part.method, getattr(module, class_name, None)
    usable = [k for k, v in vars(module).items() if isinstance(v, type) and callable(getattr(v, method, None))]
    advice = (
        f"with a method {method} there is {', '.join(usable)}" if usable else f"no class there has a method {method}"
    )
    if found is None:
        raise BadInput(f"{what}: no {class_name} in the file", where=path, way_out=advice)
    if not isinstance(found, type):
        raise BadInput(f"{what}: {class_name} is no class", where=path, value=type(found).__name__, way_out=advice)
    if not callable(getattr(found, method, None)):
        raise BadInput(
            f"{what}: {class_name} has no method {method}", where=path, way_out=f"it needs {part.call}; {advice}"
        )  # fmt: skip
    return found
