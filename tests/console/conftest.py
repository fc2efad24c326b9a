"""A served facility with its console, and a real browser that looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_console import FLAGS, Served, Tab, serve


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
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


@pytest.fixture
def open_tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Open the console in a new window of its own."""
    contexts = []

    def opened(address: str, **options: Any) -> Tab:
        # The page's measures are those of the window; its picture, drawn without a graphics card, has a quarter of the pixels.
        window = {"viewport": {"width": 1366, "height": 768}, "device_scale_factor": 0.5}
        contexts.append(browser.new_context(**window, **options))
        tab = Tab(contexts[-1].new_page())
        tab.page.goto(address)
        tab.wait("window.proxops?.desk.record", 20.0)
        return tab

    yield opened
    for context in contexts:
        context.close()
