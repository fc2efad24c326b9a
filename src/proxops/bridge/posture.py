"""Search for the posture to begin with: many starts, each relaxed to its valley, the best one that leaves room.

A search may take longer than a tick has, so it is done in portions: ``step`` spends a bounded number of iterations and is
called again in the next cycle. The same search gives ``proxops check`` its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.cost import Cost
from proxops.bridge.descent import FIRST_STEP, FREE_DTYPE, begin, relax
from proxops.bridge.mapping import PLACE_DTYPE, Place, Rig, rig_of
from proxops.bridge.reach import smallest_room
from proxops.lab.cell import Cell

PORTION: Final = 30  # iterations per step: about 0.1 ms
PORTIONS: Final = 6  # of each start
SIGNS: Final = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))
NO_ROLL: Final = np.zeros(2)
START_ROOM: Final = 0.05  # m or rad that a posture must leave to begin with
_A1: Final = ((-15.0, -10.0), (0.0, 25.0), (20.0, 40.0))  # deg: of both arms, apart and turned towards each other
_BENDS: Final = ((-95.0, 105.0), (-120.0, 90.0))  # deg: A2, A3 of either arm
_PHI: Final = (0.0, 120.0, -120.0)


def _starts(phi_deg: float | None) -> NDArray[np.float64]:
    """Free parameters (rad) to start from: both arms bent and turned differently, phi all round unless it is given."""
    rows = [
        (a1, *bend, b1, *bend, phi)
        for (a1, b1), bend, phi in product(_A1, _BENDS, _PHI if phi_deg is None else (phi_deg,))
    ]
    return np.radians(rows)


@dataclass(frozen=True)
class Posture:
    """A posture that shows the pose: cost, smallest room and what it is of, A5's signs, parameters, the thirteen axes."""

    cost: float
    room: float
    nearest: int  # as reach.smallest_room counts
    signs: tuple[float, float]
    free: NDArray[np.float64]
    q: NDArray[np.float64]


class PostureSearch:
    """Postures for one relative pose, found portion by portion."""

    def __init__(
        self, cell: Cell, cost: Cost, pose: NDArray[np.float64], near: NDArray[np.float64],
        phi_deg: float | None = None,
    ) -> None:  # fmt: skip
        self._cell, self._cost, self.pose = cell, cost, pose.copy()
        # Bounded axes are counted from their middle, endless ones from where they are, so that none unwinds.
        self._near = np.where(np.isinf(cell.axes.upper), near, 0.0)
        self._rigs: dict[tuple[float, float], Rig] = {signs: rig_of(cell, signs) for signs in SIGNS}
        self._left = [(signs, start) for start in _starts(phi_deg) for signs in SIGNS]
        self._free, self._place = np.zeros(1, FREE_DTYPE), np.zeros(1, PLACE_DTYPE)
        self._portion, self._step = 0, FIRST_STEP
        self.found: list[Posture] = []

    def step(self) -> bool:
        """One portion; True once every start was tried."""
        if not self._left:
            return True
        signs, start = self._left[-1]
        rig = self._rigs[signs]
        if self._portion == 0:
            begin(rig, self.pose, start, self._free)
            self._step = FIRST_STEP
        value, self._step = relax(
            self._cell.hall, rig, self._cost, self.pose, self._free, self._near, PORTION, self._step, self._place
        )
        self._portion += 1
        if not np.isfinite(value) or self._portion == PORTIONS:
            self._keep(value, signs)
            self._left.pop()
            self._portion = 0
        return not self._left

    def run(self) -> list[Posture]:
        """All at once, for whoever has the time."""
        while not self.step():
            pass
        return self.found

    def _keep(self, value: float, signs: tuple[float, float]) -> None:
        if not np.isfinite(value):
            return
        room, nearest = smallest_room(self._cell.hall, self._place, NO_ROLL)
        place: Place = self._place
        self.found.append(
            Posture(float(value), float(room), int(nearest), signs, self._free[0]["x"].copy(), place[0]["q"].copy())
        )

    def best(self, from_q: NDArray[np.float64] | None = None) -> list[Posture]:
        """Those that leave room, best first; with ``from_q`` a long way there counts a little against a posture."""
        speed = self._cell.hall["speed"][0]

        def rank(posture: Posture) -> float:
            way = 0.0 if from_q is None else float(np.max(np.abs(posture.q - from_q) / speed))
            return posture.cost + 0.02 * way

        return sorted((p for p in self.found if p.room >= START_ROOM), key=rank)


def nearest_miss(found: list[Posture]) -> Posture | None:
    """The posture that misses by least, when none fits."""
    return max(found, key=lambda posture: posture.room, default=None)
