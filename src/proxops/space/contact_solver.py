"""How MuJoCo solves for contact forces: set and checked in this one place.

MuJoCo 4.0.0 factors the Newton solver's Hessian wrongly when the constraint Jacobian is sparse (google-deepmind/mujoco
issue 3767, mended in 4.0.1): accelerations can be off by their own size. It chooses sparse by itself from 60 degrees of
freedom on, so dense is demanded, which is right in every version."""

from __future__ import annotations

from typing import Any, Final

from proxops.core.errors import ProxopsError

# MuJoCo's largest: the contact's acceleration is the spring's and damper's to 1e-4, whatever the masses.
IMPEDANCE: Final = 0.9999


def set_dense_newton(option: Any) -> None:
    """Of an `MjSpec` or `MjModel`: the solver with Jacobians that it is right with, everything else as it is."""
    import mujoco

    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE


def set_solver(option: Any) -> None:
    """Of an `MjSpec` or `MjModel`: Newton with dense Jacobians, to rounding; the contact's own mass instead of an estimate."""
    import mujoco

    set_dense_newton(option)
    option.iterations, option.ls_iterations = 50, 50
    option.tolerance, option.ls_tolerance = 1e-12, 1e-3
    option.enableflags |= mujoco.mjtEnableBit.mjENBL_DIAGEXACT
    # What is no number must be seen: by itself MuJoCo would put all bodies back to where they started.
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET


def check_solver(model: Any) -> None:
    """Refuse a model whose contact forces could be wrong."""
    import mujoco

    newton = model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    if newton and mujoco.mj_isSparse(model) and mujoco.mj_versionString() == "4.0.0":
        raise ProxopsError(
            "MuJoCo 4.0.0 solves contacts wrongly with the Newton solver and sparse Jacobians; set dense ones (set_solver)"
        )


def contact_impedance() -> tuple[float, float, float, float, float]:
    """MuJoCo's ``solimp``: the same at every depth."""
    return IMPEDANCE, IMPEDANCE, 1e-3, 0.5, 1.0
