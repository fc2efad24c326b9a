"""The command behind the packets: pose, velocity and acceleration of T_target_chaser, estimated at every tick.

Packets carry a pose, come every 4 to 20 ms (not regularly) and may be noisy; the clutch wants a smooth command with its
velocity and acceleration. Between packets the command is taken to move with constant acceleration,

    p += v dt + a dt²/2,  v += a dt,        R := exp(w dt + α dt²/2) R,  w += α dt,

with p, v, a and the rate w, α in components of the target frame (R(t + dt) = exp(w dt) R(t)). A packet T seconds after
the one before it differs from that by r = p_packet − p, or r = log(R_packet Rᵀ), the short way, and corrects

    p += g r,  v += h/T r,  a += k/T² r         g = 1 − θ³,  h = 3/2 (1 − θ)² (1 + θ),  k = (1 − θ)³.

Where the gains come from: one prediction over T and one correction multiply the error by (I − K H) Φ(T), whose
characteristic polynomial is z³ + (g + h + k/2 − 3) z² + (3 − 2g − h + k/2) z + (g − 1). Setting it equal to (z − θ)³ gives
the three lines above. θ = exp(−ω T) puts the three poles at ω = 12 rad/s whatever T is; for T → 0 the gains per second
become 3ω, 3ω², ω³, so packets at any mixture of intervals make the same filter. The same gains are those of least squares
over a parabola whose weights fade with age as θⁿ. A command with constant third derivative j is followed j/ω³ behind.

With velocities in the packet there is nothing to differentiate: v and a follow the velocity's difference s = v_packet − v
with a double pole, and p, whose error the velocity no longer feeds, its own difference with a single one,

    p += (1 − θ) r,  v += (1 − θ²) s,  a += (1 − θ)²/T s        θ = exp(−Ω T), Ω = 24 rad/s.

That follows twice as fast and lets the noise of positions into no velocity.

A packet that jumps (further off than 2 mm or 0.1°, and than eight times the root mean square of what is usual) is no
noise to be smoothed: the pose is taken as it is sent, the acceleration forgotten. A second jump at the very next packet,
or within 50 ms, says that the velocity has changed (contact): it is taken from the way between the two jumps. Position and
attitude jump apart. A stream in which every packet jumps is noise after all, and widens what is usual.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, turn, way_between
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import vector

DT = PERIOD_S
OMEGA = 12.0  # rad/s, triple pole of poses alone
OMEGA_RATES = 24.0  # rad/s, poles where packets carry velocities
LONGEST = 25  # ticks: beyond 100 ms a packet is taken nearly as it is, whatever its age
JUMP_M, JUMP_RAD = 2e-3, math.radians(0.1)
JUMP_FACTOR = 8.0  # of the usual innovation
MEMORY = 1.0 / 64.0  # weight of one packet in what is usual
AGAIN = 12  # ticks (48 ms) within which a second jump tells a velocity
REACH_M = 1e9  # larger numbers are no relative pose: they would only eat the digits of the rest
FASTEST_M_S = 50.0  # no hall follows what is faster; without a bound a turn per packet would look like standing still
FASTEST_RAD_S = 2.0 * math.pi
SHARPEST = 100.0  # m/s², rad/s²
NOISIEST_M = 0.0125  # innovations beyond are no noise, whatever was usual
NOISIEST_RAD = math.radians(0.6)
BIAS_M, BIAS_RAD = 1e-3, math.radians(0.05)  # mean innovation that velocities which agree with the poses do not cause
BIAS_MEMORY = 0.05
REFUSED, TAKEN, JUMPED = 0, 1, 2  # answers of observe

ESTIMATE_DTYPE = np.dtype(
    [
        ("p", "f8", (3,)), ("v", "f8", (3,)), ("a", "f8", (3,)),  # m, m/s, m/s² in target
        ("q", "f8", (4,)), ("w", "f8", (3,)), ("alpha", "f8", (3,)),  # R_target_chaser (w, x, y, z), rad/s, rad/s² in target
        ("rms_m", "f8"), ("rms_rad", "f8"),  # usual innovation, length of the vector
        ("ticks", "i8"),  # since the last packet
        ("jump_p", "f8", (3,)), ("jump_q", "f8", (4,)),  # packets of the last jumps
        ("since_p", "i8"), ("since_q", "i8"),  # ticks since those; negative: none to remember
        ("row_p", "i8"), ("row_q", "i8"),  # jumps in a row
        ("before_p", "f8", (3,)), ("before_v", "f8", (3,)),  # what was expected when the last jump came, and its velocity
        ("before_q", "f8", (4,)), ("before_w", "f8", (3,)),
        ("bias_p", "f8", (3,)), ("bias_q", "f8", (3,)),  # mean innovation of packets whose velocities were believed
        ("doubted", "u1"),  # velocities contradicted the poses: not believed until it is seated anew
        ("seated", "u1"),
    ]
)  # fmt: skip
Estimate = NDArray[np.void]


@kernel
def gains(T: float) -> tuple[float, float, float]:
    """g, h/T, k/T² of the triple pole, for poses alone."""
    theta = math.exp(-OMEGA * T)
    rest = 1.0 - theta
    return 1.0 - theta**3, 1.5 * rest * rest * (1.0 + theta) / T, rest**3 / (T * T)


@kernel
def rate_gains(T: float) -> tuple[float, float, float]:
    """Gains on p (of poses), v and a (of velocities) where packets carry velocities."""
    theta = math.exp(-OMEGA_RATES * T)
    rest = 1.0 - theta
    return rest, 1.0 - theta * theta, rest * rest / T


@kernel
def _sound(pose: Array) -> bool:
    """Can ``pose`` be taken: finite, within reach, with a quaternion that is one but for rounding."""
    for i in range(3):
        if not abs(pose[i]) <= REACH_M:
            return False
    norm = math.sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6])
    return 0.9 < norm < 1.1


@kernel
def _sound_rates(velocity: Array) -> bool:
    """Rates that can be believed; a NaN is not less than anything."""
    return length(velocity[0:3]) <= FASTEST_M_S and length(velocity[3:6]) <= FASTEST_RAD_S


@kernel
def _tame(x: Array, most: float) -> None:
    """Shorten a vector to ``most``."""
    size = length(x)
    if size > most:
        for i in range(3):
            x[i] *= most / size


@kernel
def _attitude(pose: Array, q: Array) -> None:
    norm = math.sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6])
    for i in range(4):
        q[i] = pose[3 + i] / norm


@kernel
def seat(est: Estimate, pose: Array, velocity: Array, has_velocity: bool) -> int:
    """Begin anew at ``pose`` (x, y, z, qw, qx, qy, qz): with ``velocity`` (v, w in target) if it has one, else at rest."""
    s = est[0]
    if not _sound(pose):
        return REFUSED
    with_rates = has_velocity and _sound_rates(velocity)
    for i in range(3):
        s.p[i] = pose[i]
        s.v[i] = velocity[i] if with_rates else 0.0
        s.w[i] = velocity[3 + i] if with_rates else 0.0
        s.a[i] = s.alpha[i] = 0.0
    _attitude(pose, s.q)
    s.rms_m = s.rms_rad = 0.0
    s.since_p = s.since_q = -1
    s.bias_p[:] = 0.0
    s.bias_q[:] = 0.0
    s.doubted = 0
    s.ticks = s.row_p = s.row_q = 0
    s.seated = 1
    return TAKEN


@kernel
def predict(est: Estimate) -> None:
    """One tick with constant acceleration."""
    s = est[0]
    if s.seated == 0:
        return
    way = vector(3)
    for i in range(3):
        s.p[i] += DT * (s.v[i] + 0.5 * DT * s.a[i])
        s.v[i] += DT * s.a[i]
        way[i] = DT * (s.w[i] + 0.5 * DT * s.alpha[i])
        s.w[i] += DT * s.alpha[i]
    turn(s.q, way)
    s.ticks += 1
    if s.since_p >= 0:
        s.since_p += 1
    if s.since_q >= 0:
        s.since_q += 1


@kernel
def observe(est: Estimate, pose: Array, velocity: Array, has_velocity: bool) -> int:
    """Correct with a packet that is valid at this tick: REFUSED (not finite: nothing changes), TAKEN or JUMPED."""
    s = est[0]
    if s.seated == 0:
        return seat(est, pose, velocity, has_velocity)
    if not _sound(pose):
        return REFUSED
    with_rates = has_velocity and s.doubted == 0 and _sound_rates(velocity)
    T = DT * min(max(s.ticks, 1), LONGEST)
    jumped_p = _observe_position(est, pose, velocity, with_rates, T)
    jumped_q = _observe_attitude(est, pose, velocity, with_rates, T)
    s.ticks = 0
    s.rms_m, s.rms_rad = min(s.rms_m, NOISIEST_M), min(s.rms_rad, NOISIEST_RAD)
    _tame(s.v, FASTEST_M_S)
    _tame(s.w, FASTEST_RAD_S)
    _tame(s.a, SHARPEST)
    _tame(s.alpha, SHARPEST)
    return JUMPED if jumped_p or jumped_q else TAKEN


@kernel
def _usual(rms: float, off: float, row: int) -> float:
    """Usual innovation after one of size ``off``. A jump or two do not count; a stream of nothing but jumps does."""
    if row == 1 or row == 2:
        return rms
    return math.sqrt(rms * rms + MEMORY * (off * off - rms * rms))


@kernel
def _watch_bias(est: Estimate, bias: Array, r: Array, with_rates: bool, off: float, most: float) -> None:
    """Velocities that do not agree with the poses leave a mean innovation: then only the poses are believed."""
    s = est[0]
    for i in range(3):
        bias[i] = bias[i] + BIAS_MEMORY * (r[i] - bias[i]) if with_rates else 0.0
    if length(bias) > max(most, 0.5 * off):
        s.doubted = 1
        for i in range(3):
            bias[i] = s.v[i] = s.w[i] = s.a[i] = s.alpha[i] = 0.0


@kernel
def _correct(r: Array, velocity: Array, with_rates: bool, T: float, v: Array, a: Array) -> None:
    """Correct ``v`` and ``a``, of position or attitude; ``r`` goes in as the innovation and comes out as the step of pose."""
    if with_rates:
        on_pose, on_v, on_a = rate_gains(T)
        for i in range(3):
            s = velocity[i] - v[i]
            v[i] += on_v * s
            a[i] += on_a * s
            r[i] *= on_pose
    else:
        on_pose, on_v, on_a = gains(T)
        for i in range(3):
            v[i] += on_v * r[i]
            a[i] += on_a * r[i]
            r[i] *= on_pose


@kernel
def _observe_position(est: Estimate, pose: Array, velocity: Array, with_rates: bool, T: float) -> bool:
    s = est[0]
    r = vector(3)
    for i in range(3):
        r[i] = pose[i] - s.p[i]
    off = length(r)
    jumped: bool = off > max(JUMP_M, JUMP_FACTOR * s.rms_m)
    s.row_p = s.row_p + 1 if jumped else 0
    s.rms_m = _usual(s.rms_m, off, s.row_p)
    if not jumped:
        _watch_bias(est, s.bias_p, r, with_rates, s.rms_m, BIAS_M)
        _correct(r, velocity[0:3], with_rates and s.doubted == 0, T, s.v, s.a)
        for i in range(3):
            s.p[i] += r[i]
        return False
    if with_rates and s.row_p > 2:  # packet after packet is not where its velocity leads
        s.doubted = 1
        with_rates = False
    again = s.since_p > 0 and (s.row_p > 1 or s.since_p <= AGAIN)
    back = again and _returned(pose[0:3], s.before_p, s.before_v, DT * s.since_p, max(JUMP_M, JUMP_FACTOR * s.rms_m))
    for i in range(3):
        if not again:
            s.before_p[i], s.before_v[i] = s.p[i], s.v[i]
        if with_rates:
            s.v[i] = velocity[i]
        elif back:
            s.v[i] = s.before_v[i]
        elif again:
            s.v[i] = (pose[i] - s.jump_p[i]) / (DT * s.since_p)
        s.p[i] = s.jump_p[i] = pose[i]
        s.a[i] = 0.0
    s.since_p = -1 if back else 0
    return True


@kernel
def _returned(p: Array, before: Array, rate: Array, t: float, gate: float) -> bool:
    """Back where it would be had the jump before not come: that one was an outlier, and says nothing of a velocity."""
    off = vector(3)
    for i in range(3):
        off[i] = p[i] - before[i] - rate[i] * t
    return length(off) <= gate


@kernel
def _observe_attitude(est: Estimate, pose: Array, velocity: Array, with_rates: bool, T: float) -> bool:
    s = est[0]
    q, r = vector(4), vector(3)
    _attitude(pose, q)
    off = way_between(s.q, q, r)
    jumped: bool = off > max(JUMP_RAD, JUMP_FACTOR * s.rms_rad)
    s.row_q = s.row_q + 1 if jumped else 0
    s.rms_rad = _usual(s.rms_rad, off, s.row_q)
    if not jumped:
        _watch_bias(est, s.bias_q, r, with_rates, s.rms_rad, BIAS_RAD)
        _correct(r, velocity[3:6], with_rates and s.doubted == 0, T, s.w, s.alpha)
        turn(s.q, r)
        return False
    if with_rates and s.row_q > 2:
        s.doubted = 1
        with_rates = False
    again = s.since_q > 0 and (s.row_q > 1 or s.since_q <= AGAIN)
    back = False
    if again:
        turned = vector(3)
        for i in range(3):
            turned[i] = s.before_w[i] * DT * s.since_q
        expected = vector(4)
        copy_to(s.before_q, expected)
        turn(expected, turned)
        back = way_between(expected, q, r) <= max(JUMP_RAD, JUMP_FACTOR * s.rms_rad)
        way_between(s.jump_q, q, r)
    else:
        copy_to(s.q, s.before_q)
        copy_to(s.w, s.before_w)
    for i in range(3):
        if with_rates:
            s.w[i] = velocity[3 + i]
        elif back:
            s.w[i] = s.before_w[i]
        elif again:
            s.w[i] = r[i] / (DT * s.since_q)
        s.alpha[i] = 0.0
    for i in range(4):
        s.q[i] = s.jump_q[i] = q[i]
    s.since_q = -1 if back else 0
    return True


@kernel
def hear(
    est: Estimate, pose: Array, velocity: Array, fresh: bool, has_velocity: bool, dry: bool, gone: bool, out: Array
) -> bool:
    """One cycle of the estimate: predict, then correct with a packet if one is ``fresh``; with none for long (``dry``) no
    more than its speed is believed, and a client that is ``gone`` leaves nothing. The estimated pose into ``out``; True if
    there is one."""
    s = est[0]
    predict(est)
    if gone:
        s.seated = 0
    elif fresh:
        observe(est, pose, velocity, has_velocity)
    elif dry:
        for i in range(3):
            s.a[i] = s.alpha[i] = 0.0
    for i in range(3):
        out[i] = s.p[i]
    for i in range(4):
        out[3 + i] = s.q[i]
    return bool(s.seated)


@kernel
def closing(est: Estimate) -> tuple[float, float]:
    """Speed (m/s) at which the command closes in on the target, and at which it turns (rad/s)."""
    s = est[0]
    distance = length(s.p)
    along = 0.0
    if distance > 0.0:
        for i in range(3):
            along -= s.p[i] * s.v[i] / distance
    return along, length(s.w)
