"""Tables of ``grasp``: the shipped files are read, and what no body or gripper can be is named."""

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.grasp.tables import GraspFile
from proxops.core.errors import BadInput

SHIPPED = experiment_paths()["grasp"]
INERTIA = "inertia_kg_m2 = [[0.42, 0.0, 0.0], [0.0, 0.36, 0.0], [0.0, 0.0, 0.40]]"


def read(*changes: tuple[str, str]) -> GraspFile:
    text = SHIPPED.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = parse_experiment(text, SHIPPED).file
    assert isinstance(file, GraspFile)
    return file


@pytest.mark.parametrize(("name", "outcome"), [("grasp", "held"), ("grasp_late", "bumped")])
def test_shipped_files_say_what_should_come_of_them(name: str, outcome: str) -> None:
    path = experiment_paths()[name]
    file = parse_experiment(path.read_text(), path).file
    assert isinstance(file, GraspFile)
    assert file.expect.outcome == outcome
    assert file.duration_s == file.end_s


def test_times_of_closing() -> None:
    assert read().timing.close_s == 7.0
    assert read(("arrive_s = 7.0", "arrive_s = 7.0\nlate_s = 0.4")).timing.close_s == pytest.approx(7.4)
    assert read(("arrive_s = 7.0", "arrive_s = 7.0\nearly_s = 0.4")).timing.close_s == pytest.approx(6.6)


def test_frame_at_the_bar_is_a_right_handed_one() -> None:
    R = read().handle.bar.R_body_bar
    assert np.allclose(R.T @ R, np.eye(3), rtol=0.0, atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert R[:, 2] == pytest.approx([1.0, 0.0, 0.0])  # approach
    assert R[:, 1] == pytest.approx([0.0, -1.0, 0.0])  # along


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("mass_kg = 20.0", "mass_kg = 0.0"), "handle.mass_kg"),
        (("mass_kg = 20.0", "mass_kg = -1.0"), "handle.mass_kg"),
        ((INERTIA, "inertia_kg_m2 = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.3]]"), "triangle inequality"),
        ((INERTIA, "inertia_kg_m2 = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.0]]"), "all positive"),
        ((INERTIA, "inertia_kg_m2 = [[0.4, 0.1, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.4]]"), "symmetric"),
        (("opening_m = 0.08", "opening_m = 0.03"), "gripper.opening_m"),
        (("opening_m = 0.08", "opening_m = 0.5"), "gripper.palm_m"),
        (("grasp_m = 0.05", "grasp_m = 0.2"), "gripper.grasp_m"),
        (("grasp_m = 0.05", "grasp_m = 0.01"), "gripper.grasp_m"),
        (("approach = [1.0, 0.0, 0.0]", "approach = [1.0, 0.5, 0.0]"), "handle.bar.approach"),
        (("size_m = [0.30, 0.40, 0.35]", "size_m = [0.30, 0.40]"), "3 numbers for a box"),
        (("arrive_s = 7.0", "arrive_s = 4.0"), "timing.arrive_s"),
        (("arrive_s = 7.0", "arrive_s = 70.0"), "end_s"),
        (("arrive_s = 7.0", "arrive_s = 7.0\nlate_s = 1.0\nearly_s = 1.0"), "timing.early_s"),
        (("contact_damping = 0.25", "contact_damping = 0.1\ncontact_s = 0.002"), "handle.contact_s"),
        (("friction = 0.6", "friction = nan"), "handle.friction"),
        (("seed = 1", "seed = 1\nspeed = 2"), "unknown key"),
    ],
)  # fmt: skip
def test_bad_input_is_named(change: tuple[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=r".*") as caught:
        read(change)
    assert words in str(caught.value)


def test_a_thin_plate_may_stand_on_the_triangle_inequality() -> None:
    read((INERTIA, "inertia_kg_m2 = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.30000000000000004]]"))
