"""Which effects decide between the four task-space laws (paper 003): one at a time on the path of ``humanoid``, then together.

Each case is a shipped experiment with a table ``[joints]``, other gains of the posture (the paper prints none) or a wrong
model. The laws keep Table 4's gains. Pure: a case in, a mean error for each law out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.applications.catalogue import load
from proxops.applications.tracking.experiment import cases_of, prepared
from proxops.applications.tracking.result import EQUAL, TrackingSetting
from proxops.applications.tracking.run import TrackingBench
from proxops.applications.tracking.tables import TrackingFile
from proxops.arms.model_error import mistaken
from proxops.core.experiment import Experiment

SHARE: Final = 0.10  # of masses and inertias, by which a wrong model is off at most


@dataclass(frozen=True)
class StudyCase:
    """``joints``: the scenario's table. ``posture``: (kp, kd) for laws 2 to 4 instead of the shipped ones. ``pushed``: kp of law
    1's posture, with the sign that eq. 17 is printed with. ``wrong``: seed of a model that is off."""

    name: str
    joints: dict[str, Any] | None = None
    posture: tuple[float, float] | None = None
    pushed: float | None = None
    wrong: int | None = None
    scenario: str = "humanoid"


def friction(viscous: float, coulomb: float, compensation: float = 0.0, by: str = "demanded") -> dict[str, Any]:
    """N m s/rad, N m, of every joint."""
    return {"friction": {"viscous_n_m_s": viscous, "coulomb_n_m": coulomb, "compensation": compensation, "by": by}}


def encoder(bits: int | None, cutoff_hz: float | None = None, rate: str = "differences") -> dict[str, Any]:
    return {"encoder": {"bits": bits, "cutoff_hz": cutoff_hz, "rate": rate}}


STIFF: Final = (10.0, 1.0)  # in law 2 1/s² and 1/s, in laws 3 and 4 N m/rad and N m s/rad
CASES: Final = (
    StudyCase("ideal joints"),
    StudyCase("wrong model", wrong=1),
    *(StudyCase(f"encoder of {bits} bits, true rate", encoder(bits, rate="true")) for bits in (12, 16)),
    StudyCase("exact angles, differences", encoder(None)),
    *(StudyCase(f"encoder of {bits} bits, differences", encoder(bits)) for bits in (14, 16, 18)),
    *(StudyCase(f"encoder of {bits} bits, differences below 50 Hz", encoder(bits, 50.0)) for bits in (14, 18)),
    *(StudyCase(f"torques {n} cycles late", {"motor": {"delay_cycles": n}}) for n in (1, 5)),
    *(StudyCase(f"ripple of {a:g} N m", {"motor": {"ripple_n_m": a}}) for a in (1e-3, 1e-2)),
    *(StudyCase(f"Coulomb friction of {c:g} N m", friction(0.0, c)) for c in (1e-3, 1e-2, 1.0)),
    *(StudyCase(f"viscous friction of {d:g} N m s/rad", friction(d, 0.0)) for d in (1e-2, 1e-1, 1.0)),
    StudyCase("both 1, 99 % compensated by the measured rate", friction(1.0, 1.0, 0.99, "measured")),
    *(StudyCase(f"both 1, {100 * s:g} % by the demanded rate", friction(1.0, 1.0, s)) for s in (0.9, 0.99, 1.0)),
    *(StudyCase(f"viscous 1, {100 * s:g} % compensated", friction(1.0, 0.0, s)) for s in (0.96, 0.99, 1.0)),
    StudyCase("ideal joints, posture 10 and 1", posture=STIFF),
    StudyCase("wrong model, posture 10 and 1", posture=STIFF, wrong=1),
    *(
        StudyCase(f"viscous 1, {100 * s:g} %, posture 10 and 1", friction(1.0, 0.0, s), posture=STIFF)
        for s in (0.0, 0.96, 0.99)
    ),
    StudyCase("viscous 1, 96 %, posture 1 and 1", friction(1.0, 0.0, 0.96), posture=(1.0, 1.0)),
    StudyCase("viscous 1, 96 %, posture 50 and 1", friction(1.0, 0.0, 0.96), posture=(50.0, 1.0)),
    *(
        StudyCase(f"viscous 1, 96 %, posture 10 and 1, eq. 17 as printed with {kp:g}", friction(1.0, 0.0, 0.96), STIFF, kp)
        for kp in (0.5, 1.5, 2.0)
    ),
    StudyCase("humanoid_real", scenario="humanoid_real"),
    StudyCase("humanoid_real, wrong model", wrong=1, scenario="humanoid_real"),
)  # fmt: skip


def mean_errors(case: StudyCase) -> dict[int, float]:
    """m, by law; NaN for one that diverges."""
    setting = setting_of(case)
    belief = setting.craft if case.wrong is None else mistaken(setting.craft, SHARE, np.random.default_rng(case.wrong))
    out = {}
    for one in cases_of(setting.file):
        if one.name != EQUAL:
            controller = setting.controller(belief, one)
            bench = TrackingBench(setting.file, setting.craft, setting.q, setting.path, controller, setting.every)
            out[one.law] = bench.run().mean_m
    return out


def setting_of(case: StudyCase) -> TrackingSetting:
    """Checked as before any run."""
    return prepared(experiment_of(case))


def experiment_of(case: StudyCase) -> Experiment:
    """The scenario changed as the case says, judged as any file is."""
    experiment = load(case.scenario)
    assert isinstance(experiment, Experiment)
    table = experiment.file.model_dump(exclude_unset=True)
    if case.joints is not None:
        table["joints"] = case.joints
    for row in table["law"]:
        if row["number"] == 1 and case.pushed is not None:
            row["posture_kp"], row["pushes"] = case.pushed, True
        if row["number"] != 1 and case.posture is not None:
            row["posture_kp"], row["posture_kd"] = case.posture
    return Experiment(TrackingFile.model_validate(table), experiment.source, experiment.text)
