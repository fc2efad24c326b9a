"""The console of a served cell of one arm (kube) in a real browser: seen, jogged and stopped; what needs a hall is not there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from jog_hold import PLUS, hold_until_it_moves, point_at, stands
from served_console import Served, Tab, serve, wait_until

OpenTab = Callable[..., Tab]
OF_A_HALL = (
    ".scenarios",
    ".trajectory",
    *(f'button[data-request="select {name}"]' for name in ("bridge", "sync", "async")),
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """At a third of its rate, which is still not a hall's: pages show no more than 25 cycles a second of it.
    As shipped, at 1 kHz, it is seen in ``test_hall_watch.py``."""
    slower = (("period_ms = 1 ", "period_ms = 3 "),)
    made = serve(tmp_path_factory.mktemp("arm_console") / "serve", cell="kube", changes=slower)
    yield made
    made.end()


def test_pages_show_the_cell_and_nothing_of_a_hall(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(served.address)
    tab.wait_mode("READY")
    tab.wait("proxops.hall?.webgl === true", 30.0)
    assert not [part for part in OF_A_HALL if tab.page.is_visible(part)]
    assert "need a hall of two arms and a rail" in tab.page.inner_text("section.page.command")
    assert tab.page.inner_text('nav.tabs a[href="#/rvd"]') == "Cell View"
    for page in ("command", "rvd", "fmc", "security", "mcu", "timing", "logs"):
        tab.open(page)
        time.sleep(0.5)
        scrolls = "() => document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth"
        assert tab.page.is_visible("#safe-stop") and not tab.ask(scrolls), page
    assert tab.errors == []


def test_the_arm_is_drawn_where_it_stands(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(served.address)
    tab.open("rvd")
    tab.wait("proxops.hall", 30.0)
    time.sleep(0.3)
    axes, flange = tab.ask("() => [proxops.hall.axesShown('actual'), proxops.hall.flange(1, 'actual')]")
    status = served.ask("status")
    assert axes == pytest.approx(list(status["axes"].values()), abs=2e-4)
    assert np.reshape(flange, (4, 4))[:3, 3] == pytest.approx(status["poses"]["actual_flange1"][:3], abs=1e-3)


def test_a_jog_moves_the_arm_and_a_safe_stop_ends_it(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(served.address)
    tab.take_control()
    tab.open("mcu")
    tab.press("select manual")
    tab.wait_mode("MANUAL")
    rows = "() => [...document.querySelectorAll('.jog-row')].map((row) => row.dataset.component)"
    assert tab.ask(rows) == ["a1", "a2", "a3", "a4", "a5", "a6", "a7"]
    point_at(tab, PLUS)
    hold_until_it_moves(served, tab.page.mouse.down, tab.page.mouse.up, 0.002)
    tab.page.mouse.up()
    wait_until(lambda: stands(served), 5.0, "the arm stands")
    after = served.ask("status")["setpoint"]["robot1_a1"]
    assert after > float(served.cell.home[0]) + 0.002
    tab.open("rvd")
    tab.wait(f"Math.abs(proxops.hall?.axesShown('actual')[0] - ({after})) < 2e-4")  # the scene shows it
    tab.page.click("#safe-stop")
    tab.wait_mode("STOPPED")
    tab.open("security")
    tab.wait("document.querySelector('.forbids').innerText.includes('OPERATOR')")
    assert served.ask("status")["stop"]["rule"] == "OPERATOR"
    tab.open("command")
    tab.press("reset")
    tab.wait_mode("READY")
    assert tab.errors == []


def test_the_run_is_replayed(served: Served, open_tab: OpenTab) -> None:
    """Of the log that is being recorded: its axes as charts, and the arm drawn from it."""
    tab = open_tab(served.address)
    tab.open("logs")
    tab.page.click(".log-run")
    tab.wait("document.querySelector('.log-replay')?.offsetParent", 20.0)
    tab.wait("proxops.replay.axes().length === 7 && proxops.replay.axes().every(Number.isFinite)", 20.0)
    assert tab.ask("() => proxops.replay.axes()") == pytest.approx(served.cell.home.tolist(), abs=2e-3)
    assert "robot 1 A1" in tab.page.inner_text(".log-work")
    assert tab.errors == []
