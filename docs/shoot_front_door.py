"""Takes the two pictures of the README: the hall in the middle of an approach, and the console that shows it.

Run: python docs/shoot_front_door.py     (needs Chromium; about four minutes, because the approach is flown live)
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright
from served_console import FLAGS, Tab, serve
from shoot_console import DRAWING_S, FINE, SIZE

OUT = Path(__file__).parent / "pictures"
APPROACH_S = 115.0  # from following at 18 m to the last few metres, at 0.1 m/s
CLUTTER = ("Frames", "Zone boxes", "Trail", "Commanded ghost")  # what a first look can do without


def approach(tab: Tab) -> None:
    """Start the straight approach as an operator would, and wait until the robots are near each other."""
    tab.take_control()
    tab.page.select_option("#scenario", "straight")
    tab.press("run_start")
    tab.wait("proxops.desk.word('bridge.phase') === 'FOLLOWING'", 180.0)
    time.sleep(APPROACH_S)


def console(tab: Tab) -> None:
    """The Command Center."""
    tab.open("command")
    tab.ask("() => document.querySelector('.notices').replaceChildren()")
    time.sleep(DRAWING_S)
    tab.page.screenshot(path=OUT / "console.png")


def hall(tab: Tab) -> None:
    """The hall alone."""
    tab.open("rvd")
    for name in CLUTTER:
        tab.page.uncheck(f'section.page.rvd label:has-text("{name}") input')
    time.sleep(DRAWING_S)
    tab.page.locator("section.page.rvd canvas").first.screenshot(path=OUT / "hall.png")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        served = serve(Path(name) / "serve")
        try:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
            tab = Tab(browser.new_context(viewport=SIZE).new_page())
            tab.page.add_init_script("sessionStorage.setItem('proxops.name', 'Anna')")
            tab.page.goto(served.address + FINE)
            tab.wait("window.proxops?.desk.record", 30.0)
            for part in (approach, console, hall):
                part(tab)
            browser.close()
        finally:
            served.end()


if __name__ == "__main__":
    main()
