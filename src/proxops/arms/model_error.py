"""A model that is off: what flight software believes of a craft whose masses and inertias nobody has weighed exactly."""

from __future__ import annotations

import numpy as np
import pinocchio

from proxops.arms.model import ArmModel, wrapped
from proxops.core.errors import BadInput


def mistaken(model: ArmModel, share: float, rng: np.random.Generator) -> ArmModel:
    """The same craft with every body's mass and inertia tensor (about its mass centre) scaled by factors of their own, uniform in
    1 ± ``share``. A scaled tensor stays one that a body can have; mass centres, lengths and limits stay."""
    if not 0.0 <= share < 1.0:
        raise BadInput("model error: share", value=share, bound="0 … 1, below 1")
    pin = pinocchio.Model(model.pin)
    for i in range(1, len(pin.inertias)):
        body = pin.inertias[i]
        of_mass, of_inertia = rng.uniform(1.0 - share, 1.0 + share, 2)
        pin.inertias[i] = pinocchio.Inertia(body.mass * of_mass, body.lever, body.inertia * of_inertia)
    return wrapped(pin, model.source, model.tool)
