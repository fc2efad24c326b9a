"""The finer fans of a plan lie in the memory of its matrix."""

import numpy as np
import pytest
from pydantic import ValidationError

from proxops.applications.floating.tables import PlanTable
from proxops.touch.arm_angle_course import FAN
from proxops.touch.joint_plan import JointPlanner


def test_fewer_arm_angles_than_a_fan_has_are_refused() -> None:
    assert PlanTable(columns=FAN).columns == FAN
    with pytest.raises(ValidationError):
        PlanTable(columns=FAN - 1)
    with pytest.raises(ValueError, match="finer fans"):
        JointPlanner(None, np.eye(4), np.eye(4), columns=FAN - 1)  # type: ignore[arg-type]
