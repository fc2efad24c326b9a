"""A served facility with its console, and a real browser that looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_console import FLAGS, Served, Tab, serve

from proxops.console.trajectory_check import check

# The page's measures are those of the window; its picture, drawn without a graphics card, has a quarter of the pixels.
LOOK: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}, "device_scale_factor": 0.5}


@pytest.fixture(scope="session")
def compiled_check(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the check of an uploaded file needs, compiled here, where nobody waits: a page does for a minute, and a fresh
    clone may take longer beside others."""
    still = " ".join(["3", *["0.0 -90.0 90.0 0.0 0.0 0.0 0.0"] * 2, *["0.0"] * 7, "5950.0"])
    file = tmp_path_factory.mktemp("check") / "still.txt"
    file.write_text(f"{still}\n" * 50)
    assert check(None, None, file)["feasible"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, compiled_check: None) -> Iterator[Served]:
    made = serve(tmp_path_factory.mktemp("console") / "serve")
    yield made
    beside = [made.keeper_pid(), made.console_pid()]
    made.end()
    assert not [pid for pid in beside if Path(f"/proc/{pid}").exists()]  # ended with the facility, and reaped


@pytest.fixture(scope="module")  # its event loop would be in the way of other tests' own
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
        yield made
        made.close()


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """A window that stays open from test to test: another costs the browser about a second's work."""
    made = browser.new_context(**LOOK)
    made.new_page()  # it would close with its last tab
    yield made
    made.close()


@pytest.fixture
def open_tab(browser: Any, window: Any) -> Iterator[Callable[..., Tab]]:
    """Open the console in a new tab (the page remembers nothing beyond it); further ones of a test in windows of their own, as a
    tab behind another is hardly drawn."""
    pages: list[Any] = []
    others: list[Any] = []

    def opened(address: str, **options: Any) -> Tab:
        if pages or options:
            others.append(browser.new_context(**LOOK, **options))
        pages.append((others[-1] if pages or options else window).new_page())
        tab = Tab(pages[-1])
        tab.page.goto(address)
        tab.wait("window.proxops?.desk.record", 60.0)
        return tab

    yield opened
    for page in pages:
        page.close()
    for context in others:
        context.close()
