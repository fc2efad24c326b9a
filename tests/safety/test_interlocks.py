"""Interlocks: every kind in every mode against a table by hand; names, order of causes, mask."""

import pytest

from proxops.core.errors import BadInput
from proxops.core.vocabulary import Mode
from proxops.lab.any_cell import load_cell
from proxops.lab.cell_file import InterlockInput
from proxops.safety.interlocks import KINDS, Interlocks
from proxops.safety.rules import RULES, Category, Rule

M = Mode
RULE = {
    "estop": Rule.ESTOP, "power": Rule.DRIVE_POWER, "door": Rule.DOOR, "gate": Rule.GATE, "laser": Rule.LASER,
    "fence": Rule.FENCE,
}  # fmt: skip
# Modes in which an open input of this kind ends what is going on.
ENDS = {
    "estop": set(Mode) - {M.STANDBY},  # in a stop too: it takes the drives
    "power": set(Mode) - {M.STANDBY},
    "door": {M.MANUAL, M.SINE, M.MOVING_TO_START, M.RUNNING, M.BRIDGED},
    "gate": {M.MANUAL, M.SINE, M.MOVING_TO_START, M.RUNNING, M.BRIDGED},
    "laser": {M.MANUAL, M.SINE, M.MOVING_TO_START, M.RUNNING, M.BRIDGED},
    "fence": {M.SINE, M.MOVING_TO_START, M.RUNNING, M.BRIDGED},  # jog at reduced speed stays allowed
}


def interlocks(*kinds: str) -> Interlocks:
    """One input for each kind, named after it."""
    return Interlocks(tuple(InterlockInput(name=f"{kind}_{k}", kind=kind) for k, kind in enumerate(kinds)))  # type: ignore[arg-type]


def test_every_kind_of_the_cell_has_a_rule() -> None:
    assert set(KINDS) == set(RULE) == set(ENDS)
    assert {i.kind for i in load_cell().file.interlock} == set(KINDS)


@pytest.mark.parametrize("kind", sorted(RULE))
@pytest.mark.parametrize("mode", list(Mode))
def test_every_kind_in_every_mode(kind: str, mode: Mode) -> None:
    inputs = interlocks(kind)
    name = f"{kind}_0"
    assert inputs.forbids(mode) is None
    inputs.set(name, healthy=False)
    stop = inputs.forbids(mode)
    if mode in ENDS[kind]:
        assert stop is not None
        assert stop.rule is RULE[kind]
        assert stop.detail == name
        assert name in str(stop)
    else:
        assert stop is None
    inputs.set(name, healthy=True)
    assert inputs.forbids(mode) is None


@pytest.mark.parametrize("kind", sorted(RULE))
@pytest.mark.parametrize("mode", list(Mode))
def test_nothing_starts_with_an_open_input(kind: str, mode: Mode) -> None:
    """Except the jog with the fence open."""
    inputs = interlocks(kind)
    inputs.set(f"{kind}_0", healthy=False)
    stop = inputs.forbids_start(mode)
    if kind == "fence" and mode is Mode.MANUAL:
        assert stop is None
    else:
        assert stop is not None
        assert stop.rule is RULE[kind]
        assert stop.detail == f"{kind}_0"
    inputs.set(f"{kind}_0", healthy=True)
    assert inputs.forbids_start(mode) is None


@pytest.mark.parametrize("kind", sorted(RULE))
def test_what_ends_motion_also_forbids_it(kind: str) -> None:
    """No input can let a motion begin that it would end in the next cycle."""
    inputs = interlocks(kind)
    inputs.set(f"{kind}_0", healthy=False)
    for mode in Mode:
        if inputs.forbids(mode) is not None:
            assert inputs.forbids_start(mode) is not None


def test_a_harmless_open_input_does_not_hide_a_harmful_one() -> None:
    inputs = interlocks("fence", "door")
    inputs.set("fence_0", healthy=False)
    inputs.set("door_1", healthy=False)
    stop = inputs.forbids(Mode.MANUAL)
    assert stop is not None
    assert stop.detail == "door_1"
    start = inputs.forbids_start(Mode.MANUAL)
    assert start is not None
    assert start.detail == "door_1"


def test_the_first_cause_is_the_one_named() -> None:
    inputs = interlocks("door", "estop")
    inputs.set("estop_1", healthy=False)
    inputs.set("door_0", healthy=False)
    stop = inputs.forbids(Mode.RUNNING)
    assert stop is not None
    assert stop.detail == "estop_1"
    inputs.set("estop_1", healthy=True)
    stop = inputs.forbids(Mode.RUNNING)
    assert stop is not None
    assert stop.detail == "door_0"


def test_mask_and_names() -> None:
    inputs = interlocks("estop", "door", "fence")
    inputs.set("fence_2", healthy=False)
    inputs.set("estop_0", healthy=False)
    inputs.set("estop_0", healthy=False)  # the same reading again
    assert inputs.mask == 0b101
    assert inputs.open_names == ["estop_0", "fence_2"]
    assert inputs.fence_open
    inputs.set("fence_2", healthy=True)
    inputs.set("fence_2", healthy=True)
    assert inputs.mask == 0b001
    assert not inputs.fence_open


def test_unknown_names_are_errors() -> None:
    inputs = interlocks("estop", "door")
    with pytest.raises(BadInput) as caught:
        inputs.set("window", healthy=True)
    for word in ("'window'", "estop_0", "door_1"):
        assert word in str(caught.value)


def test_every_input_of_the_hall_stops_a_run_by_its_name() -> None:
    cell = load_cell()
    inputs = Interlocks(cell.file.interlock)
    for k, entry in enumerate(cell.file.interlock):
        inputs.set(entry.name, healthy=False)
        assert inputs.mask == 1 << k
        stop = inputs.forbids(Mode.RUNNING)
        assert stop is not None
        assert entry.name in str(stop)
        inputs.set(entry.name, healthy=True)


def test_lost_power_and_e_stops_take_the_drives() -> None:
    assert {kind for kind, rule in RULE.items() if RULES[rule].category is Category.DRIVES_OFF} == {"estop", "power"}
