"""The humanoid: a body of 93 kg that its known parts fit into, and two arms that are mirror images with hands on."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import proxops

Vec = NDArray[np.float64]
URDF = Path(proxops.__file__).parent / "arms" / "models" / "humanoid.urdf"
ACROSS = np.diag([1.0, -1.0, 1.0])  # mirror in the x-z plane
PSEUDO = -ACROSS  # the same for turning rates
SENSES = np.array([-1, -1, -1, 1, -1, -1, 1.0])  # joints about x and z turn against, about y alike
LEFT, RIGHT = slice(6, 13), slice(13, 20)  # velocity indices
CHEST = np.array([0, 0, 0.0722])
NECK = np.array([0.02, 0, 0.0722 + 0.321])

# mass, centre of mass, tensor (xx, xy, xz, yy, yz, zz), place of the part's frame in base. TALOS, as the source prints it.
BODY = [
    (13.5381, [-0.08222, 0.00838, -0.07261], [0.06989, -0.000117, 0.00023, 0.039982, -0.001325, 0.082345], [0, 0, 0]),
    (
        2.294658,
        [0.00078223, 3.528e-05, -0.01782457],
        [0.00638508087, -7.107e-08, -3.065592e-05, 0.00410256102, -1.46946e-06, 0.00622968815],
        CHEST,
    ),
    (
        16.97403,
        [-0.0463563, -0.00099023, 0.1452805],
        [0.44372633826, 0.00069132133, -0.01218206353, 0.2998576068, -0.00019623338, 0.32201554742],
        CHEST,
    ),
    (
        0.73746,
        [-0.00157211, -0.00157919, 0.02175767],
        [0.00224878584, 4.69375e-06, 8.55557e-05, 0.00111158492, -4.132536e-05, 0.00205225921],
        NECK,
    ),
    (
        1.443954,
        [0.01002657, 5.218e-05, 0.14136068],
        [0.01084624339, 1.050889e-05, 0.00041594252, 0.0109569176, 2.367831e-05, 0.00571698895],
        NECK,
    ),
]
# Gripper of the left hand, all joints at zero; places in the gripper's frame. Tensors in 1e-5 kg m2.
TIP = (0.026301, [0, 0.004604, -0.002537], [0.8, 0, 0, 0.869179, -0.143612, 0.23082])
FINGERS = [
    (
        (0.637534, [2.8e-05, 0.005394, -0.023654], [58.49692, 0.437159, -1.2589, 67.076439, 2.824361, 85.526645]),
        [0, 0, 0],
    ),
    (
        (0.134356, [0.019654, 0.018572, -0.011998], [13.479919, 6.184429, -3.0798, 19.602207, 4.707722, 24.217879]),
        [0, 0.02025, -0.03],
    ),
    (
        (0.087986, [-0.013283, 0.036852, -0.023153], [7.410642, -0.074773, 0.101536, 12.79418, 2.504083, 10.495175]),
        [0, 0.00525, -0.05598],
    ),
    (TIP, [0.032, 0.00525 + 0.04589, -0.05598 - 0.06553]),
    (TIP, [-0.032, 0.00525 + 0.04589, -0.05598 - 0.06553]),
    (
        (0.107923, [0.025237, -0.011231, -0.008158], [8.973662, -4.082027, -1.927099, 11.957255, -2.873284, 15.469079]),
        [0, -0.02025, -0.03],
    ),
    (
        (0.047177, [0, -0.034565, -0.021412], [4.199818, 0.013418, 0.019358, 3.231338, -1.509136, 2.168842]),
        [0, -0.00525, -0.05598],
    ),
]
THIRD_TIP = [0, -0.00525 - 0.04589, -0.05598 - 0.06553]  # half a turn about z from the other two


def inertia(mass: float, centre: list[float], t: list[float]) -> pin.Inertia:
    return pin.Inertia(
        mass, np.array(centre, float), np.array([[t[0], t[1], t[2]], [t[1], t[3], t[4]], [t[2], t[4], t[5]]])
    )


def yawed(angle: float, place: Vec | list[float]) -> pin.SE3:
    return pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, angle), np.array(place, float))


@pytest.fixture(scope="module")
def model() -> pin.Model:
    return pin.buildModelFromUrdf(str(URDF), pin.JointModelFreeFlyer())


def poses(model: pin.Model) -> list[Vec]:
    """Symmetric postures within the limits: the right arm's angles mirror the left's."""
    lower, upper = model.lowerPositionLimit[7:14], model.upperPositionLimit[7:14]
    left = np.random.default_rng(5).uniform(lower, upper, (20, 7))
    return [np.concatenate([pin.neutral(model)[:7], q, SENSES * q]) for q in left]


def test_ranges_of_the_arms_are_mirrored(model: pin.Model) -> None:
    ends = SENSES[:, None] * np.stack([model.lowerPositionLimit[7:14], model.upperPositionLimit[7:14]], axis=1)
    np.testing.assert_allclose(np.sort(ends, axis=1)[:, 0], model.lowerPositionLimit[14:], atol=1e-15)
    np.testing.assert_allclose(np.sort(ends, axis=1)[:, 1], model.upperPositionLimit[14:], atol=1e-15)


def test_mirrored_angles_put_the_hands_into_mirrored_places(model: pin.Model) -> None:
    data, half = model.createData(), yawed(np.pi, [0, 0, 0]).rotation
    for q in poses(model):
        pin.framesForwardKinematics(model, data, q)
        left, right = (data.oMf[model.getFrameId(f"hand_{side}")] for side in ("left", "right"))
        np.testing.assert_allclose(right.translation, ACROSS @ left.translation, atol=1e-14)
        # The source yaws the right tool by half a turn more.
        np.testing.assert_allclose(right.rotation, ACROSS @ left.rotation @ ACROSS @ half, atol=1e-14)


def test_mirrored_angles_give_mirrored_mass_matrices(model: pin.Model) -> None:
    data = model.createData()
    across = np.block([[ACROSS, np.zeros((3, 3))], [np.zeros((3, 3)), PSEUDO]])
    for q in poses(model):
        mass = pin.crba(model, data, q, pin.Convention.WORLD)
        np.testing.assert_allclose(mass[RIGHT, RIGHT], np.outer(SENSES, SENSES) * mass[LEFT, LEFT], atol=1e-13)
        np.testing.assert_allclose(mass[:6, RIGHT], across @ mass[:6, LEFT] * SENSES, atol=1e-13)


def test_body_is_the_papers_and_holds_the_known_parts(model: pin.Model) -> None:
    known = pin.Inertia.Zero()
    for mass, centre, tensor, place in BODY:
        known += yawed(0.0, place).act(inertia(mass, centre, tensor))
    body = model.inertias[1]
    assert body.mass == 93 and known.mass == pytest.approx(34.988202)
    np.testing.assert_array_equal(body.inertia, [[18.6, -0.008, -0.027], [-0.008, 15.4, 0.058], [-0.027, 0.058, 4.1]])
    np.testing.assert_allclose(body.lever, known.lever, atol=5e-7)  # written to a micrometre
    small, middle, large = np.linalg.eigvalsh(body.inertia - known.inertia)  # what the other 58 kg must have
    assert small > 0 and small + middle > large


def test_link_7_carries_force_sensor_and_gripper(model: pin.Model) -> None:
    together = inertia(
        0.308441,
        [0.007525, 0.001378, -0.02463],
        [0.00030894317, -1.58687e-06, 1.73418e-06, 0.00021886181, -1.221167e-05, 0.00017519492],
    )
    sensor = inertia(
        0.095,
        [-0.001001, 0.000995, -0.008108],
        [1.108502e-05, 9.9077e-07, -2.3811e-07, 1.092725e-05, 2.3137e-07, 1.898772e-05],
    )
    together += yawed(np.radians(-270), [0, 0, -0.051]).act(sensor)
    gripper = yawed(np.radians(-270 + 270), [0, 0, -0.051 - 0.012725 - 0.02875])
    parts = [(part, yawed(0.0, place)) for part, place in FINGERS] + [(TIP, yawed(np.pi, THIRD_TIP))]
    for (mass, centre, tensor), at in parts:
        together += gripper.act(at.act(inertia(mass, centre, [1e-5 * x for x in tensor])))
    link = model.inertias[model.getJointId("arm_left_7")]
    assert link.mass == pytest.approx(together.mass, abs=1e-9)
    np.testing.assert_allclose(link.lever, together.lever, atol=1e-9)
    np.testing.assert_allclose(link.inertia, together.inertia, atol=1e-10)


def test_camera_looks_ahead_from_the_head(model: pin.Model) -> None:
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    camera = data.oMf[model.getFrameId("camera")]
    np.testing.assert_allclose(camera.rotation.T, [[0, -1, 0], [0, 0, -1], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(camera.translation, NECK + np.array([0.066, 0, 0.1982]), atol=1e-15)


def test_joints_rub_as_the_source_says(model: pin.Model) -> None:
    np.testing.assert_array_equal(model.damping[6:], np.ones(14))
    np.testing.assert_array_equal(model.friction[6:], np.ones(14))
