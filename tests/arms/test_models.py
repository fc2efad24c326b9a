"""The shipped arms: every file parses on a free base, is physical, carries limits, and stands where its source says."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import proxops

Vec = NDArray[np.float64]
MODELS = Path(proxops.__file__).parent / "arms" / "models"
SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHIPPED = sorted(path.stem for path in MODELS.glob("*.urdf"))
HANDS = {
    "ets7_a": ["tool"],
    "ets7_b": ["tool"],
    "humanoid": ["hand_left", "hand_right", "camera"],
    "iiwa_satellite": ["flange"],
    "iiwa_satellite_lbr": ["flange"],
    "lwr_4plus": ["flange"],
    "planar_one": ["tip"],
    "planar_two": ["tip"],
}
NUMBERED = {"ets7_a": 6, "ets7_b": 6, "planar_one": 1, "planar_two": 2}
JOINTS = {name: [f"joint_{i}" for i in range(1, n + 1)] for name, n in NUMBERED.items()} | {
    "humanoid": [f"arm_{side}_{i}" for side in ("left", "right") for i in range(1, 8)],
    "iiwa_satellite": [f"A{i}" for i in range(1, 8)],
    "iiwa_satellite_lbr": [f"A{i}" for i in range(1, 8)],
    "lwr_4plus": ["A1", "A2", "E1", "A3", "A4", "A5", "A6"],
}
# Sums of the printed masses. Hands of the humanoid: force sensor 0.095 kg and gripper 1.093879 kg on each wrist.
MASS = {
    "ets7_a": 2552 + 35.01 + 22.45 + 21.89 + 16.54 + 26.0 + 18.49,
    "ets7_b": 2552 + 35 + 22.7 + 21.4 + 16.8 + 26.2 + 18.1,
    "humanoid": 93 + 2 * (2.714567 + 2.425086 + 2.208741 + 0.877346 + 1.877923 + 0.40931 + 0.308441 + 0.095 + 1.093879),
    "iiwa_satellite": 100 + 3.94781 + 4.50275 + 2.4552 + 2.61155 + 3.41 + 3.38795 + 0.35432,
    "iiwa_satellite_lbr": 100 + 29.9 - 7.050378,  # the catalogue's whole arm, less its foot
    "lwr_4plus": 16,
    "planar_one": 120,
    "planar_two": 140,
}


def tree(name: str) -> ET.Element:
    return ET.parse(MODELS / f"{name}.urdf").getroot()


def floating(name: str) -> pin.Model:
    return pin.buildModelFromUrdf(str(MODELS / f"{name}.urdf"), pin.JointModelFreeFlyer())


def configuration(model: pin.Model, q: Vec | list[float]) -> Vec:
    """Base at the origin, unturned; joints as given, rad."""
    return np.concatenate([pin.neutral(model)[:7], q])


def placed(model: pin.Model, q: Vec | list[float]) -> pin.Data:
    data = model.createData()
    pin.framesForwardKinematics(model, data, configuration(model, q))
    return data


def printed_tensors(name: str) -> dict[str, dict[str, float]]:
    """Tensor of every link with mass, as written in the file."""
    links = {link.get("name", ""): link.find("inertial/inertia") for link in tree(name).iter("link")}
    return {link: {k: float(tensor.get(k, "nan")) for k in SIX} for link, tensor in links.items() if tensor is not None}


def matrix(t: dict[str, float]) -> Vec:
    return np.array([[t["ixx"], t["ixy"], t["ixz"]], [t["ixy"], t["iyy"], t["iyz"]], [t["ixz"], t["iyz"], t["izz"]]])


def slack(t: dict[str, float]) -> float:
    """How far the two smaller principal moments together exceed the largest, kg m2: below zero no mass can do it."""
    small, middle, large = np.linalg.eigvalsh(matrix(t))
    return float(small + middle - large)


def test_exactly_the_promised_models_are_shipped() -> None:
    assert sorted(HANDS) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_parses_on_a_free_base(name: str) -> None:
    model = floating(name)
    assert list(model.names) == ["universe", "root_joint", *JOINTS[name]]
    assert model.nq == 7 + len(JOINTS[name])  # no joint is carried as sine and cosine
    assert pin.computeTotalMass(model) == pytest.approx(MASS[name], abs=1e-9)
    assert next(tree(name).iter("link")).get("name") == "base"
    assert model.frames[model.getFrameId("base")].parentJoint == 1
    massless = {link.get("name") for link in tree(name).iter("link") if link.find("inertial") is None}
    for hand in HANDS[name]:
        assert model.existFrame(hand) and hand in massless


@pytest.mark.parametrize("name", SHIPPED)
def test_every_link_is_physical(name: str) -> None:
    tensors = printed_tensors(name)
    assert len(tensors) == 1 + len(JOINTS[name])
    for link, tensor in tensors.items():
        assert np.linalg.eigvalsh(matrix(tensor))[0] > 0, f"{name}: link {link} has a principal moment of zero or less"
        assert slack(tensor) > 0, f"{name}: link {link} breaks the triangle inequality by {-slack(tensor):.3g} kg m2"


@pytest.mark.parametrize(
    ("name", "link", "entry", "printed"),
    [
        ("ets7_a", "link_2", "iyy", 3.378),
        ("ets7_a", "link_3", "iyy", 2.266),
        ("ets7_a", "link_5", "ixz", -0.2313),
        ("ets7_b", "link_5", "ixz", -0.231),
        ("iiwa_satellite", "link_4", "iyy", 0.01144),
        ("iiwa_satellite", "link_7", "izz", 0.00294),
    ],
)
def test_repaired_entries_needed_it_and_changed_little(name: str, link: str, entry: str, printed: float) -> None:
    tensor = printed_tensors(name)[link]
    assert slack(tensor | {entry: printed}) < 0
    largest = np.linalg.eigvalsh(matrix(tensor))[2]
    assert abs(tensor[entry] - printed) < 0.1 * largest  # 9 % (A, link 2) at most


@pytest.mark.parametrize("name", SHIPPED)
def test_limits_are_given_and_read(name: str) -> None:
    model = floating(name)
    limits = [joint.find("limit") for joint in tree(name).iter("joint") if joint.get("type") == "revolute"]
    read = zip(
        model.lowerPositionLimit[7:],
        model.upperPositionLimit[7:],
        model.velocityLimit[6:],
        model.effortLimit[6:],
        strict=True,
    )
    for limit, (lower, upper, speed, effort) in zip(limits, read, strict=True):
        assert limit is not None
        assert [float(limit.get(k, "nan")) for k in ("lower", "upper", "velocity", "effort")] == [
            lower,
            upper,
            speed,
            effort,
        ]
        assert lower < upper and speed > 0 and effort > 0


@pytest.mark.parametrize("name", SHIPPED)
def test_drawn_with_primitives_only(name: str) -> None:
    shapes = [shape.tag for geometry in tree(name).iter("geometry") for shape in geometry]
    assert set(shapes) <= {"box", "cylinder", "sphere"}
    for link in tree(name).iter("link"):
        assert (link.find("visual") is None) == (link.find("inertial") is None), link.get("name")


def yaw_rate(q: Vec, qdot: Vec) -> float:
    """Rate of a planar chain's base at zero momentum, from sums over its bodies: m (r - c) x (v - c') + I w."""
    angle, rate = np.cumsum([0.0, *q]), np.cumsum([0.0, *qdot])
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    turned = np.stack([-along[:, 1], along[:, 0]], axis=1) * rate[:, None]
    hinge, speed = 0.5 * along[0], 0.5 * turned[0]
    r, v = [np.zeros(2)], [np.zeros(2)]
    for a, b in zip(along[1:], turned[1:], strict=True):
        r.append(hinge + 0.5 * a)
        v.append(speed + 0.5 * b)
        hinge, speed = hinge + a, speed + b
    mass, inertia = np.array([100.0] + [20.0] * len(q)), np.array([10.0] + [1.0] * len(q))
    dr, dv = np.array(r) - np.average(r, axis=0, weights=mass), np.array(v) - np.average(v, axis=0, weights=mass)
    momentum = mass @ (dr[:, 0] * dv[:, 1] - dr[:, 1] * dv[:, 0]) + inertia @ rate
    return float(-momentum / (mass @ (dr**2).sum(axis=1) + inertia.sum()))


def base_twist(model: pin.Model, data: pin.Data, q: Vec, qdot: Vec) -> Vec:
    mass = pin.crba(model, data, configuration(model, q), pin.Convention.WORLD)
    return np.linalg.solve(mass[:6, :6], -mass[:6, 6:] @ qdot)


def test_planar_one_full_turn_of_the_joint_turns_the_base_by_the_closed_form() -> None:
    model = floating("planar_one")
    data = model.createData()
    # The integrand is smooth and periodic: the rectangle rule converges exponentially, 64 points leave rounding only.
    angles = np.linspace(0.0, 2 * np.pi, 64, endpoint=False)
    rates = [base_twist(model, data, np.array([a]), np.ones(1))[5] for a in angles]
    assert np.mean(rates) * 2 * np.pi == pytest.approx(-1.520836718150573, abs=1e-12)


@pytest.mark.parametrize("name", ["planar_one", "planar_two"])
def test_planar_base_rate_is_the_sum_over_the_bodies(name: str) -> None:
    model, rng = floating(name), np.random.default_rng(5)
    data = model.createData()
    for _ in range(20):
        q, qdot = rng.uniform(-3, 3, model.nq - 7), rng.uniform(-1, 1, model.nq - 7)
        twist = base_twist(model, data, q, qdot)
        np.testing.assert_allclose(twist[[2, 3, 4]], 0, atol=1e-13)  # stays in the plane
        assert twist[5] == pytest.approx(yaw_rate(q, qdot), abs=1e-13)


def test_planar_two_ends_where_two_links_end() -> None:
    model = floating("planar_two")
    tip = placed(model, [0.3, 0.4]).oMf[model.getFrameId("tip")].translation
    np.testing.assert_allclose(tip, [0.5 + np.cos(0.3) + np.cos(0.7), np.sin(0.3) + np.sin(0.7), 0], atol=1e-15, rtol=0)
