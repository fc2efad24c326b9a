"""The net under a rebuilding: every shipped scenario is run with its own seed, and its records are compared with what is kept.

    python tools/run_fingerprints.py take    # runs all, keeps what was recorded
    python tools/run_fingerprints.py check   # runs again, names everything that differs
    python tools/run_fingerprints.py check straight approach

A fingerprint is a hash of all recorded values of one variable, or one entry of the summary; in ``runs/fingerprints.json``, for
whoever rebuilds something. What is committed is a hash of each group of variables, ``tests/replay/fingerprints.json``: ``check``
looks there where nothing was taken. What the wall clock makes (durations, lateness, versions) is left out. Floating-point
results may differ in the last bit between processors, and with them every hash: committed ones say of which they are.
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

import numpy as np

from proxops.applications.catalogue import shelf
from proxops.core.images import Image
from proxops.ground.log import Log

ROOT = Path(__file__).parents[1]
TAKEN = ROOT / "runs" / "fingerprints.json"  # every variable and entry
COMMITTED = ROOT / "tests" / "replay" / "fingerprints.json"  # by processor, every group
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
    """One hash for every variable of a log, one for its events, and one for the images of each sensor."""
    found = {
        column.path: _hash(log.values(column.path).tobytes())
        for column in log.columns
        if column.group not in BY_THE_CLOCK
    }
    images = {f"images.{sensor}": _hash(b"".join(map(image_bytes, log.images(sensor)))) for sensor in log.sensors}
    said = [f"{event['name'].decode()}|{event['text'].decode()}" for event in log.events]
    return {"cycles": str(log.count), "events": _hash("\n".join(said).encode()), **found, **images}


def image_bytes(image: Image) -> bytes:
    """All that is in its arrays."""
    return b"".join(value.tobytes() for value in vars(image).values() if isinstance(value, np.ndarray))


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


def brief(found: Fingerprint) -> Fingerprint:
    """One hash for every group of variables, and one for the summary."""
    groups: dict[str, list[str]] = {}
    for name, value in sorted(found.get("variables", {}).items()):
        groups.setdefault(name.partition(".")[0], []).append(f"{name}={value}")
    told = json.dumps(found.get("summary", found.get("failed")), sort_keys=True)
    return {"groups": {name: _hash("\n".join(lines).encode()) for name, lines in groups.items()},
            "summary": {"all": _hash(told.encode())}}  # fmt: skip


def processor() -> str:
    """Its kind, as far as it decides about last bits."""
    told = dict(
        (part.strip() for part in line.split(":", 1))
        for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    )
    return " ".join(told.get(name, "unknown") for name in ("vendor_id", "cpu family", "model"))


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def write(path: Path, kept: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


def main() -> int:
    verb, *names = sys.argv[1:] or ["check"]
    wanted = names or [item.name for item in shelf()]
    taken, committed = read(TAKEN), read(COMMITTED)
    known = committed.setdefault(processor(), {})
    changed = 0
    with ThreadPoolExecutor(CORES) as pool:
        for name, found in zip(wanted, pool.map(fingerprint, wanted), strict=True):
            if verb == "take":
                taken[name], known[name] = found, brief(found)
                write(TAKEN, taken)  # each as it comes: all of them take a quarter of an hour
                write(COMMITTED, committed)
                print(f"{name}: taken, {sum(map(len, found.values()))} entries")
            elif name in taken or name in known:
                lines = differences(taken[name], found) if name in taken else differences(known[name], brief(found))
                changed += bool(lines)
                print(f"{name}: {'the same' if not lines else f'{len(lines)} differ'}", *lines[:40], sep="\n    ")
            else:
                changed += 1
                print(f"{name}: nothing is kept of it for the processor {processor()}")
            sys.stdout.flush()
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main())
