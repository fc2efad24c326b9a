"""The robot files say what the data sheet says, and two independent readers agree on what that means."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import proxops.lab

os.environ.setdefault("MUJOCO_GL", "egl")  # MuJoCo fixes its GL backend at import; later tests draw pictures
mujoco = pytest.importorskip("mujoco")

MODELS = Path(proxops.lab.__file__).parent / "models"
ROBOTS = ("kr_100_ha", "kr_240_2")
ALL = (*ROBOTS, "kl_1500", "client_mockup", "client_full", "servicer_mockup")
LINKS = ("base_link", *(f"link_{i}" for i in range(1, 7)))
HOME = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])  # robots.yaml usual_home_deg

# robots.yaml kuka_heavy_robots: KR_100_HA and KR_240_2 joint_limits_deg (the same for both)
RANGE_DEG = [(-185, 185), (-146, 0), (-119, 155), (-350, 350), (-125, 125), (-350, 350)]
# robots.yaml: KR_100_HA max_speed_deg_s; KR_240_2 recommended_for_KR_240_2
SPEED_DEG_S = {"kr_100_ha": [110, 110, 100, 170, 170, 238], "kr_240_2": [86, 84, 84, 100, 110, 184]}
# robots.yaml representative_dynamics KR210_R2700_2: max_accel_rad_s2, max_torque_Nm
ACCELERATION = [1.98271, 1.26288, 2.56508, 7.03857, 1.76397, 1.87268]
TORQUE_NM = [7290, 8910, 6988.8, 2274.3, 1398.3, 781.6]
# robots.yaml representative_dynamics KR210_R2700_2 links: mass [kg], principal moments [kg m^2]
STAND_IN = {
    "base_link": (225.96, (12.8309, 9.012, 14.2959)),
    "link_1": (363.07, (13.2088588047575, 31.4949853249961, 33.8838908182464)),
    "link_2": (232.06, (57.7957098112911, 5.63272995683345, 58.559845591006)),
    "link_3": (190.33, (3.46995402943128, 21.1713007283949, 22.2067749058774)),
    "link_4": (42.411794929, (0.161324366141546, 1.3645139545175, 1.39158127634524)),
    "link_5": (16.991732133, (0.200111908543801, 0.120553626775201, 0.220956494925724)),
    "link_6": (6.6, (0.0114565, 0.0114565, 0.014535)),
}
MASS_KG = {"kr_100_ha": 1200.0, "kr_240_2": 1267.0}  # paper Table 2


def load(name: str) -> pin.Model:
    return pin.buildModelFromUrdf(str(MODELS / f"{name}.urdf"))


def flange(name: str, q: NDArray[np.float64]) -> pin.SE3:
    model = load(name)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    return data.oMf[model.getFrameId("flange")].copy()


def link_elements(name: str) -> dict[str, ET.Element]:
    return {link.attrib["name"]: link for link in ET.parse(MODELS / f"{name}.urdf").getroot().iter("link")}


def numbers(text: str) -> NDArray[np.float64]:
    return np.array([float(word) for word in text.split()])


# robots.yaml KR_240_2 flange_xyz_at_home_m; KR 100 HA: 0.35 + 1.0 + 0.21 forward, 0.75 + 1.25 - 0.055 up
@pytest.mark.parametrize(("name", "xyz"), [("kr_240_2", (1.68, 0.0, 1.945)), ("kr_100_ha", (1.56, 0.0, 1.945))])
def test_flange_at_home_looks_forward(name: str, xyz: tuple[float, float, float]) -> None:
    T_base_flange = flange(name, HOME)
    np.testing.assert_allclose(T_base_flange.translation, xyz, atol=1e-12)
    np.testing.assert_allclose(T_base_flange.rotation[:, 2], (1.0, 0.0, 0.0), atol=1e-12)  # z out of the plate
    np.testing.assert_allclose(T_base_flange.rotation[:, 0], (0.0, 0.0, -1.0), atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_link_frames_are_parallel_to_the_base_at_zero(name: str) -> None:
    model = load(name)
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.zeros(6))
    for link in LINKS:
        np.testing.assert_array_equal(data.oMf[model.getFrameId(link)].rotation, np.eye(3))


# paper Table 2: 2600 and 2700 mm; robots.yaml reach_check 2.7014 m, at the wrist centre
@pytest.mark.parametrize(("name", "reach"), [("kr_240_2", 2.7014), ("kr_100_ha", 2.6015)])
def test_reach_at_the_wrist_centre(name: str, reach: float) -> None:
    model = load(name)
    data = model.createData()
    forearm, offset = (model.jointPlacements[i].translation for i in (5, 4))
    stretched = np.array([0.0, 0.0, np.arctan2(offset[2], forearm[0]), 0.0, 0.0, 0.0])
    pin.forwardKinematics(model, data, stretched)
    assert data.oMi[5].translation[0] == pytest.approx(reach, abs=1e-4)
    assert data.oMi[5].translation[2] == pytest.approx(0.75, abs=1e-12)  # d1: the whole arm horizontal


# robots.yaml axes_in_base_frame_at_all_zero
@pytest.mark.parametrize("name", ROBOTS)
def test_axes_turn_as_on_the_pendant(name: str) -> None:
    axes = [(0, 0, -1), (0, 1, 0), (0, 1, 0), (-1, 0, 0), (0, 1, 0), (-1, 0, 0)]
    model = load(name)
    data = model.createData()
    jacobian = pin.computeJointJacobians(model, data, np.zeros(6))
    np.testing.assert_allclose(jacobian[3:].T, axes, atol=1e-15)


@pytest.mark.parametrize("name", ROBOTS)
def test_limits_are_those_of_the_data_sheet(name: str) -> None:
    joints = [j for j in ET.parse(MODELS / f"{name}.urdf").getroot().iter("joint") if j.attrib["type"] == "revolute"]
    assert [j.attrib["name"] for j in joints] == ["a1", "a2", "a3", "a4", "a5", "a6"]
    limits = [j.find("limit") for j in joints]
    read = {key: [float(m.attrib[key]) for m in limits if m is not None] for key in ("lower", "upper", "velocity")}
    np.testing.assert_allclose(np.degrees([read["lower"], read["upper"]]).T, RANGE_DEG, atol=1e-12)
    np.testing.assert_allclose(np.degrees(read["velocity"]), SPEED_DEG_S[name], atol=1e-12)
    assert [float(m.attrib["acceleration"]) for m in limits if m is not None] == ACCELERATION
    assert [float(m.attrib["effort"]) for m in limits if m is not None] == TORQUE_NM


@pytest.mark.parametrize("name", ROBOTS)
def test_masses_are_the_stand_ins_scaled_to_the_catalogue(name: str) -> None:
    inertias = dict(zip(LINKS, load(name).inertias, strict=True))
    scale = MASS_KG[name] / 1077.42  # robots.yaml total_mass_kg
    assert sum(i.mass for i in inertias.values()) == pytest.approx(MASS_KG[name], abs=1e-5)
    for link, (mass, principal) in STAND_IN.items():
        assert inertias[link].mass == pytest.approx(scale * mass, rel=1e-5)
        moments = np.linalg.eigvalsh(inertias[link].inertia)
        np.testing.assert_allclose(moments, scale * np.sort(principal), rtol=1e-3)


@pytest.mark.parametrize("name", ALL)
def test_every_tensor_is_physical(name: str) -> None:
    for inertia in load(name).inertias:
        low, middle, high = np.linalg.eigvalsh(inertia.inertia)
        assert inertia.mass > 0.0
        assert low > 0.0
        assert low + middle > high


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_lies_inside_and_along_the_body(name: str) -> None:
    """The centre of mass is inside the drawn link; long links turn most easily about their long axis."""
    for link, element in link_elements(name).items():
        inertial = element.find("inertial")
        if inertial is not None:
            com = numbers(inertial.find("origin").attrib["xyz"])  # type: ignore[union-attr]
            assert any(_inside(visual, com) for visual in element.iter("visual")), f"{link}: {com} is outside"
    inertias = dict(zip(LINKS, load(name).inertias, strict=True))
    for link in ("link_2", "link_3", "link_4"):  # all along x at the all-zero pose
        _, axes = np.linalg.eigh(inertias[link].inertia)
        assert abs(axes[0, 0]) > 0.98


def _inside(visual: ET.Element, point: NDArray[np.float64]) -> bool:
    origin, shape = visual.find("origin"), visual.find("geometry")[0]  # type: ignore[index]
    assert origin is not None
    local = pin.rpy.rpyToMatrix(numbers(origin.attrib["rpy"])).T @ (point - numbers(origin.attrib["xyz"]))
    if shape.tag == "box":
        return bool(np.all(np.abs(local) <= numbers(shape.attrib["size"]) / 2))
    radius, length = float(shape.attrib["radius"]), float(shape.attrib["length"])
    return bool(np.hypot(local[0], local[1]) <= radius and abs(local[2]) <= length / 2)


@pytest.mark.parametrize("name", ROBOTS)
def test_gravity_is_held_with_room_for_payload(name: str) -> None:
    """Positive A2 and A3 lean forward, so holding takes negative torque, well inside the gear limits."""
    model = load(name)
    data = model.createData()
    at_home = pin.computeGeneralizedGravity(model, data, HOME).copy()
    stretched = pin.computeGeneralizedGravity(model, data, np.zeros(6)).copy()
    assert at_home[0] == pytest.approx(0.0, abs=1e-9)  # axis 1 is vertical
    assert -2000.0 < at_home[1] < -500.0  # the upper arm stands upright: only the forearm pulls
    assert -8910.0 < stretched[1] < -4000.0
    assert np.all(np.abs(stretched) < TORQUE_NM)


# paper 2.2.4: 0 … 25 m, 1.45 m/s; Table 1: 13500 kg; acceleration and effort are our assumptions
def test_rail_runs_along_x() -> None:
    model = load("kl_1500")
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.array([6.0]))
    np.testing.assert_array_equal(data.oMf[model.getFrameId("carriage")].homogeneous[:3, 3], (6.0, 0.0, 0.0))
    assert (model.lowerPositionLimit[0], model.upperPositionLimit[0]) == (0.0, 25.0)
    assert model.velocityLimit[0] == 1.45
    assert sum(i.mass for i in model.inertias) == pytest.approx(13500.0)


@pytest.mark.parametrize("name", ALL)
def test_mujoco_weighs_the_same(name: str) -> None:
    theirs = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.urdf"))
    assert theirs.body_mass.sum() == pytest.approx(sum(i.mass for i in load(name).inertias), rel=1e-9)
    assert {0, 1} == set(theirs.geom_group)  # collision shapes and visual shapes both arrive


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_reaches_the_same_flange(name: str) -> None:
    theirs = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.urdf"))
    state = mujoco.MjData(theirs)
    random = np.random.default_rng(20091)
    low, high = np.radians(RANGE_DEG).T
    for q in random.uniform(low, high, (20, 6)):
        state.qpos[:] = q
        mujoco.mj_kinematics(theirs, state)
        ours = flange(name, q)
        np.testing.assert_allclose(state.body("flange").xpos, ours.translation, atol=1e-9)
        np.testing.assert_allclose(state.body("flange").xmat.reshape(3, 3), ours.rotation, atol=1e-9)


@pytest.mark.parametrize("name", ("client_mockup", "client_full", "servicer_mockup"))
def test_mock_ups_hang_on_their_port(name: str) -> None:
    assert list(link_elements(name)) == ["port"]
