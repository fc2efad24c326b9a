"""What came of a docking: contacts against what they should have been, energy ledger, fidelity certificate, series, criteria."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from proxops.applications.docking.application import DockingStage
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import POSE, TWIST, WRENCH, ExperimentResult, Series
from proxops.core.messages import PERIOD_S
from proxops.space.contact_pair import V
from proxops.touch.docking_loop import Touch
from proxops.touch.docking_reference import ContactOutcome, uncompensated, undelayed
from proxops.touch.fidelity import LEAST_ERROR, Certificate

if TYPE_CHECKING:
    from proxops.applications.docking.experiment import DockingRan

Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
IMPULSE_BOUND: Final = 0.2  # 0.05 mm of teaching in are 3 N of a contact of 30 N
MOMENTUM_BOUND: Final = 1e-6  # of the largest there is
# By how much a command may differ from going straight on, beyond the acceleration of the contact.
CONTINUOUS_MM: Final = 0.05
CONVENTIONS: Final = (
    "Client axes: x out of the docking hardware, origin in the client's port. Ball: centre of the probe's ball. Forces "
    "act on the "
    "chaser at the ball's centre.",
    "e, restitution: speed along the normal of first touch after the contact over that before. Ideal: flown from the "
    "same state with "
    "the law that the virtual hardware truly has and no delay; raw: with that law through the delay and nothing done about it.",
    "Energy: kinetic energy of both bodies less that of their common centre of mass.",
    "Shown: what the robots' encoders say, taught in at the start. The hardware that touches is where the robots truly are.",
)
STATE: Final = (("t", "s"), ("stage", ""), ("latched", ""), ("depth", "m"), ("true_depth", "m"))
BLEND: Final = tuple((f"d{i}", "m" if i < 3 else "rad") for i in range(6))


@dataclass(frozen=True)
class Judged:
    """One contact beside what it should have been."""

    touch: Touch
    ideal: ContactOutcome
    raw: ContactOutcome  # without compensation

    @property
    def error(self) -> float:
        """Of the coefficient of restitution."""
        return abs(self.touch.leaving - self.ideal.leaving) / self.touch.closing

    @property
    def raw_error(self) -> float:
        return abs(self.raw.leaving - self.ideal.leaving) / self.touch.closing


def sum_up(ran: DockingRan) -> ExperimentResult:
    """Series, figures, criteria."""
    application = ran.application
    rows = application.rows[: application.count]
    judged = judge(ran)
    tables = [_certificate(ran, judged), _contacts(ran, judged), _ledger(judged)]
    return ExperimentResult(
        rows["t"].copy(), series_of(rows), _figures(ran, rows, judged), _criteria(ran, rows, judged), CONVENTIONS,
        tuple(table for table in tables if table[2]), application.failure or ran.stopped,
    )  # fmt: skip


def judge(ran: DockingRan) -> list[Judged]:
    """All contacts that came apart."""
    loop, delay = ran.application.loop, ran.application.delay
    if loop is None or delay is None:
        return []
    true = ran.bench.true
    return [
        Judged(touch, undelayed(true, touch.state, touch.normal), uncompensated(true, touch.state, touch.normal, delay.delay))
        for touch in loop.touches
        if touch.ended >= 0
    ]  # fmt: skip


def _outcome(ran: DockingRan) -> str:
    loop = ran.application.loop
    if loop is not None and loop.latched:
        return "capture"
    if ran.application.retreated:
        return "retracted from contact" if loop is not None and loop.touches else "retracted"
    return "bounce" if loop is not None and any(touch.ended >= 0 for touch in loop.touches) else "no contact"


def _figures(ran: DockingRan, rows: np.ndarray[Any, Any], judged: list[Judged]) -> dict[str, Any]:
    flight = rows[rows["stage"] >= DockingStage.FLIGHT]
    certificate, delay = ran.application.judge.certificate, ran.application.delay
    return {
        "verdict": certificate.verdict.value if certificate else "none",
        "loop_delay_ms": delay.delay * 1e3 if delay else None, "loop_delay_sigma_ms": delay.sigma * 1e3 if delay else None,
        "rules": {rule.name: rule.value for rule in certificate.rules} if certificate else {},
        "outcome": _outcome(ran), "contacts": len(ran.application.loop.touches) if ran.application.loop else 0,
        "restitution": [j.touch.restitution for j in judged],
        "restitution_undelayed": [j.ideal.leaving / j.touch.closing for j in judged],
        "restitution_uncompensated": [j.raw.leaving / j.touch.closing for j in judged],
        "restitution_error": [j.error for j in judged],
        "largest_force_N": float(np.linalg.norm(flight["felt"][:, :3], axis=1).max()) if len(flight) else 0.0,
        "found_stiffness_N_mm": [j.touch.law.k * 1e-3 for j in judged if j.touch.law],
        "found_damping_Ns_m": [j.touch.law.c for j in judged if j.touch.law],
        "command_off_straight_mm": 1e3 * roughness(flight), "stage": DockingStage(int(ran.application.stage)).name,
    }  # fmt: skip


def roughness(rows: np.ndarray[Any, Any]) -> float:
    """Largest second difference of the commanded position, m: a jump shows, a bounce is a few micrometres a cycle."""
    if len(rows) < 3:
        return 0.0
    return float(np.abs(np.diff(rows["command"][:, :3], 2, axis=0)).max())


def drift_of_momentum(rows: np.ndarray[Any, Any]) -> float:
    """Greatest departure from the beginning over the size at the beginning; the larger of linear and angular."""
    book = rows["books"][rows["stage"] == DockingStage.FLIGHT]
    if len(book) == 0:
        return 0.0
    off = [np.linalg.norm(book[:, span] - book[0, span], axis=1).max() for span in (slice(0, 3), slice(3, 6))]
    size = [float(np.linalg.norm(book[0, span])) for span in (slice(0, 3), slice(3, 6))]
    lever = size[0] * 1.0  # N m s: of the linear momentum at one metre, where nothing turns at first
    return float(max(off[0] / size[0], off[1] / max(size[1], lever)))


def _criteria(ran: DockingRan, rows: np.ndarray[Any, Any], judged: list[Judged]) -> tuple[Criterion, ...]:
    file, found = ran.application.file, []
    if file.expect != "any":
        found.append(Criterion("outcome", _outcome(ran), file.expect, "equal"))
    if judged and file.loop.compensation == "replay":
        shares = [j.error / bound for j, bound in zip(judged, bounds_of(ran, judged), strict=True)]
        found.append(
            Criterion("error of the restitution over what is certified, worst contact", float(np.max(shares)), 1.0)
        )
        off = float(np.max([impulse_error(ran, j) for j in judged]))
        found.append(Criterion("impulse felt against momentum given, worst contact", off, IMPULSE_BOUND))
    if judged:
        gained = float(np.max([j.touch.energy_after / j.touch.energy_before - 1.0 for j in judged]))  # NaN fails
        found.append(Criterion("kinetic energy gained by a contact, share", gained, 1e-9))
    if ran.application.loop is not None:
        found.append(Criterion("momentum not kept by the integration, share", drift_of_momentum(rows), MOMENTUM_BOUND))
        flight = rows[rows["stage"] == DockingStage.FLIGHT]
        found.append(
            Criterion(
                "commanded position off straight on in a cycle", 1e3 * roughness(flight), CONTINUOUS_MM, unit="mm"
            )
        )
    return tuple(found)


def bounds_of(ran: DockingRan, judged: list[Judged]) -> list[float]:
    """Of the error of each contact's restitution: what its own certificate promises, else the one before the flight."""
    judge_ = ran.application.judge
    touches = ran.application.loop.touches if ran.application.loop else []
    given = {id(touch): certificate for touch, certificate in zip(touches, judge_.touched, strict=False)}
    out = []
    for each in judged:
        certificate = given.get(id(each.touch)) or judge_.certificate
        known = certificate is not None and math.isfinite(certificate.compensated)
        out.append(certificate.compensated if certificate is not None and known else LEAST_ERROR)
    return out


