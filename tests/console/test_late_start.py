"""Who looks at a facility may come when it has ended already: that is the end of the matter, not an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from proxops.console.__main__ import _console
from proxops.console.access import Gate
from proxops.console.facility_about import FacilityAbout
from proxops.console.operations import ConsolePlace
from proxops.lab.any_cell import load_cell


def test_there_is_no_console_of_a_facility_that_has_gone(tmp_path: Path) -> None:
    gone = tmp_path / "ring"
    about = FacilityAbout(7, None, None, tmp_path / "control", tmp_path / "stop", gone, gone)
    assert _console(load_cell(), ConsolePlace(about, tmp_path, None, None), Gate("127.0.0.1", None)) is None


def test_the_monitor_of_a_run_that_is_over_says_nothing(tmp_path: Path) -> None:
    words = ["-m", "proxops.ground.monitor", str(tmp_path / "events"), "--pool", str(tmp_path / "pool")]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
