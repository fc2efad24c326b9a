"""The token that a console on an address for others demands. Who starts a console judges it, and needs no web server for that."""

from __future__ import annotations

import ipaddress
from typing import Final

from proxops.core.errors import BadInput

TOKEN_LENGTH: Final = 16  # at least


def is_loopback(host: str) -> bool:
    """True when only this machine reaches ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def demand_token(host: str, token: str | None) -> None:
    """BadInput when an address that others reach is to be served without a sound token."""
    if token is not None and (len(token) < TOKEN_LENGTH or not token.replace("-", "").replace("_", "").isalnum()):
        bound = f"{TOKEN_LENGTH} characters or more of letters, digits, - and _"
        raise BadInput("the console's token is too weak", bound=bound)
    if token is None and not is_loopback(host):
        raise BadInput(
            "the console is only served to other machines with a token", value=host,
            way_out="set PROXOPS_TOKEN, or stay on 127.0.0.1",
        )  # fmt: skip
