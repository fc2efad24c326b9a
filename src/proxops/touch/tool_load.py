"""What a tool's own weight and inertia put on the sensor that carries it: to be taken off a reading, at any attitude and motion.

With the gravity g and the acceleration a of the sensor's origin, rate ω and angular acceleration α (inertial ones, in the
sensor's axes), mass m, first moment h = m c and the inertia J about the sensor's ORIGIN, a sensor without bias reads

    F = F_ext + m (g - a) - α × h - ω × (ω × h),        T = T_ext + h × (g - a) - J α - ω × J ω

which is linear in the ten parameters (m, h, J). A ``ToolLoad`` holds the inertia about the CENTRE OF MASS in the sensor's
axes: that is what drawings give and where no body breaks the triangle inequality; the kernels take the ten parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.force_source import Floats
from proxops.core.tool_load_file import ToolLoadFile
from proxops.maths.kernel import kernel
from proxops.maths.small_matrix import put_applied
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import Triple, difference, inverse, quad, rotated, triple

PARAMETERS: Final = ("mass", "m·cx", "m·cy", "m·cz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
N_PARAMETERS: Final = len(PARAMETERS)
TRIANGLE_SLACK: Final = 1e-9  # relative: of a tensor that was printed and read again
GRAVITY: Final = np.array([0.0, 0.0, -9.80665])  # m/s2 in the hall's axes, z up


@dataclass(frozen=True, eq=False)
class ToolLoad:
    """A rigid tool, the sensor's moving plate included: kg; m from the sensor's origin; kg m² (3, 3) about the centre of mass."""

    mass: float
    com: Floats
    inertia: Floats

    def __post_init__(self) -> None:
        if not 0.0 < self.mass < math.inf:
            raise BadInput("tool load: a body has mass", value=f"{self.mass:g} kg", bound="above 0, finite")
        if np.shape(self.com) != (3,) or not np.all(np.isfinite(self.com)):
            raise BadInput("tool load: centre of mass", value=np.asarray(self.com).tolist(), bound="three numbers, m")
        check_inertia(np.asarray(self.inertia, float), "tool load")

    @property
    def parameters(self) -> Floats:
        """The ten, as ``PARAMETERS`` names them."""
        x, y, z = self.com
        J = self.inertia + self.mass * ((x * x + y * y + z * z) * np.eye(3) - np.outer(self.com, self.com))
        return np.array(
            [self.mass, *(self.mass * self.com), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]], float
        )


def check_inertia(inertia: Floats, where: str) -> None:
    """BadInput for a tensor (about the centre of mass) that no body has."""
    if inertia.shape != (3, 3) or not np.all(np.isfinite(inertia)) or not np.allclose(inertia, inertia.T, 1e-12, 0.0):
        raise BadInput("inertia: not symmetric, or no numbers", where=where, value=inertia.tolist())
    a, b, c = np.linalg.eigvalsh(inertia).tolist()
    said = f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²"
    if not a >= -TRIANGLE_SLACK * c or not c > 0.0:
        raise BadInput("inertia: not positive", where=where, value=said, bound="all above 0")
    if c > (a + b) * (1.0 + TRIANGLE_SLACK):
        raise BadInput(
            "inertia: no body has it (triangle inequality)",
            where=where,
            value=said,
            bound=f"greatest at most {a + b:.6g}",
        )


def load_of(file: ToolLoadFile, where: str = "") -> ToolLoad:
    """A tool as a file describes it, checked."""
    try:
        return ToolLoad(file.mass_kg, np.array(file.com_m), symmetric(np.array(file.inertia_kgm2)))
    except BadInput as error:
        raise BadInput(error.what, where=where or error.where, value=error.value, bound=error.bound) from None


def true_load(tool: ToolLoadFile, rng: np.random.Generator) -> Floats:
    """Parameters of what truly hangs on the sensor: off by what the calibration was unsure of."""
    believed, known = load_of(tool).parameters, tool.identified
    if known is None:
        return believed
    sigma = np.concatenate(
        [[known.mass_sigma_kg], tool.mass_kg * np.array(known.com_sigma_m), known.inertia_sigma_kgm2]
    )
    return believed + sigma * rng.standard_normal(len(believed))


def symmetric(six: Floats) -> Floats:
    """Tensor of xx, yy, zz, xy, xz, yz (entries of the matrix, products of inertia with their sign)."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six_of(tensor: Floats) -> Floats:
    """The other way."""
    return np.array([tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]])


