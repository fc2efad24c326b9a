"""What is left to do when a run is over: its log read, summed up and drawn. CPU seconds of the mission ``approach``, 18 minutes
through the hall, in a process of its own as ``proxops report`` is; threads of the renderer count."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import proxops

REPEATS = 3
REPORT = """
import json, sys, time
from pathlib import Path
marks = [0.0]
def mark():
    marks.append(time.process_time())
from proxops.applications.report import report_of_log
from proxops.ground.log import Log
from proxops.ground.results import write_results
mark()
log = Log.open(Path(sys.argv[1]) / "run.mcap"); mark()
report = report_of_log(log); mark()
write_results(Path(sys.argv[1]), report, quiet=True); mark()
spent = [b - a for a, b in zip(marks, marks[1:])]
print(json.dumps(dict(zip(("import_s", "log_s", "summary_s", "page_s"), spent), whole_s=marks[-1])))
"""


def run() -> dict[str, float]:
    """Medians of each part and of the whole."""
    with tempfile.TemporaryDirectory() as folder:
        flown = proxops.run("approach", out=folder, report=False, quiet=True)
        found = sorted((_reported(folder) for _ in range(REPEATS)), key=lambda parts: parts["whole_s"])
        cycles, page = flown.summary["cycles"], (Path(folder) / "report.html").stat().st_size
    middle = {name: sorted(parts[name] for parts in found)[REPEATS // 2] for name in found[0]}
    return {**middle, "us_per_cycle": middle["whole_s"] / cycles * 1e6, "page_mb": page / 1e6, "required_whole_s": 5.0}


def _reported(folder: str) -> dict[str, float]:
    answer = subprocess.run([sys.executable, "-c", REPORT, folder], check=True, capture_output=True)
    parts: dict[str, float] = json.loads(answer.stdout)
    return parts
