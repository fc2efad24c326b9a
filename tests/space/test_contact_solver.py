"""MuJoCo 4.0.0's Newton solver with sparse Jacobians: what is wrong with it, and that ours is not."""

from typing import Any

import mujoco
import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.grasp import scene as grasp_scene
from proxops.applications.grasp.setting import gripper_of
from proxops.applications.grasp.tables import GraspFile
from proxops.arms.model import load_model
from proxops.core.errors import ProxopsError
from proxops.core.floating_object import FloatingScene, ObjectTable
from proxops.space.contact_solver import check_solver, set_solver
from proxops.space.floating_model import floating_model

SPARSE, DENSE = mujoco.mjtJacobian.mjJAC_SPARSE, mujoco.mjtJacobian.mjJAC_DENSE
SPHERE, HINGE = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtJoint.mjJNT_HINGE
HANDS = (342, 374, 612, 784, 997)  # draws that show the defect; one in some hundred does


def hand(seed: int) -> Any:
    """A palm that floats with fingers of balls, which touch each other: branches of a tree joined by contacts."""
    rng, spec = np.random.default_rng(seed), mujoco.MjSpec()
    spec.option.gravity, spec.option.tolerance = (0.0, 0.0, 0.0), 1e-14
    palm = spec.worldbody.add_body()
    palm.add_freejoint()
    palm.add_geom(type=SPHERE, size=(0.1, 0, 0), mass=1)
    for _ in range(int(rng.integers(2, 5))):
        body = palm
        for _ in range(int(rng.integers(1, 4))):
            body = body.add_body(pos=rng.uniform(-0.15, 0.15, 3))
            body.add_joint(type=HINGE, axis=rng.normal(size=3))
            body.add_geom(type=SPHERE, size=(0.1, 0, 0), mass=1, condim=1)
    return spec


def accelerations(spec: Any) -> tuple[Any, int]:
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(1).normal(size=model.nv)
    mujoco.mj_forward(model, data)
    return data.qacc.copy(), int(data.solver_niter.sum())


def with_jacobian(seed: int, jacobian: Any, solver: Any = mujoco.mjtSolver.mjSOL_NEWTON) -> tuple[Any, int]:
    spec = hand(seed)
    spec.option.jacobian, spec.option.solver, spec.option.iterations = jacobian, solver, 20_000
    return accelerations(spec)


@pytest.mark.skipif(mujoco.mj_versionString() != "4.0.0", reason="defect of this version")
@pytest.mark.parametrize("seed", HANDS)
def test_the_defect_is_there_and_dense_jacobians_are_free_of_it(seed: int) -> None:
    dense, rounds = with_jacobian(seed, DENSE)
    sparse = hand(seed)
    sparse.option.jacobian = SPARSE
    wrong, wasted = accelerations(sparse)
    assert np.abs(wrong - dense).max() > 0.5 * np.abs(dense).max()
    assert rounds <= 5
    assert wasted == 100  # all that it may
    # Conjugate gradients need no factor: the judge between the two.
    other, _ = with_jacobian(seed, SPARSE, mujoco.mjtSolver.mjSOL_CG)
    assert other == pytest.approx(dense, abs=1e-4 * np.abs(dense).max())


def test_our_setting_is_dense_and_right() -> None:
    for seed in HANDS:
        spec = hand(seed)
        set_solver(spec.option)
        spec.option.enableflags = 0  # the contact's own mass instead of an estimate would be another contact
        ours, rounds = accelerations(spec)
        assert rounds <= 5
        assert ours == pytest.approx(with_jacobian(seed, DENSE)[0], abs=1e-9 * np.abs(ours).max())
        check_solver(spec.compile())


@pytest.mark.skipif(mujoco.mj_versionString() != "4.0.0", reason="defect of this version")
def test_a_model_that_would_be_wrong_is_refused() -> None:
    spec = hand(342)
    spec.option.jacobian = SPARSE
    with pytest.raises(ProxopsError, match="dense"):
        check_solver(spec.compile())
    spec.option.solver = mujoco.mjtSolver.mjSOL_CG
    check_solver(spec.compile())


def test_many_floating_objects_stay_dense() -> None:
    """Twelve have 72 degrees of freedom: MuJoCo's own choice would be sparse."""
    rows = tuple(
        ObjectTable(shape="sphere", size_m=(0.04,), mass_kg=1.0, place_m=(0.1 * i, 0.0, 0.0)) for i in range(12)
    )
    model = floating_model(FloatingScene(rows), 5e-4, 60.0).compiled
    assert model.nv == 72
    assert not mujoco.mj_isSparse(model)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_AUTO
    assert mujoco.mj_isSparse(model)


@pytest.mark.skipif(mujoco.mj_versionString() != "4.0.0", reason="defect of this version")
def test_the_scene_of_a_catch_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dense as it is; refused if someone makes it sparse."""
    path = experiment_paths()["grasp"]
    experiment = parse_experiment(path.read_text(), path)
    file = experiment.file
    assert isinstance(file, GraspFile)
    craft = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    whole = (craft, gripper_of(file.gripper), file.handle, 1e-3)
    assert not mujoco.mj_isSparse(grasp_scene.build_scene(*whole))
    monkeypatch.setattr(grasp_scene, "set_dense_newton", lambda option: setattr(option, "jacobian", SPARSE))
    with pytest.raises(ProxopsError, match="dense"):
        grasp_scene.build_scene(*whole)
