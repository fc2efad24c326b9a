"""From what the user names to a flight software: our own, a class in a Python file, or a computer at a UDP address."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final, cast

from proxops.core.channel import FLIGHT_PORT, LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.flight import FlightSoftware
from proxops.core.mission import MissionFile
from proxops.core.user_file import demand_file
from proxops.facility.flight_link import RemoteFlightSoftware

SCHEME: Final = "udp://"
LARGEST_BYTES: Final = 16_000_000  # of a Python file
FORMS: Final = f"path/to/file.py:ClassName or udp://{LOOPBACK}:{FLIGHT_PORT}"


def load_flight_software(name: str | None, file: MissionFile, uses_hall: bool | None = None) -> FlightSoftware:
    """The flight software that ``name`` stands for, ready to fly; None is the one that comes with us. ``BadInput`` otherwise.
    It is told what is known on board; ``uses_hall`` overrides the file."""
    known = file.as_known_on_board(file.hall.use if uses_hall is None else uses_hall)
    if name is None:
        own = import_module("proxops.onboard.flight_software").RendezvousSoftware  # late: it compiles
        return cast(FlightSoftware, own(known))
    if name.startswith(SCHEME):
        return RemoteFlightSoftware(_address(name), wait_s=file.flight.limit_ms * 1e-3)
    path, colon, class_name = name.rpartition(":")
    if not colon or not path or not class_name.isidentifier():
        raise BadInput("flight software without a class", value=repr(name), bound=FORMS)
    return _made(_class(_module(Path(path), name), class_name, path), class_name, path, known)


def _address(name: str) -> tuple[str, int]:
    host, _, port = name.removeprefix(SCHEME).rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:
        raise BadInput(
            "no address of an on-board computer", value=repr(name), bound=f"as {SCHEME}{LOOPBACK}:{FLIGHT_PORT}"
        )
    return host, int(port)


def _module(path: Path, name: str) -> ModuleType:
    """The user's file, run as a module. As for a script, its neighbours can be imported."""
    if not path.is_file():
        raise BadInput("flight software: no such file", where=str(path), value=repr(name), bound=FORMS)
    demand_file(path, "the flight software", LARGEST_BYTES)
    spec = spec_from_file_location(f"flight_software_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput("flight software: not a Python file", where=str(path), bound="a name that ends in .py")
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
