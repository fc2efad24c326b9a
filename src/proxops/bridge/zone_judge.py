"""Zones as the bridge sees them: of the robots as they are, and of the posture that the command asks for."""

from __future__ import annotations

import math
from typing import Final

from proxops.bridge.hall_state import Axes, HallState
from proxops.bridge.settings import BridgeSettings
from proxops.core.vocabulary import Zone
from proxops.safety.zone_watch import LookParts, ZoneWatch
from proxops.safety.zones import LOGIC

SHOW_EVERY: Final = 25  # cycles between two looks for displays alone: 10 Hz
YELLOW_STAYS_M: Final = 0.003  # beyond the layer: what stands at its edge does not flicker


class ZoneJudge:
    """Zones and clearances of the last look at each; clearances are exact in yellow and red, else now and then."""

    def __init__(self, state: HallState, settings: BridgeSettings, zones: ZoneWatch) -> None:
        self._state, self._zones = state, zones
        self._speed, _, self._rate, _ = settings.limits.tolist()
        self.commanded = self.actual = Zone.GREEN
        self.commanded_clearance_m = self.actual_clearance_m = math.nan
        self.pair = ""  # nearest to red, of the robots as they are
        self.yellow_m = zones.minimum_m

    @property
    def allowed(self) -> bool:
        """Table 1: whether the hall may move towards the command."""
        return LOGIC[self.commanded, self.actual]

    @property
    def _due(self) -> bool:
        return self._state.clock.tick % SHOW_EVERY == 0

    @property
    def until_shown(self) -> int:
        """Cycles from the next one on to that in which displays are looked after again."""
        return SHOW_EVERY - self._state.clock.tick % SHOW_EVERY

    @property
    def parts(self) -> LookParts:
        """Of ``all_clear``, for kernels."""
        return self._zones.look_parts

    def see_robots(self) -> None:
        state, zones = self._state, self._zones
        stays = YELLOW_STAYS_M if self.actual is Zone.YELLOW else 0.0
        judged = zones.actual(state.actual, state.guard.rate, stays)
        self.actual, self.pair = judged.zone, judged.finding.pair
        if judged.zone is not Zone.GREEN or self._due or math.isnan(self.actual_clearance_m):
            self.actual_clearance_m = zones.nearest(state.actual).distance_m
        self.yellow_m = max(zones.minimum_m, judged.finding.layer_m)

    def see_command(self, q: Axes, closing_m_s: float, turning_rad_s: float) -> None:
        """``q``: the posture that shows the command, which closes in and turns at these speeds."""
        self._zones.expect(min(closing_m_s, self._speed), min(turning_rad_s, self._rate))
        judged = self._zones.commanded(q)
        self.commanded = judged.zone
        if judged.zone is not Zone.GREEN or self._due:
            self.commanded_clearance_m = self._zones.nearest(q).distance_m

    def all_clear(self, wish: Axes, rate: Axes) -> bool:
        """One look for all while following: wish, robots and the way of a stop are green."""
        layer = self._zones.all_clear(wish, rate, self._state.actual)
        if layer < 0.0:
            return False
        self.yellow_m = layer
        if self._due:
            self.show(wish)
        return True

    def show(self, wish: Axes) -> float:
        """The clearance of both at ``wish``, where all is green."""
        self.commanded_clearance_m = self.actual_clearance_m = self._zones.nearest(wish).distance_m
        return self.actual_clearance_m

    def remain_clear(self) -> None:
        """The look at the last wish does for this cycle too."""
        self.commanded = self.actual = Zone.GREEN

    def out_of_reach(self) -> None:
        """No posture shows the command."""
        self.commanded, self.commanded_clearance_m = Zone.RED, math.nan
