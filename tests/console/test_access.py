"""Who may come in: hosts, origins, tokens; and addresses that are not served without one."""

from pathlib import Path

import pytest

from proxops.console.access import Gate, bearer, offered_protocols
from proxops.console.launch import ConsoleLaunch
from proxops.console.token import demand_token
from proxops.core.errors import BadInput

TOKEN = "a-token-of-twenty-four-1"
HOME = {"host": "127.0.0.1:47254", "origin": "http://127.0.0.1:47254"}


def refuses(gate: Gate, headers: dict[str, str], token: str | None = None) -> str:
    return gate.refuses(headers, token, origin_needed=True)


def test_our_own_page_comes_in() -> None:
    gate = Gate("127.0.0.1", None)
    assert refuses(gate, HOME) == ""
    assert refuses(gate, {"host": "localhost:47254", "origin": "http://localhost:47254"}) == ""
    assert refuses(Gate("::1", None), {"host": "[::1]:47254", "origin": "http://[::1]:47254"}) == ""


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        (HOME | {"origin": "http://evil.example"}, "another origin"),
        (HOME | {"origin": "http://127.0.0.1:8000"}, "another origin"),  # another service of the same machine
        (HOME | {"origin": "null"}, "another origin"),  # a sandboxed frame
        ({"host": HOME["host"]}, "no origin"),
        ({"host": "evil.example", "origin": "http://evil.example"}, "this machine only"),  # a name that was bent to us
        (
            {"host": "127.0.0.1.evil.example:47254", "origin": "http://127.0.0.1.evil.example:47254"},
            "this machine only",
        ),
        ({"host": "", "origin": "http://"}, "this machine only"),
    ],
)
def test_others_stay_out(headers: dict[str, str], why: str) -> None:
    assert why in refuses(Gate("127.0.0.1", None), headers)


def test_a_token_is_asked_for_where_there_is_one() -> None:
    gate = Gate("0.0.0.0", TOKEN)
    there = {"host": "hall:47254", "origin": "http://hall:47254"}
    assert refuses(gate, there, TOKEN) == ""
    assert "token" in refuses(gate, there)
    assert "token" in refuses(gate, there, TOKEN[:-1])
    assert "another origin" in refuses(gate, there | {"origin": "http://evil.example"}, TOKEN)


def test_other_addresses_demand_a_token() -> None:
    for bind in ("0.0.0.0", "::", "192.168.1.4", "hall.example"):
        with pytest.raises(BadInput, match="only served to other machines with a token"):
            demand_token(bind, None)
        demand_token(bind, TOKEN)
    for bind in ("127.0.0.1", "127.0.0.2", "::1", "localhost"):
        demand_token(bind, None)


@pytest.mark.parametrize("token", ["", "short", "spaces are no letters here", "ünïcödé-tökéns-ärë-öüt!"])
def test_a_weak_token_is_refused(token: str) -> None:
    with pytest.raises(BadInput, match="too weak"):
        ConsoleLaunch.prepare("127.0.0.1", 0, token, None, None)


def test_where_tokens_travel() -> None:
    assert bearer({"authorization": f"Bearer {TOKEN}"}) == TOKEN
    assert bearer({"authorization": TOKEN}) is None
    assert offered_protocols({"sec-websocket-protocol": f"proxops, token.{TOKEN}"}) == (True, TOKEN)
    assert offered_protocols({"sec-websocket-protocol": "graphql-ws"}) == (False, None)
    assert offered_protocols({}) == (False, None)


def test_a_page_that_was_never_built_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("proxops.console.launch.STATIC", tmp_path)
    with pytest.raises(BadInput, match=r"has not been built.*make setup"):
        ConsoleLaunch.prepare("127.0.0.1", 0, None, None, None)


def test_a_port_that_is_taken() -> None:
    first = ConsoleLaunch.prepare("127.0.0.1", 0, None, None, None)
    port = first.listening.getsockname()[1]
    with pytest.raises(BadInput, match="cannot serve the console"):
        ConsoleLaunch.prepare("127.0.0.1", port, None, None, None)
    first.listening.close()
