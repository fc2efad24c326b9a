"""The arms of the kube and fzi cells: the same chains and limits as the models of their dynamics, solids round every link, and
cells that load with a home clear of everything."""

from __future__ import annotations

from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import proxops
from proxops.arms.model import ArmModel, load_model
from proxops.core.toml_text import load_toml
from proxops.lab.arm_cell import ArmCell, build_arm_cell
from proxops.lab.arm_cell_file import ArmCellFile
from proxops.lab.cell import builtin
from proxops.lab.link_tree import TreeLink
from proxops.lab.urdf import Model
from proxops.lab.urdf_drawing import Solid, read_drawing
from proxops.maths.pose import pose_from_abc

Array = NDArray[np.float64]
IIWA, LWR = ("lbr_iiwa_14", "iiwa_satellite", "arm_base"), ("lwr_4plus", "lwr_4plus", "base")
ARMS = pytest.mark.parametrize(("name", "twin", "root"), [IIWA, LWR])
CELLS = pytest.mark.parametrize("name", ["kube", "fzi"])
JOINTS = {
    "lbr_iiwa_14": ("a1", "a2", "a3", "a4", "a5", "a6", "a7"),
    "lwr_4plus": ("a1", "a2", "e1", "a3", "a4", "a5", "a6"),
}
# robots.yaml lbr_iiwa_14_r820: max_accel_rad_s2. LWR: experiments/float.toml, the full speeds in 0.3 s.
ACCELERATION = {
    "lbr_iiwa_14": (8.57, 8.57, 8.74, 11.36, 12.23, 15.72, 15.72),
    "lwr_4plus": (6.4, 6.4, 7.4, 7.4, 11.8, 10.7, 10.7),
}
LINKS = ("base_link", *(f"link_{i}" for i in range(1, 8)))
FLANGE = "flange"
APART = 3  # joints between links that have to be clear of each other
CLEAR_M = 0.03


def drawing(name: str) -> Path:
    return builtin("models", f"{name}.urdf")


def placed(model: ArmModel, q: Array, root: str) -> Array:
    """T_root_flange of a model for dynamics, base anywhere."""
    data = model.pin.createData()
    pin.framesForwardKinematics(model.pin, data, model.configuration(q))
    T_world_root, T_world_flange = (data.oMf[model.pin.getFrameId(frame)] for frame in (root, FLANGE))
    return np.array((T_world_root.inverse() * T_world_flange).homogeneous)


def lab_flange(name: str, q: Array) -> Array:
    """T_base_link_flange of a model of the lab."""
    model = pin.buildModelFromUrdf(str(drawing(name)))
    assert tuple(model.names)[1:] == JOINTS[name]
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    return np.array(data.oMf[model.getFrameId(FLANGE)].homogeneous)


def cell(name: str) -> ArmCell:
    source = builtin("cells", f"{name}.toml")
    return build_arm_cell(ArmCellFile.model_validate(load_toml(source, "the cell")), source)


def link_poses(links: tuple[TreeLink, ...], q: Array) -> list[Array]:
    """T_lab_link of every link of a tree."""
    found: list[Array] = []
    for link in links:
        T_joint_link = np.eye(4)
        if link.drive >= 0:
            T_joint_link[:3, :3] = pin.exp3(np.array(link.drawn.axis) * q[link.drive])
        T_lab_parent = found[link.parent] if link.parent >= 0 else np.eye(4)
        found.append(T_lab_parent @ link.T_parent_joint @ T_joint_link)
    return found


def distance(first: tuple[Solid, Array], second: tuple[Solid, Array]) -> float:
    """Of two solids on links that are placed, by Coal."""
    made = []
    for solid, T_lab_link in (first, second):
        kind = {"box": coal.Box, "cylinder": coal.Cylinder, "sphere": coal.Sphere}[solid.kind]
        T = T_lab_link @ solid.T_link_solid
        made += [kind(*solid.size_m), coal.Transform3s(T[:3, :3], T[:3, 3])]
    return float(coal.distance(*made, coal.DistanceRequest(), coal.DistanceResult()))


def least(arm: ArmCell, q: Array, apart: int, start: int = 0) -> float:
    """Smallest distance of links that many joints or more from each other, those before ``start`` left out."""
    placed_links = list(zip(arm.links[: len(LINKS)], link_poses(arm.links, q), strict=False))
    return min(
        distance((one, T), (other, U))
        for i, (link, T) in enumerate(placed_links)
        if i >= start
        for far, U in placed_links[i + apart :]
        for one in link.drawn.solids
        for other in far.drawn.solids
    )


def depth(solid: Solid, points: Array) -> Array:
    """By how much points in the link's frame are outside a solid, at most; below zero: inside."""
    T_solid_link: Array = np.array(np.linalg.inv(solid.T_link_solid), float)
    seen: Array = (T_solid_link @ np.column_stack([points, np.ones(len(points))]).T)[:3]
    outside: Array
    if solid.kind == "box":
        outside = np.max(np.abs(seen).T - np.array(solid.size_m) / 2.0, axis=1)
    elif solid.kind == "sphere":
        outside = np.sqrt(np.sum(seen * seen, axis=0)) - solid.size_m[0]
    else:
        radius, length = solid.size_m
        outside = np.maximum(np.hypot(seen[0], seen[1]) - radius, np.abs(seen[2]) - length / 2.0)
    return outside


