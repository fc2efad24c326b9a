"""Machine code that is kept is found and called without Numba's compiler, and gives what Numba gives."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from numba.core.typing.typeof import typeof
from small_kernels import checked, put_squares, roots, square_length, twice

from proxops.maths import kept_dispatcher
from proxops.maths.kernel import Kernel, kernel
from proxops.maths.machine_code import CodeFile

SHARED = Path(__file__).parents[1] / "shared"
RECORD = [("flag", "?"), ("values", "f8", (3,)), ("count", "i4")]
ARGUMENTS: tuple[Any, ...] = (
    1.0, 1, True, 1j, np.float32(1.0), np.int16(3), (1.0, 2), "text", None, np.zeros(3), np.zeros((2, 3)), np.zeros((2, 3)).T,
    np.zeros(6)[::2], np.zeros(3, int), np.zeros(3, "?"), np.frombuffer(bytes(24)), np.zeros(2, RECORD),
    np.zeros((2, 2), RECORD)[:, 0], np.zeros(2, np.dtype(RECORD, align=True)), np.zeros(1, RECORD)[0],
    np.frombuffer(bytes(29), RECORD), np.zeros(1, RECORD)["values"],
)  # fmt: skip
ADDED = """
import json
from llvmlite import binding
added, add = {}, binding.add_symbol
binding.add_symbol = lambda name, address: added.update({name: address})
from proxops.maths.numba_core import enter_numba, load_whole
enter_numba()
from proxops.maths.machine_code import symbols
ours = symbols()
assert not added
load_whole()
from numba.core.registry import cpu_target
from numba.core.runtime import nrtdynmod, rtsys
nrtdynmod.compile_nrt_functions = lambda context: None
rtsys.initialize(cpu_target.target_context)
assert added == ours, set(added.items()) ^ set(ours.items())
"""
LIGHT = f"""
import sys
sys.path.insert(0, {str(SHARED)!r})
import numpy as np
import small_kernels as here
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
assert here.roots(np.array([4.0, 9.0, 16.0]), 2)[0].tolist() == [2.0, 3.0, 4.0]
assert here.square_length(np.array([1.0, 2.0, 3.0])) == 14.0
try:
    here.checked(-1.0)
except ValueError as wrong:
    assert str(wrong) == "below zero"
