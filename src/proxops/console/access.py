"""Who may come in: the page itself, and nobody that another page or another host has sent.

Loopback serves whoever is on this machine; any other address demands a token. A request that carries an ``Origin`` must come from
our own page, and the name it was sent to must be ours: a page of somebody else cannot reach us through the operator's browser.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from proxops.console.json_text import JsonAnswer
from proxops.console.token import is_loopback
from proxops.core.errors import ProxopsError, Refused

Answer = Callable[[Request], Awaitable[Response]]

NO_TOKEN: Final = "no or wrong token"
BAD, CONFLICT = 400, 409  # the request itself; the state of things
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Gate:
    """Judges requests by their headers."""

    bind: str
    token: str | None

    def refuses(self, headers: Mapping[str, str], offered: str | None, *, origin_needed: bool) -> str:
        """Why a request may not come in; empty when it may. ``offered`` is the token it brought."""
        host, origin = headers.get("host", ""), headers.get("origin")
        name = host.rsplit(":", 1)[0].strip("[]") if not host.endswith("]") else host.strip("[]")
        if is_loopback(self.bind) and not is_loopback(name):
            return "this console is served to this machine only"
        if origin is None and origin_needed:
            return "no origin"
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "another origin"
        if self.token is not None and not hmac.compare_digest((offered or "").encode(), self.token.encode()):
            return NO_TOKEN
        return ""


def bearer(headers: Mapping[str, str]) -> str | None:
    """The token of an ordinary request."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else None


def offered_protocols(headers: Mapping[str, str]) -> tuple[bool, str | None]:
    """Whether a websocket speaks our protocol, and the token it brought in the list of protocols (a browser sends no headers)."""
    offered = [word.strip() for word in headers.get("sec-websocket-protocol", "").split(",")]
    token = next((word.removeprefix("token.") for word in offered if word.startswith("token.")), None)
    return "proxops" in offered, token


def guarded(gate: Gate, answer: Answer) -> Answer:
    """An answer only for our own page (whose header no form or picture of another page can send), with our errors in words."""

    async def answered(request: Request) -> Response:
        refused = gate.refuses(request.headers, bearer(request.headers), origin_needed=request.method != "GET")
        if refused or request.headers.get("x-proxops") != "1":
            return JsonAnswer({"error": refused or "not from the console's page"}, 403)
        try:
            return await answer(request)
        except ProxopsError as error:
            return JsonAnswer({"error": str(error)}, CONFLICT if isinstance(error, Refused) else BAD)

    return answered
