"""A facility served in another process, and a tab of a browser that looks at its console, as an operator uses them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from patient_cell import patient_cell

from proxops.client import ControlClient
from proxops.console.facility_about import FacilityAbout
from proxops.core.child import ITSELF
from proxops.core.messages import pool_dtype
from proxops.core.ring import Ring
from proxops.lab.any_cell import HALL, AnyCell, pool_of, read_any_cell

START_S = 400.0  # a fresh clone compiles its kernels first, beside others that do the same
FLAGS = (
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing",
)  # fmt: skip


@dataclass
class Served:
    """A facility in another process."""

    process: subprocess.Popen[str]
    folder: Path
    address: str  # http://127.0.0.1:PORT/
    about: FacilityAbout
    cell: AnyCell

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rsplit(":", 1)[1])

    def ask(self, verb: str, **arguments: Any) -> Any:
        """Over the control channel, beside the console."""
        client = ControlClient(self.about.control)
        try:
            return client.ask(verb, **arguments)
        finally:
            client.close()

    def wait_mode(self, mode: str, seconds: float = 20.0) -> None:
        wait_until(lambda: self.ask("status")["mode"] == mode, seconds, f"mode {mode}")

    def moved_until_ms(self, since_utc_ns: int) -> float:
        """How long after a moment the set-point still moved, by the facility's own cycles."""
        ring = Ring.attach(self.about.pool_ring, pool_dtype(pool_of(self.cell)))
        records, _, _ = ring.read(max(0, ring.head - 2500), 2500)
        rates = np.abs(records["setpoint_rate"].view((np.float64, self.cell.n_axes))).max(axis=1)
        moving = records["clock"]["utc_ns"][rates > 1e-9]
        return max(0.0, (int(moving[-1]) - since_utc_ns) * 1e-6) if len(moving) else 0.0

    def console_pid(self) -> int:
        """The console's process: the child of its keeper."""
        return child(self.keeper_pid(), "proxops.console.__main__")

    def keeper_pid(self) -> int:
        """Restarts the console; started for the facility by another."""
        return child(self.starter_pid(), "proxops.console.keeper")

    def starter_pid(self) -> int:
        """Starts the keeper when the facility says so."""
        return child(self.process.pid, "proxops.console.starter")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


def child(pid: int, module: str) -> int:
    """The process of this Python module that another has started."""
    words = ["pgrep", "-f", "-P", str(pid), "--", f"{ITSELF} {module} "]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[0])


def wait_until(true: Callable[[], Any], seconds: float = 10.0, what: str = "") -> None:
    """Wait for something to become true. What does not soon is asked for less and less often: asking is work for the facility, or
    for page and browser, too."""
    until, pause_s = time.monotonic() + seconds, 0.02
    while not true():
        assert time.monotonic() < until, f"did not happen in {seconds:g} s: {what}"
        time.sleep(pause_s)
        pause_s = min(1.25 * pause_s, 0.1)


def serve(folder: Path, *words: str, cell: str = HALL, changes: tuple[tuple[str, str], ...] = ()) -> Served:
    """``proxops serve`` of a shipped cell on free ports; ``changes`` to its file."""
    command = [sys.executable, "-m", "proxops.cli", "serve", "--out", str(folder), "--no-report", "--seed", "1"]
    command += ["--port", "0", "--bridge-port", "0", "--control", "0", "--console-port", "0"]
    patient = patient_cell(folder.parent, cell)
    for usual, other in changes:
        assert usual in patient.read_text()
        patient.write_text(patient.read_text().replace(usual, other))
    command += ["--cell", str(patient), *words]
    made = announced(command, folder, read_any_cell(patient))
    made.wait_mode("READY")
    return made


def announced(command: list[str], folder: Path, cell: AnyCell) -> Served:
    """A live facility of this command line, once it has said where its console is."""
    told = folder.parent / "stderr.txt"
    with told.open("w") as stream:
        process = subprocess.Popen(command, stderr=stream, stdout=subprocess.DEVNULL, text=True, env=os.environ.copy())
    found: list[str] = []

    def told_where() -> bool:
        assert process.poll() is None, told.read_text()
        found[:] = re.findall(r"console: (\S+)", told.read_text())
        return bool(found)

    wait_until(told_where, START_S, "the facility's announcement")
    return Served(process, folder, found[0], FacilityAbout.read(folder / "facility.json"), cell)


class Tab:
    """A page of the console in the browser, as an operator uses it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url))

    def ask(self, script: str, *arguments: Any) -> Any:
        """What a piece of script says in the page."""
        return self.page.evaluate(script, *arguments)

    def wait(self, script: str, seconds: float = 10.0) -> None:
        """Wait until a script says yes (under the page's own content security policy)."""
        wait_until(lambda: self.ask(f"() => !!({script})"), seconds, script)

    def open(self, page: str) -> None:
        self.ask("(hash) => { location.hash = hash; }", f"#/{page}")
        self.wait(f"document.querySelector('section.page.{page}:not([hidden])')")

    def take_control(self) -> None:
        self.page.click("#take")
        self.wait("proxops.desk.holding")

    def press(self, request: str) -> None:
        """A button of the desk, once it is possible."""
        button = f'section.page:not([hidden]) button[data-request="{request}"]'
        self.wait(f"document.querySelector('{button}[aria-disabled=\"false\"]')")
        self.page.click(button)

    def wait_mode(self, mode: str, seconds: float = 30.0) -> None:
        self.wait(
            f"proxops.desk.mode === '{mode}' && document.querySelector('#mode').textContent === '{mode}'", seconds
        )
