"""A flight software as a class in the user's Python file: found, loaded and made in the process that asks for it."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final, cast

from proxops.core.channel import FLIGHT_PORT, LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.flight import FlightSoftware
from proxops.core.mission import MissionFile
from proxops.core.user_file import demand_file

LARGEST_BYTES: Final = 16_000_000  # of a Python file
FORMS: Final = f"path/to/file.py:ClassName or udp://{LOOPBACK}:{FLIGHT_PORT}"


@dataclass(frozen=True)
class FlightClass:
    """``path/to/file.py:ClassName``. Nothing of the user's has run before ``made``."""

    path: str
    name: str

    @classmethod
    def named(cls, given: str) -> FlightClass:
        """What the user's word stands for, if there is such a file; ``BadInput`` otherwise."""
        path, colon, name = given.rpartition(":")
        if not colon or not path or not name.isidentifier():
            raise BadInput("flight software without a class", value=repr(given), bound=FORMS)
        if not Path(path).is_file():
            raise BadInput("flight software: no such file", where=path, value=repr(given), bound=FORMS)
        demand_file(Path(path), "the flight software", LARGEST_BYTES)
        if Path(path).suffix != ".py":
            raise BadInput("flight software: not a Python file", where=path, bound="a name that ends in .py")
        return cls(path, name)

    def made(self, file: MissionFile) -> FlightSoftware:
        """An object of the class, made with what is known on board; ``BadInput`` says what is wrong with the file."""
        return _made(_class(_module(Path(self.path)), self.name, self.path), self.name, self.path, file)


def _module(path: Path) -> ModuleType:
    """The user's file, run as a module. As for a script, its neighbours can be imported."""
    spec = spec_from_file_location(f"flight_software_{path.stem}", path)
    assert spec is not None and spec.loader is not None  # its name ends in .py
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[spec.name]
        raise BadInput(f"flight software cannot be loaded: {_told(error, path)}", where=str(path)) from error
    return module


def _class(module: ModuleType, class_name: str, path: str) -> Any:
    found = getattr(module, class_name, None)
    usable = [k for k, v in vars(module).items() if isinstance(v, type) and callable(getattr(v, "step", None))]
    advice = f"with a method step there is {', '.join(usable)}" if usable else "no class there has a method step"
    if found is None:
        raise BadInput(f"flight software: no {class_name} in the file", where=path, way_out=advice)
    if not isinstance(found, type):
        raise BadInput(
            f"flight software: {class_name} is no class", where=path, value=type(found).__name__, way_out=advice
        )
    if not callable(getattr(found, "step", None)):
        raise BadInput(
            f"flight software: {class_name} has no method step", where=path,
            way_out=f"it needs step(self, measurements) -> Commands; {advice}",
        )  # fmt: skip
    return found


def _made(made_by: Any, class_name: str, path: str, file: MissionFile) -> FlightSoftware:
    try:
        return cast(FlightSoftware, made_by(file))
    except (Exception, SystemExit) as error:
        raise BadInput(
            f"flight software: {class_name}(mission_file) failed: {_told(error, Path(path))}", where=path,
            way_out="its constructor takes the mission's data and nothing else",
        ) from error  # fmt: skip


def _told(error: BaseException, path: Path) -> str:
    """Type, message and the line of the user's file."""
    here = str(path.resolve())
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if str(Path(f.filename).resolve()) == here]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f"{type(error).__name__}: {error}" + (f" (line {line})" if line else "")
