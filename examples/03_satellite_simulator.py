"""A satellite simulator on the synchronous interface: starts a facility, speaks to it every 4 ms, ends in good order.

Runs as it is: python examples/03_satellite_simulator.py [more words for proxops serve]
"""

import subprocess
import sys
import tempfile
import time

from proxops import ControlClient, Refused, SyncClient, System

PORT, NAME = 47330, "example"
START = [4.30, -0.10, 0.44, 0, 5, 85, 0, 2.10, 1.45, 0.44, 0, 8, -85, 0, *[0.0] * 7, 1.50]  # GLC

with tempfile.TemporaryDirectory() as folder:
    command = [sys.executable, "-m", "proxops.cli", "serve", "--out", folder, "--no-report", "--no-console", "--json"]
    facility = subprocess.Popen(
        [*command, "--port", str(PORT), "--bridge-port", "0", "--control", NAME, *sys.argv[1:]],
        stdout=subprocess.DEVNULL,
    )
    operator, simulator = ControlClient(NAME), SyncClient(("127.0.0.1", PORT))

    def mode() -> str:
        try:
            return str(operator.ask("status")["mode"])
        except Refused:
            return "not up yet"

    while mode() != "READY":
        time.sleep(0.2)
    operator.ask("select", source="sync")

    state, pose, deadline, asked, step = "", list(START), time.monotonic(), set(), 0
    while step < 500:  # two seconds at 3 cm/s, softly begun
        answer = simulator.exchange(System.GLC, pose)
        state = mode() if step == 0 else state
        if state == "STOPPED":
            sys.exit(f"stopped: {operator.ask('status')['stop']}")
        for now, request in (("ARMED", "move_to_start"), ("AT_START", "confirm")):
            if state == now and request not in asked:
                asked.add(request)
                operator.ask(request, **({"order": "rail,robot1,robot2"} if request == "move_to_start" else {}))
        if answer and answer.mode == 7:  # RUNNING
            step += 1
            pose[0] -= 0.03 * 0.004 * min(1.0, step / 100)
        deadline += 0.004
        time.sleep(max(0.0, deadline - time.monotonic()))

    last = simulator.exchange(System.GLC, pose, alive=False)
    assert last is not None
    print(f"commanded x {pose[0]:.4f} m, actual {last.values[0]:.4f} m")
    while mode() != "READY":
        time.sleep(0.05)
    operator.ask("shut_down")
    assert facility.wait(60) == 0