def impulse_error(ran: DockingRan, one: Judged) -> float:
    """Impulse that the sensor felt in a contact against the momentum that the replay gave to the chaser, as a share of it.
    The hall shows the contact a little differently than it is computed, so they are alike and not the same."""
    app = ran.application
    flight = app.rows[: app.count][app.rows["stage"][: app.count] == DockingStage.FLIGHT]
    span = flight[max(one.touch.begun - 1, 0) : one.touch.ended + 1]
    forces = span["felt"][:, :3]
    touching = np.linalg.norm(forces, axis=1) > ran.bench.threshold_n
    felt = PERIOD_S * forces[touching].sum(axis=0)
    before, after = one.touch.state, one.touch.after
    given = ran.bench.file.chaser.mass_kg * (after[V : V + 3] - before[V : V + 3])
    return float(np.linalg.norm(felt - given) / np.linalg.norm(given))


def _certificate(ran: DockingRan, judged: list[Judged]) -> Table:
    """The fidelity certificate."""
    certificate, delay = ran.application.judge.certificate, ran.application.delay
    if certificate is None or delay is None:
        return "Fidelity certificate", (), ()
    rows = [
        ("verdict", _verdict(ran, certificate), "; ".join(map(str, certificate.broken)) or "all bounds kept"),
        ("loop delay", f"{delay.delay * 1e3:.3f} ms", f"± {delay.sigma * 1e3:.3f} ms (1 sigma), from a motion to and fro"),
        ("mass along the normal", f"{certificate.contact.mass_kg:.4g} kg", f"at {certificate.contact.speed * 1e3:.4g} mm/s"),
        ("stamps of pose and force", f"± {certificate.contact.dtau_s * 1e3:.3f} ms", "declared, not measured"),
        ("contact stiffness found", _found(judged), "in the last contact that came apart"),
        *((f"{rule.name}", f"{rule.value:.4g}", f"at most {rule.bound:g}") for rule in certificate.rules),
        ("error of restitution, uncompensated", f"{_raw_error(certificate, judged):+.4f} predicted", _worst(judged, "raw_error")),
        ("error of restitution, in this run", f"at most {certificate.compensated:.4f} promised", _worst(judged, "error")),
    ]  # fmt: skip
    return "Fidelity certificate", ("figure", "value", ""), tuple(rows)


