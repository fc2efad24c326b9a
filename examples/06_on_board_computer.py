"""An on-board computer: the flight software of example 05 in a process of its own, asked over UDP by the simulation.

Runs as it is: python examples/06_on_board_computer.py. On two machines, start the computer on one, and on the other
proxops run examples/hold.toml --flight-software udp://192.168.1.20:47253
"""

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from proxops import Commands, FlightComputer, FlightSoftware, Measurements, load_mission

HERE = Path(__file__).parent
MISSION = HERE / "hold.toml"


class Spoken:
    """Any flight software; says once in ten seconds how the flight goes."""

    def __init__(self, software: FlightSoftware) -> None:
        self.software = software
        self.fired_s, self.next_s = 0.0, 10.0

    def step(self, measurements: Measurements) -> Commands:
        commands = self.software.step(measurements)
        self.fired_s += float(commands.on_time_s.sum())
        if measurements.t >= self.next_s and measurements.relative:
            self.next_s += 10.0
            x, y, z = measurements.relative[-1].p_sensor_target  # right, down, ahead
            print(
                f"{measurements.t:6.1f} s  target {z:6.2f} m ahead, {x:+.2f} right, {y:+.2f} down  fired {self.fired_s:.2f} s"
            )
        return commands


HoldPosition = runpy.run_path(str(HERE / "05_flight_software.py"))["HoldPosition"]
computer = FlightComputer(Spoken(HoldPosition(load_mission(MISSION).file)), port=0)
run = [sys.executable, "-m", "proxops.cli", "run", str(MISSION), "--no-report"]
with tempfile.TemporaryDirectory() as out:
    host, port = computer.address
    simulation = subprocess.Popen([*run, "--out", out, "--flight-software", f"udp://{host}:{port}"])
    cycles = 0
    while simulation.poll() is None and not computer.over:
        cycles = computer.run(until_silent_s=1.0)
    print(f"{cycles} cycles flown")
    sys.exit(simulation.wait(60))
