"""Starting the console beside a facility: the socket listens before anything else starts, so its address is true."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxops.console.kept_console import KeptConsole
from proxops.console.token import demand_token
from proxops.core.channel import CONSOLE_PORT, LOOPBACK
from proxops.core.errors import BadInput

BACKLOG: Final = 256
STATIC: Final = Path(__file__).parent / "static"  # the page, as page/build.mjs leaves it


@dataclass
class ConsoleLaunch:
    """A console that is about to start. ``start`` once the facility has written its ``facility.json``."""

    listening: socket.socket
    address: str  # what to type into a browser
    token: str | None
    cell: Path | None
    user_tool: Path | None

    @classmethod
    def prepare(
        cls, bind: str, port: int | None, token: str | None, cell: Path | None, user_tool: Path | None
    ) -> ConsoleLaunch:
        """Bind. Without a wish the usual port, or any other that is free."""
        demand_token(bind, token)
        if not (STATIC / "index.html").exists():
            way_out = "make setup builds it; --no-console serves without"
            raise BadInput("the console's page has not been built", where=str(STATIC), way_out=way_out)
        listening = _listening(bind, CONSOLE_PORT if port is None else port, otherwise=port is None)
        host, at = listening.getsockname()[:2]
        host = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        address = f"http://{host}:{at}/" + (f"#token={token}" if token else "")
        return cls(listening, address, token, cell, user_tool)

    @classmethod
    def beside_experiment(cls, cell: Path) -> ConsoleLaunch:
        """Of a live experiment, on loopback."""
        return cls.prepare(LOOPBACK, None, None, cell, None)

    def start(self, folder: Path) -> KeptConsole:
        """The process that keeps the console running, for the facility that records into ``folder``."""
        words = ["--facility", str(folder / "facility.json"), "--runs", str(folder.resolve().parent)]
        words += ["--cell", str(self.cell)] if self.cell else []
        words += ["--user-tool", str(self.user_tool)] if self.user_tool else []
        environment = {k: v for k, v in os.environ.items() if k != "PROXOPS_TOKEN"}
        if self.token:
            environment["PROXOPS_TOKEN"] = self.token
        return KeptConsole(self.listening, words, environment)


def _listening(bind: str, port: int, *, otherwise: bool) -> socket.socket:
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((bind, port))
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        if otherwise:
            return _listening(bind, 0, otherwise=False)
        raise BadInput(
            f"cannot serve the console: {error.strerror}",
            value=f"{bind}:{port}",
            way_out="choose another --console-port",
        ) from None
    return made