def _verdict(ran: DockingRan, certificate: Certificate) -> str:
    return certificate.verdict.value if ran.application.file.loop.compensation == "replay" else "none: not compensated"


def _found(judged: list[Judged]) -> str:
    law = judged[-1].touch.law if judged else None
    return f"{law.k * 1e-3:.4g} N/mm ± {law.sigmas[0]:.1%}, damping {law.c:.4g} N s/m" if law else "none"


def _raw_error(certificate: Certificate, judged: list[Judged]) -> float:
    """exp(pi omega tau / 2) - 1 is the share by which a delay raises the restitution that there would be."""
    undelayed_e = judged[0].ideal.leaving / judged[0].touch.closing if judged else 1.0
    return certificate.uncompensated * undelayed_e


def _worst(judged: list[Judged], name: str) -> str:
    return f"{max(getattr(j, name) for j in judged):.4f} observed, worst of {len(judged)}" if judged else "not observed"


def _contacts(ran: DockingRan, judged: list[Judged]) -> Table:
    app = ran.application
    flying = app.rows["stage"][: app.count] >= DockingStage.FLIGHT
    first_s = float(app.rows["t"][: app.count][flying][0]) if flying.any() else 0.0
    rows = tuple(
        (
            str(i + 1), f"{first_s + j.touch.begun * PERIOD_S:.3f} s",
            f"{(j.touch.ended - j.touch.begun) * PERIOD_S * 1e3:.0f} ms",
            f"{j.touch.closing * 1e3:.2f} mm/s", f"{j.touch.restitution:.4f}", f"{j.ideal.leaving / j.touch.closing:.4f}",
            f"{j.raw.leaving / j.touch.closing:.4f}", f"{j.error:.4f}", f"{j.touch.peak:.1f} N", f"{j.ideal.peak:.1f} N",
        )
        for i, j in enumerate(judged)
    )  # fmt: skip
    head = ("", "felt at", "lasted", "closing", "e", "ideal e", "raw e", "error", "peak", "ideal")
    return "Contacts", head, rows


def _ledger(judged: list[Judged]) -> Table:
    """Where the energy went."""
    out = tuple(
        (
            str(i + 1), f"{j.touch.energy_before * 1e3:.4f} mJ", f"{j.touch.energy_after * 1e3:.4f} mJ",
            f"{(j.touch.energy_before - j.touch.energy_after) * 1e3:.4f} mJ",
            f"{(j.touch.energy_before - j.ideal.energy) * 1e3:.4f} mJ",
            f"{(j.raw.energy - j.ideal.energy) * 1e3:+.4f} mJ",
        )
        for i, j in enumerate(judged)
    )  # fmt: skip
    head = ("contact", "before", "after", "lost", "lost if undelayed", "put in by the delay if nothing were done")
    return "Energy ledger", head, out


def series_of(rows: np.ndarray[Any, Any]) -> tuple[Series, ...]:
    law = (("stiffness", "N/m"), ("damping", "N s/m"), ("offset", "m"), ("exponent", ""), ("friction", ""))
    book = (
        ("px", "N s"), ("py", "N s"), ("pz", "N s"), ("lx", "N m s"), ("ly", "N m s"), ("lz", "N m s"), ("kinetic", "J"),
        ("relative", "J"),
    )  # fmt: skip
    state = np.stack([rows["t"], rows["stage"], rows["latched"], rows["depth"], rows["true_depth"]], axis=1)
    return (
        Series("docking", "its own time, stage, latch and how deep the ball is, computed and truly", STATE, state),
        Series("asked", "port of the chaser in the client's frame, to be shown", POSE, rows["command"]),
        Series("shown", "ball and attitude of the chaser in the client's frame, by the encoders", POSE, rows["shown"]),
        Series("shown_rate", "and its motion", TWIST, rows["shown_twist"]),
        Series("ball", "ball and attitude as computed", POSE, rows["ball"]),
        Series("ball_rate", "and its motion", TWIST, rows["ball_twist"]),
        Series("felt", "wrench by the sensor, load and zero taken off", WRENCH, rows["felt"]),
        Series("modelled", "wrench of the law found so far at the shown pose", WRENCH, rows["modelled"]),
        Series("true_wrench", "wrench that truly acts", WRENCH, rows["true"]),
        Series("zero", "bias of the sensor as followed", WRENCH, rows["bias"]),
        Series("law", "as found so far", law, rows["law"]),
        Series("books", "momentum about the inertial origin, energy", book, rows["books"]),
        Series("blend", "by which the command still differs from the state", BLEND, rows["away"]),
    )  # fmt: skip
