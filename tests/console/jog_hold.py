"""Holding a jog button of robot 1's axis 1 on the MCU page, by whatever hand, until the robot has moved."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from served_console import Served, Tab, wait_until

PLUS, MINUS = (f'section.page.mcu .jog-row[data-component="a1"] button >> nth={k}' for k in (-1, 0))


def point_at(tab: Tab, element: str) -> None:
    box = tab.page.locator(element).bounding_box()
    assert box is not None
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def hold_until_it_moves(served: Served, press: Callable[[], Any], release: Callable[[], Any], way_rad: float) -> None:
    """Hold a button of robot 1's axis 1. A busy machine may keep the heartbeats back, which ends the motion: then again."""
    for _ in range(10):
        before = served.ask("status")["setpoint"]["robot1_a1"]
        press()
        until = time.monotonic() + 2.0
        while time.monotonic() < until:
            way = served.ask("status")["setpoint"]["robot1_a1"] - before
            if way * math.copysign(1.0, way_rad) > abs(way_rad):
                return
            time.sleep(0.01)
        release()
        wait_until(lambda: stands(served), 5.0, "robot 1 stands")
    raise AssertionError("robot 1 does not move while the button is held")


def stands(served: Served) -> bool:
    before = served.ask("status")["setpoint"]
    time.sleep(0.1)
    return bool(before == served.ask("status")["setpoint"])
