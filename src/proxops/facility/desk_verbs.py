"""What the operator's desk can be asked for over the control channel."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.ring import shared_folder
from proxops.facility.control import AGE, Verb, flag_of, integer_of, number_of, text_of
from proxops.facility.desk import Desk
from proxops.facility.jog import HOLD_MS
from proxops.facility.status import status
from proxops.lab.trajectory import Trajectory

LOADED_PREFIX: Final = "proxops-load-"


def desk_verbs(desk: Desk, shut_down: Callable[[], None]) -> dict[str, Verb]:
    """Name → what is done with the request's arguments."""
    return {
        "status": lambda a: status(desk),
        "drives": lambda a: desk.drives(flag_of(a, "on")),
        "select": lambda a: desk.select(text_of(a, "source")),
        "accept": lambda a: desk.accept(),
        "hardware": lambda a: desk.hardware(text_of(a, "kind")),
        "move_to_start": lambda a: desk.move_to_start(text_of(a, "order")),
        "confirm": lambda a: desk.confirm(),
        "reset": lambda a: desk.reset(),
        "interlock": lambda a: desk.interlock(text_of(a, "name"), flag_of(a, "healthy")),
        "jog": lambda a: desk.jog(
            text_of(a, "system"),
            text_of(a, "robot"),
            text_of(a, "component"),
            integer_of(a, "direction"),
            number_of(a, "speed"),
            hold_ms=number_of(a, "hold_ms") if "hold_ms" in a else HOLD_MS,
            step=number_of(a, "step") if "step" in a else None,
            press=integer_of(a, "press") if "press" in a else None,
            age_ms=number_of(a, AGE),
        ),
        "release": lambda a: desk.release(),
        "sine": lambda a: desk.sine(
            text_of(a, "axis"),
            number_of(a, "amplitude"),
            number_of(a, "frequency_hz"),
            integer_of(a, "cycles"),
        ),
        "load": lambda a: desk.load(_loaded(a)),
        "shut_down": lambda a: shut_down(),
    }


def save_loaded(trajectory: Trajectory, path: Path) -> None:
    """Write a checked trajectory so that the facility can map it without parsing or copying (``load``)."""
    np.save(path.with_suffix(".systems.npy"), trajectory.systems)
    np.save(path.with_suffix(".values.npy"), trajectory.values)


def _loaded(arguments: dict[str, Any]) -> Trajectory:
    """Map a trajectory that ``proxops ctl load`` has parsed and checked; only from the shared folder, only plain files."""
    path, bound = Path(text_of(arguments, "path")), f"a file that proxops ctl load has put into {shared_folder()}"
    if path.parent != shared_folder() or not path.name.startswith(LOADED_PREFIX):
        raise BadInput("not a loaded trajectory", where=str(path), bound=bound)
    try:
        systems, values = (_mapped(path.with_suffix(suffix)) for suffix in (".systems.npy", ".values.npy"))
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"cannot load: {error}", where=str(path), bound=bound) from None
    if (
        systems.dtype != np.int16
        or values.dtype != np.float64
        or values.shape != (len(systems), 22)
        or not len(systems)
    ):
        raise BadInput(
            "not a loaded trajectory", where=str(path), value=f"{values.dtype} {values.shape}", bound="(n, 22)"
        )
    return Trajectory(systems, values, text_of(arguments, "source"))


def _mapped(path: Path) -> NDArray[Any]:
    """An array in shared memory. A pipe or device would block the tick: refused unopened."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path.name} is not a plain file")
    return np.asarray(np.lib.format.open_memmap(path, mode="r"))
