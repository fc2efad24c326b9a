"""The Python API: what was recorded, from a folder or from its log."""

from pathlib import Path

import pytest
from small_log import small_pool, write_log

import proxops


def test_a_log_is_read_from_its_folder_or_by_its_name(tmp_path: Path) -> None:
    write_log(tmp_path / "run.mcap", small_pool(100))
    log = proxops.read_log(tmp_path)
    assert log.count == proxops.read_log(tmp_path / "run.mcap").count == 100
    assert log.values("clock.tick")[-1] == 99


def test_a_folder_without_a_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(proxops.BadInput, match=r"run\.mcap"):
        proxops.read_log(tmp_path)
