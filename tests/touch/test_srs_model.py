"""Arms read from URDFs: lengths and signs as the data have them, and what has another form is refused."""

import numpy as np
import pytest

from proxops.arms.model import load_model
from proxops.core.errors import BadInput
from proxops.touch.srs_model import srs_arm

ONES = np.ones(7)


def test_lwr_and_iiwa_as_their_data_have_them() -> None:
    lwr = srs_arm(load_model("lwr_4plus", "flange"), ONES, ONES)
    assert lwr.lengths == pytest.approx([0.3105, 0.4, 0.39, 0.078], abs=1e-12)
    assert lwr.signs.tolist() == [1, -1, 1, 1, 1, -1, 1]
    assert np.degrees(lwr.upper) == pytest.approx([170, 120, 170, 120, 170, 120, 170])
    assert np.degrees(lwr.speed) == pytest.approx([110, 110, 128, 128, 204, 184, 184])
    iiwa = srs_arm(load_model("iiwa_satellite", "flange"), ONES, ONES, base="arm_base")
    assert iiwa.lengths == pytest.approx([0.36, 0.42, 0.4, 0.126], abs=1e-12)
    assert iiwa.signs.tolist() == [1, 1, 1, -1, 1, 1, 1]


def test_other_forms_are_refused() -> None:
    with pytest.raises(BadInput, match="not of the form"):
        srs_arm(load_model("planar_two", "tip"), np.ones(2), np.ones(2))
    with pytest.raises(BadInput, match="not of the form"):
        srs_arm(load_model("iiwa_satellite", "flange"), ONES, ONES)  # on its satellite the arm points along x
    left = tuple(f"arm_left_{i}" for i in range(1, 8))
    with pytest.raises(BadInput, match="not of the form"):
        srs_arm(load_model("humanoid", "hand_left", left), ONES, ONES)


@pytest.mark.parametrize("bad", [np.ones(6), np.array([1, 1, 1, 0, 1, 1, 1.0]), np.full(7, np.nan)])
def test_acceleration_and_jerk_are_checked(bad: np.ndarray) -> None:
    model = load_model("lwr_4plus", "flange")
    with pytest.raises(BadInput, match="acceleration"):
        srs_arm(model, bad, ONES)
    with pytest.raises(BadInput, match="jerk"):
        srs_arm(model, ONES, bad)
