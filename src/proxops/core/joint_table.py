"""The table ``[joints]`` of scenarios with a free-floating arm: what encoders, motors and bearings of its joints really do.

All of it is off unless a file asks for it: joints then are read exactly, give the torque they are told at once and run freely."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from proxops.core.strict_table import Finite, Share, Strict, Whole, within

Coefficient = Annotated[Finite, within(0, 1000)] | tuple[Finite, ...]  # one number, or one for each joint


class EncoderTable(Strict):
    """How the flight software gets angles and rates of the joints. Without the table both are exact."""

    bits: Annotated[Whole, within(6, 40)] | None = (
        None  # 2^bits steps in one turn of the joint; exact angles unless given
    )
    rate: Literal["true", "differences"] = "differences"  # of the last two readings, or as it is
    cutoff_hz: Annotated[Finite, within(0.1, 10_000)] | None = None  # low-pass of the differences; none unless given

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.rate == "true" and self.cutoff_hz is not None:
            _complain("encoder.cutoff_hz", self.cutoff_hz, 'with rate = "differences": a true rate is not filtered')
        return self


class MotorTable(Strict):
    """What becomes of a torque on its way to the joint."""

    delay_cycles: Annotated[Whole, within(0, 100)] = 0  # of the controller: so late it acts
    ripple_n_m: Annotated[Finite, within(0, 1000)] = 0.0  # amplitude, added to the torque
    ripple_per_turn: Annotated[Finite, within(0.1, 100_000)] = (
        200.0  # periods in one turn of the joint: poles times gear
    )


class FrictionTable(Strict):
    """Of every joint, and what the flight software does about it. The coefficients are the URDF's unless given."""

    viscous_n_m_s: Coefficient | None = None
    coulomb_n_m: Coefficient | None = None
    compensation: Share = 0.0  # of the friction, added to the torques
    # Rate whose friction is compensated: the one measured, or the one that the demanded motion of the tool asks for.
    by: Literal["measured", "demanded"] = "demanded"
    sliding_rad_s: Annotated[Finite, within(1e-6, 1)] = 1e-3  # Coulomb's part is reached smoothly at about this rate


class JointsTable(Strict):
    """Encoders, motors and bearings of the joints as they are; ideal where a table is missing."""

    encoder: EncoderTable | None = None
    motor: MotorTable | None = None
    friction: FrictionTable | None = None


def check_friction(named_in_arm: bool, joints: JointsTable | None) -> None:
    """Complains if a file asks for friction in two places."""
    if named_in_arm and joints is not None and joints.friction is not None:
        _complain("arm.friction", True, "either arm.friction or [joints.friction], not both")


def _complain(key: str, value: Any, bound: str) -> None:
    raise PydanticCustomError("joints", "not usable", {"key": key, "value": value, "bound": bound})
