"""Flight software of your own: stays where it first saw the target from, by a small filter, a PD law, thrusters and wheels.

Runs as it is; or: proxops run examples/hold.toml --flight-software examples/05_flight_software.py:HoldPosition
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import proxops
from proxops import Commands, Measurements, MissionFile, Telemetry

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
STIFF, DAMP = 0.05**2, 1.8 * 0.05  # position, 1/s^2 and 1/s
STIFF_TURN, DAMP_TURN = 0.15**2, 1.8 * 0.15  # attitude
ALPHA, BETA, OUTLIER_M = 0.05, 0.00125, 1.0  # of the filter: a surprise's share in position and velocity


class HoldPosition:
    def __init__(self, mission: MissionFile) -> None:
        self.d = d = proxops.onboard_data(mission)
        along = np.vstack([np.eye(3), -np.eye(3)]) @ d.thruster_directions.T  # each thruster's share in +x … -z
        self.used = along > 0.7  # those that push that way, all alike: in a box, their torques cancel
        self.strength = d.thruster_force_n * (along * self.used).sum(axis=1)  # N
        self.wheels = np.linalg.pinv(d.wheel_axes.T)
        self.owed = np.zeros(3)  # N s that were too little to fire a thruster for
        self.attitude: Floats | None = None  # to be held: chaser's axes in LVLH
        self.goal: Floats | None = None  # to be held: from the target's centre of mass, in LVLH
        self.position, self.velocity, self.outliers = np.zeros(3), np.zeros(3), 0

    def step(self, m: Measurements) -> Commands:
        d, z, y = self.d, -m.p_eci_chaser, -np.cross(m.p_eci_chaser, m.v_eci_chaser)
        w_orbit = -y / (z @ z)  # rad/s in ECI
        z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
        R_eci_chaser = proxops.matrix_from_quat(m.q_eci_chaser)
        R_lvlh_chaser = np.vstack([np.cross(y, z), y, z]) @ R_eci_chaser
        for seen in m.relative:
            p_sensor = seen.p_sensor_target + proxops.matrix_from_quat(seen.q_sensor_target) @ d.target_mass_centre
            self.look(-R_lvlh_chaser @ (d.sensor_place + proxops.R_CHASER_SENSOR @ p_sensor - d.mass_centre))
        away = 0.0 if self.goal is None else self.position - self.goal
        force = -d.mass_kg * (STIFF * away + DAMP * self.velocity)  # N in LVLH
        on_s = self.fire(R_lvlh_chaser.T @ force * d.period_s)
        kick = R_lvlh_chaser @ (on_s @ d.thruster_directions) * d.thruster_force_n / d.mass_kg
        self.position, self.velocity = self.position + self.velocity * d.period_s, self.velocity + kick
        torque = self.wheels @ self.turn(R_lvlh_chaser, m.w_eci_chaser - R_eci_chaser.T @ w_orbit)
        torque = np.clip(torque, -d.wheel_torque_n_m, d.wheel_torque_n_m)
        return Commands(on_s, torque, telemetry=Telemetry(proxops.MissionPhase.HOLD))

    def look(self, p_lvlh: Floats) -> None:
        if self.goal is None or self.outliers > 20:  # nothing seen yet, or all that is seen is elsewhere
            self.goal, self.position = p_lvlh if self.goal is None else self.goal, p_lvlh.copy()
        surprise = p_lvlh - self.position
        self.outliers = self.outliers + 1 if surprise @ surprise > OUTLIER_M**2 else 0
        if not self.outliers:
            self.position += ALPHA * surprise
            self.velocity += BETA * surprise / self.d.period_s

    def fire(self, impulse: Floats) -> Floats:
        self.owed += impulse
        seconds = np.minimum(np.concatenate([self.owed, -self.owed]) / self.strength, self.d.period_s)
        seconds[seconds < self.d.min_on_s] = 0.0
        self.owed -= (seconds * self.strength)[:3] - (seconds * self.strength)[3:]
        return np.minimum(seconds @ self.used, self.d.period_s)  # type: ignore[no-any-return]

    def turn(self, R_lvlh_chaser: Floats, rate: Floats) -> Floats:
        self.attitude = R_lvlh_chaser if self.attitude is None else self.attitude
        E = self.attitude.T @ R_lvlh_chaser
        error = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
        return self.d.inertia @ (-STIFF_TURN * error - DAMP_TURN * rate)


if __name__ == "__main__":
    run = [sys.executable, "-m", "proxops.cli", "run", str(Path(__file__).with_name("hold.toml")), "--no-report"]
    with tempfile.TemporaryDirectory() as out:
        sys.exit(subprocess.run([*run, "--out", out, "--flight-software", f"{__file__}:HoldPosition"]).returncode)
