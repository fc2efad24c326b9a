"""Files of any kind on the command line: one line on standard error, exit code 2, no traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from proxops.cli import main


@pytest.mark.parametrize(
    "words",
    [
        ("play", "FILE"),
        ("play", "NONE", "--user-tool", "FILE"),
        ("play", "NONE", "--cell", "FILE"),
        ("convert", "FILE", "--to", "IJT"),
        ("check", "FILE"),
        ("run", "FILE"),
        ("log", "info", "FILE"),
        ("log", "export", "FILE"),
        ("log", "recover", "FILE"),
        ("log", "align", "FILE", "FILE"),
        ("inspect", "FILE"),
        ("pose", "FILE", "--model", "client"),
        ("pose", ".", "--model", "client", "--camera", "FILE"),
        ("pose", ".", "--model", "client", "--labels", "FILE"),
    ],
)
@pytest.mark.parametrize("kind", ["device", "pipe", "deep"])
def test_one_error_and_exit_code_2(
    words: tuple[str, ...],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "file.toml"
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("a = " + "[" * 10_000)
    names = {"FILE": str(path), "NONE": str(tmp_path / "none.txt")}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["proxops", *(names.get(word, word) for word in words)])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr().err
    assert end.value.code == 2
    assert said.count("proxops: ") == 1 and len(said) < 1000
