"""New processes that compile, at a tenth of the price: forks of one new interpreter that has loaded Numba's declarations, which
takes longer than the kernels of a test, and nothing of ours. Whatever they know of a kernel they have made or read from disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any


class WarmInterpreter:
    """Programs of strangers, each in a process of its own that is there at once."""

    def __init__(self, folder: Path) -> None:
        """``folder`` takes what they say."""
        self._folder, self._begun = folder, 0
        clean = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean
        )

    def begin(self, program: str, *words: str, environment: dict[str, str], cwd: Path) -> WarmProcess:
        """``environment``: all of it; its PYTHONPATH comes first."""
        self._begun += 1
        said = [str(self._folder / f"{self._begun}.{stream}") for stream in ("out", "err")]
        pid = self._ask({"program": program, "words": words, "environment": environment, "cwd": str(cwd), "said": said})
        return WarmProcess(self, pid, *map(Path, said))

    def wait(self, pid: int) -> int:
        """Its exit code."""
        return self._ask({"wait": pid})

    def _ask(self, order: dict[str, Any]) -> int:
        assert self._server.stdin and self._server.stdout
        print(json.dumps(order), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())

    def end(self) -> None:
        self._server.communicate()
        assert self._server.returncode == 0


class WarmProcess:
    def __init__(self, owner: WarmInterpreter, pid: int, out: Path, errors: Path) -> None:
        self._owner, self._pid, self._out, self._errors = owner, pid, out, errors

    def told(self) -> str:
        """What it has said when it has ended well."""
        code = self._owner.wait(self._pid)
        assert code == 0, self._errors.read_text()
        return self._out.read_text()


def serve() -> None:
    load_declarations()
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            answer = os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])
        else:
            answer = os.fork()
            if not answer:
                live(**order)
        print(answer, flush=True)


def load_declarations() -> None:
    """Numba looks for those of a kind when code of that kind is compiled."""
    import numpy as np
    from numba import njit

    def some(values: Any, name: int) -> Any:
        out = np.empty(3)
        for i in range(values.shape[0]):
            if values[i] < 0.0:
                raise ValueError("below zero")
            out[i] = np.sqrt(values[i])
        return out, ("one", "two")[name]

    njit(error_model="numpy")(some)(np.ones(2), 0)


def live(program: str, words: list[str], environment: dict[str, str], cwd: str, said: list[str]) -> None:
    """The child's whole life."""
    code = 1
    try:
        for number, name in enumerate([os.devnull, *said]):
            file = os.open(name, os.O_RDWR | os.O_CREAT)
            os.dup2(file, number)
            os.close(file)
        assert not any(module.partition(".")[0] == "proxops" for module in sys.modules)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:1] = ["", *environment["PYTHONPATH"].split(os.pathsep)]  # the first is this file's folder
        sys.argv = ["-c", *words]
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
