"""Engine of the scenario picker: one run at a time, started, paused, resumed and ended from the console.

What moves the hall is a client of the served bridge in a process of its own, as in ``proxops run --realtime``. Paused, its time
stands still and it sends nothing: the hall halts by the silence and comes back when it goes on. Experiments are computed beside
the hall in an ordinary process that gives way to everything else; they pause at the next step at which they tell progress.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from proxops.console.facility_about import FacilityAbout
from proxops.console.overseen_process import OverseenProcess
from proxops.console.scenario_catalogue import Loaded, Offer, command_of, offers
from proxops.core.errors import EXIT_STOPPED, BadInput, Refused
from proxops.core.vocabulary import MissionEnd

NICENESS: Final = 10  # of what is computed beside the hall
IDLE: Final[dict[str, Any]] = {
    "name": None, "kind": None, "phase": "idle", "doing": "", "t_s": 0.0, "duration_s": 0.0, "share": 0.0, "message": "",
    "exit_code": None, "log": None,
}  # fmt: skip


class ScenarioRuns:
    """One run at a time. ``folder``: of the runs that are computed beside the hall, each gets one of its own there. ``end`` and
    ``close`` block up to some seconds; nothing else does."""

    def __init__(self, facility: FacilityAbout, folder: Path, items: Sequence[Loaded] | None = None) -> None:
        self._facility, self._folder = facility, folder
        self._offers = offers(facility, items)
        self._run: _Run | None = None
        self._lock = threading.Lock()

    def catalogue(self) -> list[dict[str, Any]]:
        """Rows: name, kind, duration_s, about, where, why_not (empty: can be started)."""
        return [offer.row() for offer in self._offers.values()]

    def needs_bridge(self, name: str) -> bool:
        """The bridge must have the hall for this one to move it."""
        return self._offer(name).live

    def start(self, name: str) -> None:
        """Refused while another one is under way."""
        offer = self._offer(name)
        with self._lock:
            if self._run is not None:
                if self._run.under_way:
                    raise Refused(f"{self._run.offer.name} is under way: end it first")
                self._run.state()  # another thread may still ask for it
                self._run.close()
            self._run = None
            self._run = _Run(offer, self._facility, self._folder)

    def pause(self) -> None:
        """Its time stands still from its next step on."""
        self._under_way("pause").hold()

    def resume(self) -> None:
        """It goes on where it was."""
        self._under_way("resume").go()

    def end(self) -> None:
        """End it; none under way is refused."""
        self._under_way("end").end()

    def state(self) -> dict[str, Any]:
        """name, kind, phase (idle, starting, running, paused, ended, failed), doing, t_s, duration_s, share, message, exit_code,
        log."""
        run = self._run
        return dict(IDLE) if run is None else run.state()

    def close(self) -> None:
        """Nothing is left behind."""
        with self._lock:
            if self._run is not None:
                self._run.close()
            self._run = None

    def _offer(self, name: str) -> Offer:
        """Names only, never paths: they come from a browser."""
        if name not in self._offers:
            raise BadInput("no such scenario", value=repr(name), bound=", ".join(self._offers))
        return self._offers[name]

    def _under_way(self, what: str) -> _Run:
        run = self._run
        if run is None or not run.under_way:
            raise Refused(f"nothing to {what}: no scenario is under way")
        return run


class _Run:
    """A run and what is known of it. What it was when it ended is kept."""

    def __init__(self, offer: Offer, facility: FacilityAbout, folder: Path) -> None:
        self.offer, self._held, self._ended = offer, False, False
        self._final: dict[str, Any] | None = None
        self._scratch = tempfile.TemporaryDirectory(prefix="proxops-run-")
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")[:-3]
        self._out = Path(self._scratch.name) if offer.live else folder.absolute() / f"{offer.name}-{stamp}"
        try:
            self._process = OverseenProcess(
                lambda ring: command_of(offer, facility, ring, self._out), niceness=0 if offer.live else NICENESS
            )
        except BaseException:
            self._scratch.cleanup()
            raise

    @property
    def under_way(self) -> bool:
        return self._final is None and self._process.exit_code is None

    def hold(self) -> None:
        self._held = True
        self._process.hold()

    def go(self) -> None:
        self._held = False
        self._process.go()

    def end(self) -> None:
        self._ended = True
        self._process.end()

    def close(self) -> None:
        """The state of a run that has ended outlives its process."""
        self._process.close()
        self._scratch.cleanup()

    def state(self) -> dict[str, Any]:
        if self._final is None and (code := self._process.exit_code) is not None:
            self._final = self._last(code)
        return self._now() if self._final is None else dict(self._final)

    def _now(self) -> dict[str, Any]:
        told = self._process.progress
        begun, stands = bool(told["begun"]), bool(told["held"])
        phase = "paused" if self._held else "running" if begun else "starting"
        message = "pauses at its next step" if self._held and not stands else ""
        return {**self._row(), "phase": phase, "message": message}

    def _row(self) -> dict[str, Any]:
        """How far, by what the process has told."""
        told = self._process.progress
        t_s, of_s = float(told["t_s"]), float(told["of_s"])
        return {
            **IDLE, "name": self.offer.name, "kind": self.offer.kind, "doing": bytes(told["what"]).decode(errors="replace"),
            "t_s": t_s, "duration_s": of_s or self.offer.duration_s, "share": min(1.0, t_s / of_s) if of_s > 0.0 else 0.0,
        }  # fmt: skip

    def _last(self, code: int) -> dict[str, Any]:
        phase, message = self._verdict(code)
        log = self._out / "run.mcap"
        row = self._row()
        if code == 0 and self.offer.kind == "scripted":
            row |= {"t_s": row["duration_s"], "share": 1.0}
        elif phase == "ended" and self.offer.kind == "experiment" and not self._ended:
            row |= {"share": 1.0}  # a quick one is over before its last progress is read
        kept = str(log) if log.is_file() else None
        return {**row, "phase": phase, "message": message, "exit_code": code, "log": kept}

    def _verdict(self, code: int) -> tuple[str, str]:
        """(phase, message) of a run that is over."""
        if self._ended:
            return "ended", "ended by the operator"
        if code == 0:
            return self._outcome()
        if code == EXIT_STOPPED and (self._out / "summary.json").is_file():
            return "ended", "carried out, but not all of its criteria are met"
        cause = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        words = self._process.last_words()
        return "failed", f"{cause}: {words}" if words else cause

    def _outcome(self) -> tuple[str, str]:
        """What a mission has told of its end; the others have nothing to add."""
        told = self._out / "outcome.json"
        if not told.is_file():
            return "ended", ""
        values: dict[str, Any] = json.loads(told.read_text())
        if values["failure"]:
            return "failed", str(values["failure"])
        return "ended", f"{MissionEnd(values['end']).name} at {values['t']:.1f} s"
