"""Writes a rendezvous as a trajectory file in CLW coordinates: a chaser comes along V-bar to a tumbling client.

    python examples/rendezvous.py rendezvous.txt

The chaser (robot 1) flies a two-impulse Clohessy-Wiltshire transfer, then closes in and holds. The client (robot 2) tumbles
freely (Euler's equations): it spins about its long axis with nutation. The formation's clock starts and stops softly, the
thruster pulses in between are steps of velocity. Every line is 4 ms: one int, 22 doubles, quaternions with the scalar last.
"""

import math
import sys
from pathlib import Path

import numpy as np

DT = 0.004
SOFT_S = 3.0  # in which the formation's clock gets going, and comes to rest
ORBIT_RATE = 1.1e-3  # rad/s, low Earth orbit
POV = [1.7, 0.7, 0.35, 0.0, 0.0, 0.0, 1.0]  # client's centre in the lab; axes parallel to the lab's
START_M, WAYPOINT_M, HOLD_M = 12.0, 6.0, 3.0  # distance of the ports along V-bar
TRANSFER_S, CLOSE_S, HOLD_S = 80.0, 60.0, 8.0
CLIENT_INERTIA = (1.6, 2.2, 2.3)  # kg m2, long axis first
CLIENT_RATE = tuple(math.radians(v) for v in (4.0, 0.5, 0.3))  # rad/s at the start
DATA_LIN = 1.35  # flange of robot 1 this far ahead of its base, m


def soft_clock() -> np.ndarray:
    """Time of the formation at each cycle: from rest to 1 s/s, and back to rest at the end."""
    duration = TRANSFER_S + CLOSE_S + HOLD_S
    t = np.arange(0.0, duration + SOFT_S, DT)
    edge = np.clip(np.minimum(t, t[-1] - t) / SOFT_S, 0.0, 1.0)
    pace = edge * edge * (3.0 - 2.0 * edge)
    return np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]) * DT)])


def chaser(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Along-track distance and height over the client: transfer, straight closing, hold."""
    n = ORBIT_RATE
    along = lambda t: 4.0 * np.sin(n * t) / n - 3.0 * t  # noqa: E731
    cross = lambda t: 2.0 * (1.0 - np.cos(n * t)) / n  # noqa: E731
    radial = lambda t: np.sin(n * t) / n  # noqa: E731
    T = TRANSFER_S
    vx, vz = np.linalg.solve([[along(T), cross(T)], [-cross(T), radial(T)]], [WAYPOINT_M - START_M, 0.0])
    flight = np.minimum(tau, T)
    x = START_M + along(flight) * vx + cross(flight) * vz
    z = -cross(flight) * vx + radial(flight) * vz
    closing = np.clip((tau - T) / CLOSE_S, 0.0, 1.0)
    return x + (HOLD_M - WAYPOINT_M) * closing, z


def tumbling(state: tuple[float, ...]) -> tuple[float, ...]:
    """Rate of (attitude quaternion w x y z, body rates): kinematics and Euler's torque-free equations."""
    w, x, y, z, p, q, r = state
    a, b, c = CLIENT_INERTIA
    return (
        0.5 * (-x * p - y * q - z * r), 0.5 * (w * p + y * r - z * q),
        0.5 * (w * q + z * p - x * r), 0.5 * (w * r + x * q - y * p),
        (b - c) / a * q * r, (c - a) / b * r * p, (a - b) / c * p * q,
    )  # fmt: skip


def client(tau: np.ndarray) -> list[tuple[float, ...]]:
    """Attitude of the client (w, x, y, z) at each cycle, by Runge-Kutta of fourth order."""
    state, out = (1.0, 0.0, 0.0, 0.0, *CLIENT_RATE), []
    for h in np.diff(tau, append=tau[-1]).tolist():
        norm = math.sqrt(sum(v * v for v in state[:4]))
        out.append(tuple(v / norm for v in state[:4]))
        k1 = tumbling(state)
        k2 = tumbling(tuple(s + 0.5 * h * k for s, k in zip(state, k1, strict=True)))
        k3 = tumbling(tuple(s + 0.5 * h * k for s, k in zip(state, k2, strict=True)))
        k4 = tumbling(tuple(s + h * k for s, k in zip(state, k3, strict=True)))
        state = tuple(s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4, strict=True))
    return out


def main(path: Path) -> None:
    tau = soft_clock()
    x, z = chaser(tau)
    q = client(tau)
    with path.open("w") as file:
        for xk, zk, (qw, qx, qy, qz) in zip(x, z, q, strict=True):
            row = [xk, 0, zk, 0, 0, 0, 1, 0, 0, 0, qx, qy, qz, qw, *POV, DATA_LIN]
            file.write("1 " + " ".join(f"{value:.15g}" for value in row) + "\n")
    print(f"{path}: {len(tau)} lines, {len(tau) * DT:.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "rendezvous.txt"))