def outline(solid: Solid) -> Array:
    """Points of a solid's surface, in the link's frame: corners, rims or a ball's skin."""
    around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    circle = np.column_stack([np.cos(around), np.sin(around)])
    if solid.kind == "box":
        signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
        own = signs * np.array(solid.size_m)
    elif solid.kind == "cylinder":
        radius, length = solid.size_m
        own = np.vstack([np.column_stack([radius * circle, np.full(24, z)]) for z in (-length / 2.0, length / 2.0)])
    else:
        heights = np.linspace(-1.0, 1.0, 13)
        rings = [np.column_stack([np.sqrt(1.0 - z * z) * circle, np.full(24, z)]) for z in heights]
        own = solid.size_m[0] * np.vstack(rings)
    points: Array = (solid.T_link_solid @ np.column_stack([own, np.ones(len(own))]).T)[:3].T
    return points


@ARMS
def test_the_flange_is_where_the_model_of_the_dynamics_has_it(name: str, twin: str, root: str) -> None:
    model, rng = load_model(twin, FLANGE), np.random.default_rng(16)
    for q in rng.uniform(model.lower, model.upper, (50, model.n)):
        difference = pin.SE3(placed(model, q, root)).inverse() * pin.SE3(lab_flange(name, q))
        assert np.linalg.norm(difference.translation) < 1e-9
        assert np.linalg.norm(pin.log3(difference.rotation)) < 1e-9


@ARMS
def test_limits_are_those_of_the_model_of_the_dynamics(name: str, twin: str, root: str) -> None:
    model, ours = load_model(twin, FLANGE), Model(drawing(name))
    limits = [ours.limits(joint) for joint in JOINTS[name]]
    assert tuple(joint.lower() for joint in model.joints) == JOINTS[name]
    assert [a.lower for a in limits] == model.lower.tolist()
    assert [a.upper for a in limits] == model.upper.tolist()
    assert [a.speed for a in limits] == model.speed.tolist()
    assert tuple(a.acceleration for a in limits) == ACCELERATION[name]


def test_the_accelerations_of_the_lwr_are_the_float_experiments() -> None:
    float_file = Path(proxops.__file__).parent / "experiments" / "float.toml"
    assert tuple(load_toml(float_file, "the experiment")["hand"]["acceleration_rad_s2"]) == ACCELERATION["lwr_4plus"]


@ARMS
def test_every_link_has_looks_and_its_solids_hold_them(name: str, twin: str, root: str) -> None:
    links = read_drawing(drawing(name), "base_link")
    assert tuple(link.name for link in links) == (*LINKS, FLANGE)
    assert not links[-1].visuals
    for link in links[:-1]:
        assert link.visuals and link.solids and link.visuals != link.solids
        for visual in link.visuals:
            points = outline(visual)
            outside = np.min([depth(solid, points) for solid in link.solids], axis=0)
            assert outside.max() < 1e-9, f"{link.name}: a {visual.kind} sticks out by {outside.max():.4f} m"


@CELLS
def test_a_cell_loads_with_its_axes_in_order_and_its_home_within_them(name: str) -> None:
    found = cell(name)
    arm = found.file.robot1
    assert found.file.name == name
    assert arm.joints == JOINTS[Path(arm.model).stem]
    assert found.axis_names == tuple(f"robot1_{joint}" for joint in arm.joints)
    room = np.minimum(found.home - found.axes.lower, found.axes.upper - found.home)
    assert np.degrees(room.min()) > 20.0
    assert {"estop", "fence", "power"} <= {i.kind for i in found.file.interlock}


@CELLS
def test_an_arm_at_home_is_clear_of_itself_and_of_what_stands_there(name: str) -> None:
    found = cell(name)
    assert least(found, found.home, APART) > CLEAR_M
    moving = list(zip(found.links, link_poses(found.links, found.home), strict=True))[1:]
    nearest = min(
        distance((solid, T), (Solid("box", still.box_m or (), pose_from_abc(*still.xyz_lab_m, 0.0, 0.0, 0.0)), np.eye(4)))
        for link, T in moving
        for solid in link.drawn.solids
        for still in found.file.solid
    )  # fmt: skip
    zones = found.file.zones
    assert nearest > (zones.body_margin_mm + zones.yellow_layer_mm) * 1e-3


@CELLS
def test_an_arm_is_clear_of_itself_nearly_everywhere(name: str) -> None:
    """It meets its own foot in a few postures, and nothing else: the solids are not too large."""
    found, rng = cell(name), np.random.default_rng(4)
    postures = rng.uniform(found.axes.lower, found.axes.upper, (100, found.n_axes))
    assert np.mean([least(found, q, APART) > 0.0 for q in postures]) > 0.95
    assert min(least(found, q, APART, start=1) for q in postures) > 0.0


def test_the_arm_of_kube_sticks_out_sideways_as_on_its_satellite() -> None:
    """From the mount the flange is where the satellite's model has it, so the experiment's axes and gravity are the lab's; paper
    004, section 4.2, prints that place."""
    found, model = cell("kube"), load_model("iiwa_satellite", FLANGE)
    poses, T_satellite_flange = link_poses(found.links, found.home), placed(model, found.home, "base")
    mount = found.file.robot1.mount
    np.testing.assert_allclose(poses[-1][:3, 3] - mount.xyz_m, T_satellite_flange[:3, 3], atol=1e-9)
    np.testing.assert_allclose(poses[-1][:3, :3], T_satellite_flange[:3, :3], atol=1e-9)
    np.testing.assert_allclose(poses[-1][:3, 3] - mount.xyz_m, [1.057, 0.174, 0.328], atol=5e-4)
