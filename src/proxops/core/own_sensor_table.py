"""Sensors that a user brings: their images are not drawn but come from a folder, the network, or a camera by GenICam.

What they show is looked at, recorded and served as that of any other sensor; where the target truly was, nobody knows, unless a
folder's list says so.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from proxops.core.mounted_table import Gives, Milliseconds, PathText, Pinhole
from proxops.core.strict_table import Finite, Truth, Whole, within


def _address(text: str) -> str:
    """By number: to ask for a name may take seconds."""
    host, _, port = text.rpartition(":")
    try:
        IPv4Address("127.0.0.1" if host == "localhost" else host)
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 65535):
            raise ValueError
    except ValueError:
        bound = "HOST:PORT, the host by its number, such as 192.168.1.20:47260"
        raise PydanticCustomError("address", "not an address", {"bound": bound}) from None
    return text


Device = Annotated[Whole, within(0, 999)] | Annotated[str, Field(min_length=1, max_length=100)]
ListedName = Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]{0,19})?$")]


class OwnSensor(Pinhole):
    """``width`` and ``height`` of a scanner: the points of a line, and lines, at most."""

    live_only: ClassVar[bool] = True  # it keeps the wall's time
    gives: Gives = "camera"  # pictures, distances with amplitudes, or points

    @property
    def pixel_bytes(self) -> int:
        """In the log, at most."""
        return {"camera": 2, "tof": 6, "lidar": 20}[self.gives]


class FolderSensor(OwnSensor):
    """A folder of images with their list, shown again at its own times: the first at 0 s."""

    kind: Literal["folder"]
    live_only: ClassVar[bool] = False
    path: Annotated[PathText, Field(min_length=1)]  # of the folder, which has a frames.csv, beside this file
    sensor: ListedName = ""  # which of the list's, if it has several
    loop: Truth = False  # begin again at its end
    delay_ms: Milliseconds = 0.0  # from the time in the list until the image is there

    def beside(self, source: Path) -> Self:
        found = source.parent / self.path
        return super().beside(source).model_copy(update={"path": str(found) if found.is_dir() else self.path})


class NetworkSensor(OwnSensor):
    """Frames over TCP as docs/images_interface.md says: we connect to who has the images, again and again."""

    kind: Literal["network"]
    at: Annotated[str, AfterValidator(_address)]  # HOST:PORT, the host by its number
    sensor: ListedName = ""  # take frames of this name only


class GenicamSensor(OwnSensor):
    """A real camera, through its maker's GenTL producer. Needs ``pip install 'proxops[genicam]'``."""

    kind: Literal["genicam"]
    gives: Literal["camera"] = "camera"
    producer: Annotated[PathText, Field(min_length=1)]  # the maker's .cti file
    device: Device = 0  # place in the list of those that are found, or serial number
    exposure_ms: Annotated[Finite, within(0.001, 10_000)] | None = None  # the camera's own unless given
    gain_db: Annotated[Finite, within(0, 48)] | None = None  # the camera's own unless given

    def beside(self, source: Path) -> Self:
        found = source.parent / self.producer
        return super().beside(source).model_copy(update={"producer": str(found) if found.is_file() else self.producer})
