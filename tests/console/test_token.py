"""A console with a token: who does not bring it sees the page's files, but nothing of the hall."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_socket import PageSocket, open_socket
from served_console import Served, Tab, serve
from websockets.exceptions import WebSocketException

TOKEN = "a-token-of-twenty-four-1"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    words = ("--console-bind", "0.0.0.0", "--console-token", TOKEN)
    made = serve(tmp_path_factory.mktemp("token") / "serve", *words, cell="fzi")  # begins sooner than the hall
    made.address = re.sub(r"//[^:]+:", "//127.0.0.1:", made.address)  # the host's name may not lead here in a sandbox
    yield made
    made.end()


def port(served: Served) -> int:
    return int(served.address.split("/#")[0].rsplit(":", 1)[1])


def test_the_websocket_asks_for_the_token(guarded: Served) -> None:
    for token in (None, "another-token-of-24-chars"):
        with pytest.raises(WebSocketException):
            open_socket(port(guarded), token=token).recv(timeout=3)
    page = PageSocket(port(guarded), token=TOKEN)
    page.listen(0.2)
    assert page.frames
    page.close()


def test_requests_ask_for_the_token(guarded: Served) -> None:
    address = f"http://127.0.0.1:{port(guarded)}/api/hall"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(address, headers={"X-Proxops": "1"}))
    assert refused.value.code == 403
    brought = urllib.request.Request(address, headers={"X-Proxops": "1", "Authorization": f"Bearer {TOKEN}"})
    assert urllib.request.urlopen(brought).status == 200


def test_the_printed_address_opens_the_page(guarded: Served, open_tab: Callable[..., Tab]) -> None:
    """The token in the address is taken out of sight, and is enough for everything."""
    assert guarded.address.endswith(f"#token={TOKEN}")
    tab = open_tab(guarded.address)
    assert TOKEN not in tab.page.url
    tab.wait("proxops.hall", 30.0)
    tab.take_control()


def test_a_page_without_the_token_says_so_and_takes_one(guarded: Served, browser: Any) -> None:
    page = browser.new_context().new_page()
    tab = Tab(page)
    page.goto(f"http://127.0.0.1:{port(guarded)}/")
    tab.wait("document.querySelector('.banner').textContent.includes('token')", 20.0)
    page.fill("#token", TOKEN)
    page.press("#token", "Enter")
    tab.wait("window.proxops?.desk.record", 20.0)


def test_no_other_address_without_a_token(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, _, said = run("serve", "--console-bind", "0.0.0.0", "--out", tmp_path / "serve")
    assert code == 2 and "only served to other machines with a token" in said
    assert not (tmp_path / "serve").exists()
