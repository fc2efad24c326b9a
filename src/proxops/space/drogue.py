"""Shape of the client's half of the docking hardware, met by a ball on the chaser's probe: how deep, and which way out.

Client axes; the hardware looks along +x. ``plate``: a flat face. ``cone``: a funnel that ends in a spherical bowl, tangent
to it, with a flat rim round its mouth. Since the bowl is wider than the ball, the ball always touches in one point, and the
normal turns without a jump from rim to wall to bowl: an energy that depends on the depth alone is one of position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

PLATE, CONE = 0, 1
DROGUE_DTYPE: Final = np.dtype(
    [
        ("kind", "i8"), ("ball", "f8"), ("seat_x", "f8"), ("bowl", "f8"), ("sin", "f8"), ("cos", "f8"), ("mouth", "f8"),
        ("rim_x", "f8"),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Drogue:
    """``seat_m``: centre of the ball on the client's x axis when it just touches the bottom. Radii in m."""

    kind: Literal["plate", "cone"]
    ball_m: float
    seat_m: float
    bowl_m: float = 0.0
    half_angle_rad: float = 0.0  # between axis and wall
    mouth_m: float = 0.0  # radius of the opening

    def __post_init__(self) -> None:
        if self.kind == "cone" and not self.bowl_m > self.ball_m:
            raise BadInput(
                "shape.bowl_mm: the ball does not fit", value=self.bowl_m * 1e3, bound=f"over {self.ball_m * 1e3:g} mm"
            )
        if self.kind == "cone" and not self.mouth_m > self.bowl_m * math.cos(self.half_angle_rad):
            raise BadInput(
                "shape.mouth_mm: narrower than where the wall begins", value=self.mouth_m * 1e3,
                bound=f"over {self.bowl_m * math.cos(self.half_angle_rad) * 1e3:.1f} mm",
            )  # fmt: skip

    @property
    def record(self) -> NDArray[np.void]:
        """For the kernels."""
        sin, cos = math.sin(self.half_angle_rad), math.cos(self.half_angle_rad)
        out = np.zeros(1, DROGUE_DTYPE)
        # The wall is R + z sin - rho cos = 0 about the bowl's centre, which the ball's centre leaves by bowl - ball at most.
        centre_x = self.seat_m + (self.bowl_m - self.ball_m)
        rim_x = centre_x + (self.mouth_m * cos - self.bowl_m) / sin if self.kind == "cone" else 0.0
        out[0] = (
            CONE if self.kind == "cone" else PLATE,
            self.ball_m,
            self.seat_m,
            self.bowl_m,
            sin,
            cos,
            self.mouth_m,
            rim_x,
        )
        return out


@kernel
def depth(drogue: NDArray[np.void], ball: Array, normal: Array) -> float:
    """By how much the ball with its centre at ``ball`` (its first three numbers), client axes, is pressed in (m; negative:
    clear); ``normal``: unit, out."""
    g = drogue[0]
    x, y, z = ball[0], ball[1], ball[2]
    if g.kind == PLATE:
        normal[0], normal[1], normal[2] = 1.0, 0.0, 0.0
        return float(g.seat_x - x)
    centre_x = g.seat_x + (g.bowl - g.ball)
    a, rho = x - centre_x, math.sqrt(y * y + z * z)
    away = math.sqrt(a * a + rho * rho)
    if away > 0.0 and -a >= g.sin * away:  # below the circle where the wall begins
        along, across, clear = -a / away, -rho / away, g.bowl - away
    else:
        along, across, clear = g.sin, -g.cos, g.bowl + a * g.sin - rho * g.cos
        if x - clear * along > g.rim_x:  # the foot lies beyond the rim's edge
            if rho >= g.mouth:
                along, across, clear = 1.0, 0.0, x - g.rim_x
            else:
                da, dr = x - g.rim_x, rho - g.mouth
                clear = math.sqrt(da * da + dr * dr)
                along, across = da / clear, dr / clear
    outward = across / rho if rho > 0.0 else 0.0
    normal[0], normal[1], normal[2] = along, outward * y, outward * z
    return float(g.ball - clear)