assert "numba.core.compiler" not in sys.modules and "numba.np.ufunc" not in sys.modules
"""
WHOLE = {
    "by its name": "import numba; assert numba.njit(lambda: 2)() == 2",
    "by a part": "from numba.core.extending import overload; import numba; assert numba.core.extending.overload is overload",
    "by a part of the whole only": "import numba.np.linalg; import numba; assert numba.vectorize",
    "by the compiler": "here.checked.numba",
    "by a kernel that is not kept": "try: here.dangling(np.ones(3))\nexcept TypeError: pass",
}
AFTER = """
import numba, numba.core.types, sys
from proxops.maths.numba_core import NumbaPackage, RestOfNumba
assert not isinstance(numba, NumbaPackage) and not any(isinstance(one, RestOfNumba) for one in sys.meta_path)
assert numba.types is numba.core.types and numba.float64 is numba.core.types.float64
assert sys.modules["numba.core.extending"].__spec__.origin.endswith("extending.py")
assert here.checked(9.0) == 3.0 and here.twice(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
assert here.square_matrix.py_func and here.sum_of_twice(np.array([1.0, 2.0])) == 6.0
assert numba.njit(lambda x: here.checked(x))(16.0) == 4.0
"""


def ran(program: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(autouse=True, scope="module")
def kept() -> None:
    """By this process or one before."""
    roots(np.array([4.0, 9.0, 16.0]), 2)
    square_length(np.array([1.0, 2.0, 3.0]))
    twice(np.array([1.0, 2.0]))
    checked(4.0)


def test_what_is_kept_is_called_without_the_compiler() -> None:
    ran(LIGHT)


@pytest.mark.parametrize("asked", WHOLE.values(), ids=WHOLE)
def test_whoever_asks_for_the_whole_gets_it(asked: str) -> None:
    """Also after kernels were loaded without it, and those go on."""
    ran(f"{LIGHT}\n{asked}\n{AFTER}")


def test_machine_code_finds_outside_what_numba_declares() -> None:
    ran(ADDED)


def test_code_is_complete_by_itself(tmp_path: Path) -> None:
    """A kernel that only borrows arrays counts nothing, its wrapper does. The second process makes the machine code of one from
    what the first has left of it as a callee; the third has nothing else."""
    head = f"import sys; sys.path.insert(0, {str(SHARED)!r}); import numpy as np, small_kernels as here\n"
    for call in ("here.square_length(np.ones(3))", *2 * ("here.put_squares(np.ones(3), np.ones(3))",)):
        ran(head + call, NUMBA_CACHE_DIR=str(tmp_path))
    ran(f"{head}{call}; assert 'numba.core.compiler' not in sys.modules", NUMBA_CACHE_DIR=str(tmp_path))


def test_code_has_of_the_run_time_what_it_calls_and_no_more(tmp_path: Path) -> None:
    """One that has no array needs nothing of it; one that borrows lets go, in its wrapper; one that makes an array counts."""
    needed: dict[Kernel, set[str]] = {checked: set(), put_squares: {"NRT_decref"}, twice: {"NRT_incref", "NRT_decref"}}  # type: ignore[dict-item]
    put_squares(np.ones(3), np.ones(3))
    for one, expected in needed.items():
        for number, packed in enumerate(kept_dispatcher.code_file(one)._read().values()):
            (tmp_path / f"{number}.o").write_bytes(pickle.loads(packed).code)
            command = ["nm", "--defined-only", "-P", str(tmp_path / f"{number}.o")]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            defined = {line.split()[0] for line in done.stdout.splitlines()}
            assert {name for name in defined if name.lower().startswith("nrt_")} == expected


@pytest.mark.parametrize("value", ARGUMENTS, ids=repr)
def test_types_are_those_that_numba_finds(value: object) -> None:
    assert kept_dispatcher._type_of(value) == typeof(value)


def test_what_numba_has_no_type_for_is_an_object() -> None:
    assert str(kept_dispatcher._type_of(object())) == "pyobject"
    with pytest.raises(TypingError):
        checked(object())  # type: ignore[arg-type]


def test_the_bits_are_those_of_numbas_own_dispatcher() -> None:
    assert isinstance(checked, Kernel)
    plain = njit(error_model="numpy", fastmath=False)(checked.py_func)
    for value in np.random.default_rng(1).uniform(0.0, 1e6, 1000):
        assert checked(value) == plain(value)


@pytest.mark.parametrize("given", [((), {}), ((1.0, 2.0), {}), ((1.0,), {"value": 1.0}), ((), {"other": 1.0})])
def test_arguments_are_refused_as_numba_refuses_them(given: tuple[tuple[float, ...], dict[str, float]]) -> None:
    assert isinstance(checked, Kernel)
    wrongs = []
    for called in (checked, checked.numba):
        with pytest.raises(TypeError) as wrong:
            called(*given[0], **given[1])
        wrongs.append(str(wrong.value))
    assert wrongs[0] == wrongs[1]


def test_arguments_may_be_named_and_are_let_go_of() -> None:
    values = np.array([1.0, 2.0])
    before = sys.getrefcount(values)
    for _ in range(10):
        assert twice(values=values).tolist() == twice(values).tolist()
    assert sys.getrefcount(values) == before


def test_a_kernel_says_what_it_is() -> None:
    assert isinstance(checked, Kernel)
    assert checked.__name__ == "checked" and checked.py_func(4.0) == 2.0 and "small_kernels.checked" in repr(checked)
    assert not hasattr(checked, "__array_interface__")


def test_no_defaults_and_no_variables_of_others() -> None:
    def around(factor: float) -> None:
        kernel(lambda value: factor * value)

    with pytest.raises(TypeError, match="default arguments"):
        kernel(lambda value=1.0: value)
    with pytest.raises(TypeError, match="variables of a function"):
        around(2.0)


def test_code_of_another_version_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kinds = tmp_path / "one.nbm", (typeof(1.0),)
    monkeypatch.setattr("proxops.maths.machine_code.numba_version", "0.1")
    CodeFile(path).keep(kinds, b"")
    monkeypatch.undo()
    assert CodeFile(path).found(kinds) is None and CodeFile(tmp_path / "none").found(kinds) is None


def test_what_is_cut_or_changed_is_compiled_anew(tmp_path: Path) -> None:
    """Wherever: it would be executed."""
    path, kinds = tmp_path / "one.nbm", (typeof(1.0),)
    CodeFile(path).keep(kinds, pickle.dumps("code"))
    whole = path.read_bytes()
    assert CodeFile(path).found(kinds) == "code"
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        for damaged in (whole[:at], bytes(changed), whole[:at] + bytes(len(whole) - at)):
            path.write_bytes(damaged)
            assert CodeFile(path).found(kinds) is None or damaged == whole
    CodeFile(path).keep(kinds, pickle.dumps("code"))
    assert path.read_bytes() == whole


def test_what_may_not_be_read_or_written_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may read what one has compiled; a draft that cannot become the file does not stay."""
    path, kinds = tmp_path / "one.nbm", (typeof(1.0),)
    before = os.umask(0o022)
    try:
        CodeFile(path).keep(kinds, pickle.dumps("code"))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644
    assert CodeFile(path / "below_a_file").found(kinds) is None and CodeFile(tmp_path).found(kinds) is None
    (tmp_path / "folder.nbm").mkdir()
    with pytest.raises(OSError):
        CodeFile(tmp_path / "folder.nbm").keep(kinds, b"")
    assert {one.name for one in tmp_path.iterdir()} == {"one.nbm", "folder.nbm"}


def test_first_calls_of_threads_and_imports_of_numba_wait_for_each_other() -> None:
    """A kernel in each of three, and somebody's own Numba in a fourth."""
    ran(f"""
import sys, threading
sys.path.insert(0, {str(SHARED)!r})
import numpy as np, small_kernels as here
wrong, begin = [], threading.Barrier(4)
def attempt(work):
    begin.wait()
    try:
        work()
    except BaseException as error:
        wrong.append(error)
def own():
    import numba
    assert numba.njit(lambda x: x + 1)(1) == 2
works = [lambda: here.checked(4.0), lambda: here.twice(np.ones(2)), lambda: here.roots(np.ones(3), 0), own]
threads = [threading.Thread(target=attempt, args=(work,)) for work in works]
[one.start() for one in threads]
[one.join() for one in threads]
assert not wrong, wrong
""")


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(checked)) is checked


def test_all_that_is_kept_calls_nothing_that_a_process_may_lack(tmp_path: Path) -> None:
    """Of our own kernels, those that have been compiled here so far. A name that nobody defines becomes a jump to nowhere."""
    kept = [
        pickle.loads(each) for path in roots.folder.parent.glob("*/*.nbm") for each in CodeFile(path)._read().values()
    ]  # type: ignore[attr-defined]
    assert kept
    for number, each in enumerate(kept):
        (tmp_path / f"{number}.o").write_bytes(each.code)
    done = subprocess.run(
        ["nm", "-u", "-P", *(f"{k}.o" for k in range(len(kept)))], cwd=tmp_path, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    wanted = {line.split()[0] for line in done.stdout.splitlines() if line and not line.endswith(".o:")}
    ran(f"""
from proxops.maths.numba_core import enter_numba
enter_numba()
from llvmlite import binding
from proxops.maths.machine_code import code_loader
code_loader()
assert not [name for name in {sorted(wanted)!r} if binding.address_of_symbol(name) is None]
""")
