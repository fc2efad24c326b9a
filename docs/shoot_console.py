"""Takes the pictures of docs/console.md: a served hall and a served arm, operated in a real browser, a picture of each page.

Run: python docs/shoot_console.py [name …]     (needs Chromium; without names all pictures are taken)
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path += [str(Path(__file__).parents[1] / "tests" / part) for part in ("console", "shared")]
from patient_cell import patient_cell
from served_console import FLAGS, Served, Tab, announced, serve

from proxops.lab.any_cell import read_any_cell

OUT = Path(__file__).parent / "console"
ARMS = "cell_view"  # the picture of a cell of arms
EYES = "vision"  # that of a mission on images
SIZE = {"width": 1366, "height": 768}
FINE = "?fine"  # shadows and foil also where there is no graphics card
DRAWING_S = 7.0  # a fine picture without a graphics card
COMPILING_S = 600.0
WATCHED = """
kind = "mission"
like = "approach"
name = "watched"
about = "A camera and a time-of-flight camera look at the client 8 m away"
duration_s = 3600.0
plan = [{ kind = "hold", duration_s = 7200.0 }]
orbit = { anomaly_deg = 130.0 }
start = { position_m = [-8.0, 0.0, 0.0] }
vision = { sensors = ["eye", "depth"], pose_sensor = true }
[[sensor]]
kind = "camera"
name = "eye"
rate_hz = 2.0
[[sensor]]
kind = "tof"
name = "depth"
rate_hz = 2.0
"""


class Shooting:
    """One browser window and what it is to show."""

    def __init__(self, browser: Any, served: Served, wanted: set[str]) -> None:
        self._browser, self.served, self._wanted = browser, served, wanted
        self.tab = self.open(FINE)

    def open(self, query: str = "") -> Tab:
        tab = Tab(self._browser.new_context(viewport=SIZE).new_page())
        tab.page.add_init_script("sessionStorage.setItem('proxops.name', 'Anna')")
        tab.page.goto(self.served.address + query)
        tab.wait("window.proxops?.desk.record", 30.0)
        return tab

    def shoot(self, name: str, page: str, wait_s: float = 1.0, tab: Tab | None = None) -> None:
        tab = tab or self.tab
        tab.open(page)
        tab.ask("() => document.querySelector('.notices').replaceChildren()")
        time.sleep(wait_s)
        if not self._wanted or name in self._wanted:
            tab.page.screenshot(path=OUT / f"{name}.png")
            print(OUT / f"{name}.png", flush=True)


def operate(shooting: Shooting) -> None:
    """From the start of a scenario to its replay."""
    tab, served = shooting.tab, shooting.served
    tab.take_control()
    tab.page.select_option("#scenario", "straight")
    tab.press("run_start")
    tab.wait("proxops.desk.word('bridge.phase') === 'FOLLOWING'", 180.0)
    chart(tab)
    time.sleep(25.0)
    shooting.shoot("command_center", "command", DRAWING_S)
    shooting.shoot("rvd_view", "rvd", DRAWING_S)
    shooting.shoot("fmc_display", "fmc")
    shooting.shoot("timing", "timing", 1.5)
    shooting.shoot("plan_view", "rvd", 1.5, shooting.open("?plan"))
    tab.open("command")
    tab.press("run_end")
    tab.wait_mode("READY", 60.0)
    tab.press("select manual")
    tab.wait_mode("MANUAL")
    shooting.shoot("mcu", "mcu")
    served.ask("interlock", name="door_preparation_room", healthy=False)
    served.wait_mode("STOPPED")
    shooting.shoot("security_display", "security")
    served.ask("interlock", name="door_preparation_room", healthy=True)
    served.ask("reset")
    served.wait_mode("READY")


def chart(tab: Tab) -> None:
    """Strip charts of the rail and of robot 1's axis 1."""
    tab.open("fmc")
    for k in (0, 1):
        tab.page.locator("section.page.fmc table tbody td.num").nth(3 * k).click()
        time.sleep(0.3)


def replay(shooting: Shooting) -> None:
    tab = shooting.tab
    tab.open("logs")
    tab.page.click('.log-runs button:has-text("serve")')
    tab.wait("document.querySelector('section.page.logs .uplot')", 60.0)
    tab.wait("proxops.replay?.axes()?.length === 13", 60.0)
    slider = tab.page.locator('section.page.logs input[type="range"]').first
    slider.evaluate(
        "(s) => { s.value = String(0.6 * Number(s.max)); s.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    shooting.shoot("log_viewer", "logs", DRAWING_S)


def silence(shooting: Shooting) -> None:
    """The facility hangs: everything that can be old is grey, and says so."""
    import signal

    process = shooting.served.process
    process.send_signal(signal.SIGSTOP)
    time.sleep(1.0)
    shooting.shoot("silence", "command", 0.5)
    process.send_signal(signal.SIGCONT)


def cell_view(shooting: Shooting) -> None:
    """A cell of one arm, with its axes swung a little."""
    shooting.served.ask("select", source="sine")
    shooting.served.ask("sine", axis="robot1_a2", amplitude=0.1, frequency_hz=0.1, cycles=4)
    shooting.shoot(ARMS, "rvd", DRAWING_S)


def vision(browser: Any, folder: Path) -> None:
    """A mission by the wall's clock: the client is tracked, and somebody points at it."""
    (folder / "watched.toml").write_text(WATCHED)
    words = (
        "run",
        str(folder / "watched.toml"),
        "--realtime",
        "--console",
        "--no-report",
        "--out",
        str(folder / "out"),
    )
    cell = patient_cell(folder, "epos")
    command = [sys.executable, "-m", "proxops.cli", *words, "--cell", str(cell)]
    (folder / "out").mkdir()
    served = announced(command, folder / "out", read_any_cell(cell))
    try:
        shooting = Shooting(browser, served, set())
        tab = shooting.tab
        tab.open("sensors")
        tab.take_control()
        tab.wait("proxops.desk.vision?.sensors.eye?.accepted > 3 && proxops.sensors.of('eye')?.marks > 0", COMPILING_S)
        tab.page.click('[data-sensor="eye"] button:has-text("Designate")')
        box = tab.page.locator('[data-sensor="eye"] canvas.sensor-canvas').bounding_box()
        x, y = box["x"] + 0.52 * box["width"], box["y"] + 0.52 * box["height"]
        tab.wait("proxops.sensors.of('eye')?.marks > 0", 60.0)
        tab.page.mouse.move(x, y)
        tab.page.mouse.down()
        tab.page.mouse.move(x + 60, y)
        time.sleep(0.5)
        tab.page.screenshot(path=OUT / f"{EYES}.jpg", type="jpeg", quality=82)
        print(OUT / f"{EYES}.jpg", flush=True)
    finally:
        served.end()


def session(cell: str, wanted: set[str], parts: tuple[Callable[[Shooting], None], ...]) -> None:
    """Pictures of one served cell."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        served = serve(Path(name) / "serve", cell=cell)
        try:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
            shooting = Shooting(browser, served, wanted)
            for part in parts:
                part(shooting)
            browser.close()
        finally:
            served.end()


def main() -> None:
    OUT.mkdir(exist_ok=True)
    wanted = set(sys.argv[1:])
    if not wanted or EYES in wanted:
        with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
            vision(browser, Path(name))
            browser.close()
    if not wanted or wanted - {ARMS, EYES}:
        session("epos", wanted, (operate, replay, silence))
    if not wanted or ARMS in wanted:
        session("kube", wanted, (cell_view,))


if __name__ == "__main__":
    main()
