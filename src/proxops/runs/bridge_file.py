"""What an operator sets on the bridge of a served hall: a file with the table ``[bridge]``, as scenarios have it."""

from __future__ import annotations

from pathlib import Path

from proxops.bridge.settings import BridgeSettings, settings_of
from proxops.core.scenario import BridgeTable
from proxops.core.strict_table import Strict, judge_table
from proxops.core.toml_text import read_toml, toml_text


class BridgeFile(Strict):
    """The whole TOML file."""

    bridge: BridgeTable


def read_bridge_file(path: Path | None) -> BridgeSettings:
    """The settings that a file makes; without one those of the bridge."""
    if path is None:
        return BridgeSettings()
    return settings_of(judge_table(read_toml(toml_text(path, "the bridge's settings"), path), BridgeFile, path).bridge)