@kernel
def load_wrench(
    parameters: Floats, q_world_sensor: Floats, w: Floats, alpha: Floats, a: Floats, gravity: Floats
) -> Floats:
    """Wrench (6) of the tool's own weight and inertia on the sensor, about its origin in its axes: external = reading - this
    - bias. ``q_world_sensor``: scalar first; w, alpha (rad/s, rad/s²) and ``a`` (m/s², of the sensor's origin) are inertial
    ones in the sensor's axes; ``gravity`` in the world's."""
    out = np.empty(6)
    put_load_wrench(parameters, q_world_sensor, w, alpha, a, gravity, out)
    return out


@kernel
def put_load_wrench(
    parameters: Floats, q_world_sensor: Floats, w: Floats, alpha: Floats, a: Floats, gravity: Floats, out: Floats
) -> None:  # fmt: skip
    """The same, into ``out``."""
    Y = matrix(6, N_PARAMETERS)
    put_regressor(q_world_sensor, w, alpha, a, gravity, Y)
    put_applied(Y, parameters, out)


@kernel
def regressor(q_world_sensor: Floats, w: Floats, alpha: Floats, a: Floats, gravity: Floats) -> Floats:
    """(6, 10): the load is this times the parameters. Arguments as above."""
    Y = np.empty((6, N_PARAMETERS))
    put_regressor(q_world_sensor, w, alpha, a, gravity, Y)
    return Y


@kernel
def put_regressor(q_world_sensor: Floats, w: Floats, alpha: Floats, a: Floats, gravity: Floats, Y: Floats) -> None:
    """The same, into ``Y``; the one place where the formula stands."""
    Y[:] = 0.0
    f = difference(rotated(inverse(quad(q_world_sensor, 0)), triple(gravity, 0)), triple(a, 0))
    Y[0, 0], Y[1, 0], Y[2, 0] = f
    _put_moment(f, w, alpha, Y)
    _put_inertia(w, alpha, Y)


@kernel
def _put_moment(f: Triple, w: Floats, alpha: Floats, Y: Floats) -> None:
    """Columns of h: -([α]× + [ω]×[ω]×) above, -[f]× below."""
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    for i in range(3):
        for j in range(3):
            Y[i, 1 + j] = -w[i] * w[j]
        Y[i, 1 + i] += square
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        Y[i, 1 + k] -= alpha[j]
        Y[i, 1 + j] += alpha[k]
        Y[3 + i, 1 + j] = f[k]
        Y[3 + i, 1 + k] = -f[j]


@kernel
def _put_inertia(w: Floats, alpha: Floats, Y: Floats) -> None:
    """Columns of J: -(J α + ω × J ω) for each of its six numbers being one."""
    rows, columns = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
    Ja, Jw = vector(3), vector(3)
    for p in range(6):
        i, j = rows[p], columns[p]
        Ja[:], Jw[:] = 0.0, 0.0
        Ja[i], Jw[i] = alpha[j], w[j]
        Ja[j], Jw[j] = alpha[i], w[i]
        Y[3, 4 + p] = -(Ja[0] + w[1] * Jw[2] - w[2] * Jw[1])
        Y[4, 4 + p] = -(Ja[1] + w[2] * Jw[0] - w[0] * Jw[2])
        Y[5, 4 + p] = -(Ja[2] + w[0] * Jw[1] - w[1] * Jw[0])
