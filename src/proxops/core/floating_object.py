"""What floats in a virtual room, what stands in it, and the room: tables of a scenario, judged as far as numbers alone allow.

What must be measured against each other (a mesh, shapes that overlap at the start) is judged by
``space/floating_model.py`` before anything moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
from pydantic_core import PydanticCustomError

from proxops.core.errors import BadInput
from proxops.core.strict_table import Direction, Finite, Share, Strict, Triple, within

Array = NDArray[np.float64]
Length = Annotated[Finite, within(1e-3, 100)]
Place = Annotated[Finite, within(-1000, 1000)]
Places = tuple[Place, Place, Place]
Friction = Annotated[Finite, within(0, 2)]
Six = tuple[Finite, Finite, Finite, Finite, Finite, Finite]  # elements of the matrix itself

SIZES: Final = {  # shape → what its size_m holds
    "box": ("side along x", "along y", "along z"),
    "sphere": ("radius",),
    "cylinder": ("radius", "length along z"),
    "capsule": ("radius", "length along z of the straight part"),
    "mesh": (),
}
MESHES: Final = (".stl", ".obj")
THINNEST: Final = 1e-9  # m2: smallest principal inertia by mass; below it a body would spin up from rounding


class Shaped(Strict):
    """A solid, its frame in the middle (of a mesh: where the file has it)."""

    shape: Literal["box", "sphere", "cylinder", "capsule", "mesh"] = "box"  # what it touches with
    size_m: tuple[Length, ...] = ()  # box: three sides; sphere: radius; cylinder, capsule: radius, length (see SIZES)
    file: str = ""  # of a mesh: binary STL or OBJ beside the scenario, in units of scale_m; touches as its convex hull
    scale_m: Annotated[Finite, within(1e-6, 1000)] = 1.0  # of one unit of the mesh
    place_m: Places = (0.0, 0.0, 0.0)  # p_world_body
    turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector: world → body
    friction: Friction = 0.3  # Coulomb's; two that touch have the geometric mean
    restitution: Share = 0.5  # of speeds along the normal; two that touch have the smaller

    @model_validator(mode="after")
    def _size(self) -> Self:
        wanted = SIZES[self.shape]
        if len(self.size_m) != len(wanted):
            _complain(
                "size_m", list(self.size_m), f"of a {self.shape}: {', '.join(wanted) or 'not given, but its file'}"
            )
        if self.shape == "mesh" and Path(self.file).suffix.lower() not in MESHES:
            _complain("file", self.file or None, " or ".join(MESHES))
        if self.shape != "mesh" and self.file:
            _complain("file", self.file, "only with shape = mesh")
        return self

    @property
    def extent_m(self) -> tuple[float, ...] | None:
        """Sides of the body's own bounding box; of a mesh only its file knows."""
        if self.shape == "box":
            return self.size_m
        if self.shape == "mesh":
            return None
        across = 2.0 * self.size_m[0]
        along = {"sphere": across, "cylinder": self.size_m[-1], "capsule": self.size_m[-1] + across}[self.shape]
        return across, across, along


class ObstacleTable(Shaped):
    """Stands still. Obstacles may overlap each other and the walls."""

    name: str = ""  # for what is told of it


class ObjectTable(Shaped):
    """Floats."""

    name: str = ""  # for what is told of it
    mass_kg: Annotated[Finite, within(1e-3, 1e6)]  # as it floats
    inertia_kg_m2: Six | None = None  # about the mass centre: xx, yy, zz, xy, xz, yz; the solid's unless given
    mass_centre_m: Places | None = None  # in body axes; the solid's middle unless given
    speed_m_s: tuple[Place, Place, Place] = (0.0, 0.0, 0.0)  # of the mass centre, world axes
    turn_rate_deg_s: Triple = (0.0, 0.0, 0.0)  # world axes

    @model_validator(mode="after")
    def _inertia(self) -> Self:
        if self.inertia_kg_m2 is not None:
            a, b, c = np.linalg.eigvalsh(inertia_matrix(self.inertia_kg_m2)).tolist()
            bound = f"positive definite: principal moments from {THINNEST * self.mass_kg:.3g} on"
            if not a >= THINNEST * self.mass_kg:
                _complain("inertia_kg_m2", list(self.inertia_kg_m2), f"{bound}; these are {a:.4g}, {b:.4g}, {c:.4g}")
            if not c <= (a + b) * (1.0 + 1e-9):  # a flat body lies on the bound
                bound = f"triangle inequality: principal moments {a:.4g} + {b:.4g} at least {c:.4g}"
                _complain("inertia_kg_m2", list(self.inertia_kg_m2), bound)
        return self

    @property
    def inertia(self) -> Array | None:
        """Matrix about the mass centre in body axes, kg m2: as given or of the solid; a mesh's is not known here."""
        if self.inertia_kg_m2 is not None:
            return inertia_matrix(self.inertia_kg_m2)
        return None if self.shape == "mesh" else np.diag(_solid_inertia(self.shape, self.size_m, self.mass_kg))


