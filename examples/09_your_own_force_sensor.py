"""Your own force sensor: 76 bytes a reading over UDP, into the port that a run with [sensor] source = "network" reads. Here
both ends in one process. Layout for other languages: docs/touch.md. Run it as it is: python examples/09_your_own_force_sensor.py
"""

import math
import socket
import time

import numpy as np

from proxops import ForcePort, ForceReading, ForceWatch, StreamTraits, pack_force

RATE_HZ = 250
NOISE = np.array([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])  # N and N m, standard deviation


class MySensor:
    """Put your driver here. Numbers count readings, times are its own: any clock, any epoch, nanoseconds."""

    def __init__(self, to: tuple[str, int]) -> None:
        self._to, self._socket, self.sequence = to, socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0
        self._rng, self._epoch_ns = np.random.default_rng(1), time.time_ns()

    def send(self, wrench: np.ndarray) -> None:
        """Fx Fy Fz (N), Tx Ty Tz (N m) on the tool, its own weight included, about the sensor's origin in its axes."""
        stamp = self._epoch_ns + self.sequence * 1_000_000_000 // RATE_HZ
        reading = tuple((wrench + NOISE * self._rng.standard_normal(6)).tolist())
        self._socket.sendto(pack_force(ForceReading(self.sequence, stamp, reading)), self._to)
        self.sequence += 1


def main() -> None:
    port = ForcePort(("127.0.0.1", 0))  # a run opens the scenario's sensor.port
    watch = ForceWatch(StreamTraits(np.repeat([400.0, 40.0], 3), NOISE, np.zeros(6), RATE_HZ))
    sensor, weight = MySensor(port.address), np.array([0.0, 0.0, -29.42, 0.0, 0.0, 0.0])
    for k in range(125):  # half a second of the hall's cycles, counted: nothing here depends on the machine's clock
        if k < 100 and k != 50:  # number 50 never comes, and after 100 somebody pulls the plug
            sensor.send(weight)
        elif k == 50:
            sensor.sequence += 1
        time.sleep(0.0005)  # for the operating system to carry it over
        if fault := watch.step(k / RATE_HZ, port.latest(k / RATE_HZ)):
            print(f"cycle {k}: {fault}")
            break
    print(f"{port.taken} readings taken, {port.missed} missed")

    port.reset()
    watch.reset()
    sensor.send(np.array([0.0, math.nan, 0.0, 0.0, 0.0, 0.0]))
    time.sleep(0.01)
    print(f"after a new start: {watch.step(0.0, port.latest(0.0))}")
    port.close()


if __name__ == "__main__":
    main()
