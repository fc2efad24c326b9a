"""What this machine can do for a live facility: one finding each, with the fix."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

from proxops.core.ring import shared_folder

SLEEPS = 250


@dataclass(frozen=True)
class Diagnosis:
    """One line of the doctor."""

    name: str
    ok: bool
    found: str
    fix: str = ""


def _in_child(code: str) -> tuple[bool, str]:
    """Try something in a process of its own, so that this one stays as it is."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    return done.returncode == 0, (done.stdout or done.stderr).strip().splitlines()[-1:][0] if (
        done.stdout or done.stderr
    ).strip() else ""


def _scheduling() -> Diagnosis:
    ok, text = _in_child("import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(80)); print('priority 80')")
    return Diagnosis(
        "real-time scheduling",
        ok,
        f"SCHED_FIFO {'granted' if ok else 'refused'}: {text}",
        "" if ok else "run as root, or give the user 'rtprio 90' in /etc/security/limits.conf",
    )


def _memory() -> Diagnosis:
    ok, text = _in_child(
        "import ctypes, os; c = ctypes.CDLL(None, use_errno=True); r = c.mlockall(1)\n"
        "print(os.strerror(ctypes.get_errno()) if r else 'locked'); raise SystemExit(r != 0)"
    )
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    return Diagnosis(
        "memory locking",
        ok,
        f"mlockall: {text}, limit {'none' if limit < 0 else f'{limit} bytes'}",
        "" if ok else "run as root, or give the user 'memlock unlimited' in /etc/security/limits.conf",
    )


def _picture() -> Diagnosis:
    code = (
        "import os; os.environ.setdefault('MUJOCO_GL', 'egl'); import mujoco\n"
        "m = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom size=\".1\"/></worldbody></mujoco>')\n"
        "r = mujoco.Renderer(m, 32, 32); r.render(); print(os.environ['MUJOCO_GL'])"
    )
    ok, text = _in_child(code)
    return Diagnosis(
        "OpenGL for pictures",
        ok,
        f"offscreen rendering by {text}" if ok else text,
        "" if ok else "apt-get install libegl1 libgl1-mesa-dri",
    )


def _timer() -> Diagnosis:
    """Lateness of 4 ms sleeps under ordinary scheduling: what is left without real-time rights."""
    late = []
    deadline = time.monotonic_ns()
    for _ in range(SLEEPS):
        deadline += 4_000_000
        time.sleep(max(0, deadline - time.monotonic_ns()) * 1e-9)
        late.append((time.monotonic_ns() - deadline) * 1e-3)
    late.sort()
    median, worst = late[len(late) // 2], late[-1]
    return Diagnosis(
        "timer",
        median < 500,
        f"4 ms sleeps late by {median:.0f} µs (median), {worst:.0f} µs (worst of {SLEEPS})",
        ""
        if median < 500
        else "a virtual machine or power saving delays wake-ups: use a machine of its own, governor 'performance'",
    )


def _cores() -> Diagnosis:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Diagnosis(
        "cores",
        count >= 2,
        f"{count}",
        "" if count >= 2 else "the recorder shares the tick's core: give the machine two",
    )


def _shared_memory() -> Diagnosis:
    folder = shared_folder()
    state = os.statvfs(folder)
    free_mb = state.f_bavail * state.f_frsize // 2**20
    ok = str(folder) == "/dev/shm" and free_mb > 64
    return Diagnosis(
        "shared memory",
        ok,
        f"{folder}, {free_mb} MB free",
        "" if ok else "mount a tmpfs of at least 64 MB on /dev/shm",
    )


def _kernels() -> Diagnosis:
    from proxops.facility.warmup import warm_up
    from proxops.lab.any_cell import load_cell

    began = time.monotonic()
    warm_up(load_cell())
    took = time.monotonic() - began
    return Diagnosis("compiled kernels", True, f"ready in {took:.1f} s", "")


def examine() -> list[Diagnosis]:
    """All findings, in the order in which they matter."""
    return [_scheduling(), _memory(), _timer(), _cores(), _shared_memory(), _picture(), _kernels()]


def print_findings(findings: list[Diagnosis]) -> None:
    """One line each; the fix behind what is missing."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for f in findings:
        mark = "[green]ok  [/]" if f.ok else "[yellow]weak[/]"
        console.print(f"{mark} {f.name:<22} {f.found}" + (f"\n     fix: {f.fix}" if f.fix else ""))