class BoxTable(Strict):
    """The room: four walls, floor and ceiling along the world's axes."""

    size_m: tuple[Length, Length, Length]  # inside
    centre_m: Places = (0.0, 0.0, 0.0)  # in the world
    friction: Friction = 0.3  # of the walls
    restitution: Share = 0.5  # likewise


class TurnLimitTable(Strict):
    """Virtual ends of the turning of the object that pushes act on: there it turns back, as it does from walls
    (``space/turn_limit.py``)."""

    tilt_deg: Annotated[Finite, within(1, 150)]  # of ``axis`` from where it points in the middle, any way
    twist_deg: Annotated[Finite, within(1, 175)] | None = None  # about it, either way; without it no end
    axis: Direction | None = None  # body axes; float: the fixture's, z of the flange, unless given
    middle_turn_deg: Triple = (0.0, 0.0, 0.0)  # attitude in the middle of the range; rotation vector: world → body
    restitution: Share = 1.0  # of the rate at which the angle grows; 1: no energy is lost


@dataclass(frozen=True)
class FloatingScene:
    """All of it. ``objects``: the first is the one that pushes act on. ``source``: file that complaints name and beside which
    meshes lie."""

    objects: tuple[ObjectTable, ...]
    obstacles: tuple[ObstacleTable, ...] = ()
    box: BoxTable | None = None
    source: Path = Path("scenario")
    turn_limit: TurnLimitTable | None = None  # with its axis

    def __post_init__(self) -> None:
        if not self.objects:
            raise BadInput("object: is missing", where=str(self.source), bound="at least one")
        for i, table in enumerate(self.objects):
            if self.box is not None and table.extent_m is not None:
                judge_room(self.key(i), table.extent_m, self.box, self.source)

    def key(self, i: int) -> str:
        """Of an object in complaints."""
        name = self.objects[i].name
        return (f"object {i + 1}" if len(self.objects) > 1 else "object") + (f" ({name})" if name else "")


def judge_room(key: str, extent_m: tuple[float, ...], box: BoxTable, source: Path) -> None:
    """A body that fits the room in no order of its sides is refused."""
    for own, room in zip(sorted(extent_m), sorted(box.size_m), strict=True):
        if own >= room:
            what = f"{key}.size_m: larger than the box"
            bound = f"box.size_m = {list(box.size_m)}"
            raise BadInput(what, where=str(source), value=[round(x, 6) for x in extent_m], bound=bound)


def inertia_matrix(six: tuple[float, ...]) -> Array:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _solid_inertia(shape: str, size: tuple[float, ...], mass: float) -> tuple[float, float, float]:
    """Principal moments of a homogeneous solid about its middle."""
    if shape == "box":
        x, y, z = (mass / 12.0 * side * side for side in size)
        return y + z, x + z, x + y
    r2 = size[0] * size[0]
    if shape == "sphere":
        return (0.4 * mass * r2,) * 3
    if shape == "cylinder":
        across = mass * (0.25 * r2 + size[1] * size[1] / 12.0)
        return across, across, 0.5 * mass * r2
    return _capsule_inertia(size[0], size[1], mass)


def _capsule_inertia(radius: float, length: float, mass: float) -> tuple[float, float, float]:
    """A cylinder and two half spheres, whose mass centres lie 3/8 of the radius beyond its ends."""
    cylinder, ball = math.pi * radius**2 * length, 4.0 / 3.0 * math.pi * radius**3
    straight = mass * cylinder / (cylinder + ball)
    round_, r2 = mass - straight, radius * radius
    out = 0.5 * length + 0.375 * radius
    across = straight * (0.25 * r2 + length**2 / 12.0) + round_ * ((0.4 - 0.375**2) * r2 + out**2)
    return across, across, 0.5 * straight * r2 + 0.4 * round_ * r2


def _complain(key: str, value: Any, bound: str) -> None:
    raise PydanticCustomError("floating", "not usable", {"key": key, "value": value, "bound": bound})
