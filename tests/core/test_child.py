"""Processes of ours beside the one that starts them: the right module, its words and exit code; nothing of the working folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from proxops.core.child import child_command, child_environment

MODULE = """
import atexit, gc, sys

kept = [[] for _ in range(10)]
told = f"imported with the collector {'on' if gc.isenabled() else 'off'}"

def main():
    print(told, "run with it", "on" if gc.isenabled() else "off", sys.argv)
    sys.exit({end})
"""


@pytest.mark.parametrize(("end", "code"), [("0", 0), ("None", 0), ("3", 3)])
def test_a_module_is_loaded_and_run_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, code: int
) -> None:
    (tmp_path / "some_work.py").write_text(MODULE.replace("{end}", end))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = subprocess.run(
        child_command("some_work", "--at", Path("a b")),
        capture_output=True,
        text=True,
        env=child_environment(),
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert done.stdout == "imported with the collector off run with it on ['some_work', '--at', 'a b']\n"


def test_what_lies_in_the_working_folder_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "some_work.py").write_text(MODULE)
    done = subprocess.run(
        child_command("some_work"), capture_output=True, text=True, env=child_environment(), cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert "No module named 'some_work'" in done.stderr


def test_a_file_that_nobody_closed_has_its_last_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an object that refers to itself, as a user's flight software may: only the last look for garbage closes it."""
    (tmp_path / "some_work.py").write_text(
        "class Mine:\n    def __init__(self):\n        self.log = open('mine.log', 'w')\n        self.hook = self.note\n"
        "    def note(self):\n        self.log.write('a line')\n\nkept = []\n"
        "def main():\n    kept.append(Mine())\n    kept[0].note()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    subprocess.run(child_command("some_work"), env=child_environment(), cwd=tmp_path, check=True)
    assert (tmp_path / "mine.log").read_text() == "a line"
