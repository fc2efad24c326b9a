"""Takes the two pictures of the README: the hall in the middle of an approach, and the console that shows it.

Run: python docs/shoot_front_door.py     (needs Chromium; about four minutes, because the approach is flown live)
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from shoot_console import DRAWING_S, FINE, FLAGS, SIZE, Tab, serve

OUT = Path(__file__).parent / "pictures"
FIRST_S = 30.0  # after the hall has begun to follow: the console
LATER_S = 75.0  # after that: the robots are a few metres from each other
TRIES = 40  # a machine that draws without a graphics card is busy: the first picture that shows no old data is taken
CLUTTER = ("Frames", "Zone boxes", "Trail", "Commanded ghost")  # what a first look can do without


def opened(browser: Any, address: str) -> Tab:
    """A page of an operator called Anna."""
    tab = Tab(browser.new_context(viewport=SIZE).new_page())
    tab.page.add_init_script("sessionStorage.setItem('proxops.name', 'Anna')")
    tab.page.goto(address)
    tab.wait("window.proxops?.desk.record", 30.0)
    return tab


def approach(tab: Tab) -> None:
    """Start the straight approach as an operator would."""
    tab.take_control()
    tab.page.select_option("#scenario", "straight")
    tab.press("run_start")
    tab.open("security")  # where nothing is drawn in 3D, so that the machine can keep time
    tab.wait("proxops.desk.word('bridge.phase') === 'FOLLOWING'", 180.0)


def console(tab: Tab) -> None:
    """The Command Center, following and fresh."""
    tab.open("command")
    for _ in range(TRIES):
        time.sleep(1.0)
        tab.ask("() => document.querySelector('.notices').replaceChildren()")
        tab.wait("proxops.desk.ageMs() < 100 && !document.body.classList.contains('stale')")
        tab.page.screenshot(path=OUT / "console.png")
        if tab.ask(
            "() => !document.body.classList.contains('stale') && proxops.desk.word('bridge.phase') === 'FOLLOWING'"
        ):
            return
    raise SystemExit("this machine is too busy for a picture of the console: try again")


def hall(tab: Tab) -> None:
    """The hall alone."""
    tab.open("rvd")
    tab.wait("proxops.hall", 60.0)
    time.sleep(DRAWING_S)
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
            desk = opened(browser, served.address + FINE)
            approach(desk)
            time.sleep(FIRST_S)
            console(desk)
            desk.open("security")
            time.sleep(LATER_S)
            hall(desk)
            browser.close()
        finally:
            served.end()


if __name__ == "__main__":
    main()
