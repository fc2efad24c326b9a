"""One more console of a served facility, told of imaging sensors that the facility does not have."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from served_console import Served

from proxops.ground.eyes_about import EyesAbout


@contextmanager
def console_beside(served: Served, eyes: EyesAbout, folder: Path) -> Iterator[str]:
    """Its address. It shows the same hall as the facility's own."""
    told = json.loads((served.folder / "facility.json").read_text())
    (folder / "facility.json").write_text(json.dumps({**told, "eyes": eyes.plain()}))
    listening = socket.create_server(("127.0.0.1", 0))
    heard, pulse = os.pipe()
    words = [
        "--facility",
        folder / "facility.json",
        "--runs",
        folder,
        "--fd",
        listening.fileno(),
        "--parent",
        os.getpid(),
    ]
    words += ["--pulse", pulse, *(["--cell", served.cell.source] if served.cell.source else [])]
    command = [sys.executable, "-m", "proxops.console", *map(str, words)]
    process = subprocess.Popen(command, pass_fds=(listening.fileno(), pulse))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        process.terminate()
        process.wait(20)
        listening.close()
        os.close(heard)
        os.close(pulse)
