"""The application of a scripted scenario: a satellite simulator that knows nothing of the hall and sends two poses.

In lockstep it is called by the run; in real time it is a process of its own, ``python -m`` this module, that sends through a real
socket. Its clock drifts, its packets go through the emulated network: the same code both ways.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.key_file import read_key
from proxops.core.scenario import Scenario, load_scenario
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.runs.client_line import ClientLine
from proxops.runs.client_time import ClientTime
from proxops.runs.network import network_of
from proxops.runs.overseer import Overseer
from proxops.space.reference import poses_in_client_frame
from proxops.space.scripted import Script

CLIENT_EPOCH_NS = 1_000_000_000  # the client's clock has an epoch of its own
IDLE_S = 0.5e-3  # longest nap of the process: packets leave on time within this


class Application:
    """A client. Time ``t`` is the facility's, since the client began to send."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario, self._client = scenario, scenario.client
        self._script = Script(scenario)
        noise, line = np.random.default_rng(scenario.seed).spawn(2)
        self._noise = noise
        self.network = network_of(scenario.network, line)
        self._step_s = 1.0 / self._client.rate_hz
        self._pace = 1.0 + scenario.network.drift  # seconds of the client's clock per second of ours
        self._sent = 0

    @property
    def ended(self) -> bool:
        """The script is over."""
        return self._sent * self._step_s > self._scenario.duration_s

    @property
    def over(self) -> bool:
        """Its run lasts as long as its script says, and a halt after that."""
        return False

    def advance(self, t: float) -> list[bytes]:
        """Send all that is due until ``t``; what arrives at the facility by then."""
        while not self.ended and self._sent * self._step_s / self._pace <= t:
            t_client = self._sent * self._step_s
            data = self._packet(t_client)
            if data:
                self.network.send(data, t_client / self._pace)
            self._sent += 1
        return self.network.due(t)

    def rehearse(self) -> None:
        """Make one packet for nobody, so that nothing has to be compiled once the clock runs."""
        self._packet(0.0)

    def _packet(self, t_client: float) -> bytes | None:
        relative = self._script.relative(t_client)
        if not relative.sending:
            return None
        chaser, target, chaser_velocity, target_velocity = poses_in_client_frame(self._client.frame, t_client, relative)
        if self._client.position_noise_mm > 0.0 or self._client.attitude_noise_deg > 0.0:
            chaser = self._noisy(chaser)
        with_velocity = self._client.velocities
        command = BridgeCommand(
            self._sent, CLIENT_EPOCH_NS + round(t_client * 1e9), _on_the_wire(chaser), _on_the_wire(target),
            tuple(chaser_velocity.tolist()) if with_velocity else None,
            tuple(target_velocity.tolist()) if with_velocity else None,
            self._client.sun,
        )  # fmt: skip
        return pack_command(command)

    def _noisy(self, pose: np.ndarray) -> np.ndarray:
        out = pose.copy()
        out[:3] += self._noise.normal(0.0, self._client.position_noise_mm * 1e-3, 3)
        turn = quat_from_rotation_vector(self._noise.normal(0.0, math.radians(self._client.attitude_noise_deg), 3))
        out[3:] = quat_product(pose[3:], turn)
        return out


def _on_the_wire(pose: np.ndarray) -> tuple[float, ...]:
    """Scalar last."""
    x, y, z, w, a, b, c = pose.tolist()
    return x, y, z, a, b, c, w


def send(
    path: str, host: str, port: int, wait_s: float, ring: Path | None = None, key_file: Path | None = None
) -> None:
    """Send a scenario's packets in real time until its script is over, beginning after ``wait_s``. ``ring``: of an overseer;
    ``key_file``: of the facility."""
    overseer, scenario = Overseer(ring), load_scenario(path)
    application = Application(scenario)
    line = ClientLine(host, port, read_key(key_file) if key_file else None)
    application.rehearse()
    time.sleep(wait_s)
    clock = ClientTime()
    while not application.ended:
        if overseer.wait_while_held():
            clock.skip()
        t = clock.now()
        overseer.tell("sending", t, scenario.duration_s)
        for data in application.advance(t):
            line.send(data)
        time.sleep(IDLE_S)


def main() -> None:
    """``application SCENARIO HOST PORT WAIT_S [RING [KEY_FILE]]``"""
    path, host, port, wait_s, *files = sys.argv[1:]
    send(path, host, int(port), float(wait_s), *map(Path, files))


if __name__ == "__main__":
    main()
