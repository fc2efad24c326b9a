"""The net under a rebuilding: every shipped scenario is run with its own seed, and its records are compared with what is kept.

    python tools/run_fingerprints.py take    # writes tests/replay/fingerprints.json
    python tools/run_fingerprints.py check   # runs again, names every variable and summary entry that differs
    python tools/run_fingerprints.py check straight approach

A fingerprint is a hash of all recorded values of one variable, or one entry of the summary. What the wall clock makes (durations,
lateness, versions) is left out. Floating-point results may differ in the last bit between processors, and with them every hash:
take and check on one machine. That is why no test does it.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from proxops.applications.catalogue import shelf
from proxops.ground.log import Log

KEPT = Path(__file__).parents[1] / "tests" / "replay" / "fingerprints.json"
BY_THE_CLOCK = {"timing"}  # groups of the log
TIMED = (
    "wall",
    "real_time",
    "realtime",
    "elapsed",
    "log_bytes",
    "version",
    "created",
    "folder",
    "file",
    "path",
    "duration_real",
)
CORES = 2
Fingerprint = dict[str, dict[str, str]]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:10]


def variables(log: Log) -> dict[str, str]:
    """One hash for every variable of a log, and one for its events."""
    found = {
        column.path: _hash(log.values(column.path).tobytes())
        for column in log.columns
        if column.group not in BY_THE_CLOCK
    }
    said = [f"{event['name'].decode()}|{event['text'].decode()}" for event in log.events]
    return {"cycles": str(log.count), "events": _hash("\n".join(said).encode()), **found}


def entries(value: Any, name: str = "") -> dict[str, str]:
    """A summary, flat: dotted names and what JSON says of the values."""
    if isinstance(value, dict):
        parts = [entries(each, f"{name}.{key}" if name else str(key)) for key, each in value.items()]
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        parts = [entries(each, f"{name}[{number}]") for number, each in enumerate(value)]
    else:
        return {} if any(word in name.lower() for word in TIMED) else {name: json.dumps(value)}
    return {key: each for part in parts for key, each in part.items()}


def fingerprint(scenario: str) -> Fingerprint:
    """Run a shipped scenario in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [sys.executable, "-m", "proxops.cli", "run", scenario, "--no-report", "--json", "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if not done.stdout.strip():
            return {"failed": {"stderr": done.stderr[-2000:]}}
        found = {"summary": entries(json.loads(done.stdout)), "variables": {}}
        for log in sorted(out.glob("*.mcap")):
            found["variables"] |= {f"{log.stem}:{name}": value for name, value in variables(Log.open(log)).items()}
        return found


def differences(kept: Fingerprint, found: Fingerprint) -> list[str]:
    """One line for each entry that is not what it was."""
    said = []
    for part in sorted(kept.keys() | found.keys()):
        was, now = kept.get(part, {}), found.get(part, {})
        for name in sorted(was.keys() | now.keys()):
            if was.get(name) != now.get(name):
                said.append(f"{part} {name}: {was.get(name, 'not there')} → {now.get(name, 'gone')}")
    return said


def main() -> int:
    verb, *names = sys.argv[1:] or ["check"]
    wanted = names or [item.name for item in shelf()]
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    changed = 0
    with ThreadPoolExecutor(CORES) as pool:
        for name, found in zip(wanted, pool.map(fingerprint, wanted), strict=True):
            lines = differences(kept.get(name, {}), found)
            changed += bool(lines)
            if verb == "take":
                kept[name] = found
                print(f"{name}: taken, {sum(map(len, found.values()))} entries")
            else:
                print(f"{name}: {'the same' if not lines else f'{len(lines)} differ'}", *lines[:40], sep="\n    ")
            sys.stdout.flush()
    if verb == "take":
        KEPT.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")
        return 0
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main())
