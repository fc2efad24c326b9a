"""Machine code of a kernel as it is kept on disk, and how a process gets to call it.

Numba keeps a compiled function with all that its compiler knows of it, and has to load the compiler to read that. To call it
takes less: the code itself, the name of its wrapper for Python, and lists of the Python objects that it uses, one for each
kernel inside. One file holds all of a kernel's, by argument types and processor.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import io
import os
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import get_ident
from typing import Any, Final, NamedTuple

import numba._dynfunc as _dynfunc
import numba._helperlib as _helperlib
from llvmlite import binding
from numba import __version__ as numba_version
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.intrinsics import INTR_MATH
from numba.core.runtime import _nrt_python

SUFFIX: Final = f".py{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}.nbm"
DIGEST_BYTES: Final = hashlib.sha256().digest_size


class KeptObjects(NamedTuple):
    """The Python objects that one kernel's code uses: Numba's environment."""

    symbol: str  # where the code looks for it
    module: str
    constants: list[Any]


class KeptCode(NamedTuple):
    module: str
    name: str  # of the kernel
    code: bytes  # an object file
    wrapper: str  # what Python calls
    own: KeptObjects
    inside: tuple[KeptObjects, ...]  # those of the kernels that it calls
    begin: tuple[Callable[[], None], ...]  # to be called before the code is loaded


class CodeFile:
    """The machine code of one kernel."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def found(self, types: tuple[Any, ...]) -> KeptCode | None:
        """For arguments of ``types``, on this processor."""
        kept = self._read().get((types, processor()))
        if kept is None:
            return None
        code: KeptCode = pickle.loads(kept)
        return code

    def keep(self, types: tuple[Any, ...], packed: bytes) -> None:
        """``packed``: a ``KeptCode``, pickled. The file is replaced as a whole: who reads meanwhile reads the old one."""
        table = {**self._read(), (types, processor()): packed}
        told = pickle.dumps(numba_version) + pickle.dumps(table)
        draft = self._path.with_suffix(f".{os.getpid()}-{get_ident()}")
        try:
            draft.write_bytes(hashlib.sha256(told).digest() + told)
            os.replace(draft, self._path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def _read(self) -> dict[Any, bytes]:
        """Nothing where there is no file, or one that may not be read or is not as it was written: code that a bit has changed
        in would be executed."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return {}
        told = data[DIGEST_BYTES:]
        if hashlib.sha256(told).digest() != data[:DIGEST_BYTES]:
            return {}
        file = io.BytesIO(told)
        if pickle.load(file) != numba_version:
            return {}  # what follows may mean something else there
        table: dict[Any, bytes] = pickle.load(file)
        return table


@cache
def code_loader() -> CodeLoader:
    """Of this process."""
    return CodeLoader()


def processor() -> tuple[Any, ...]:
    return code_loader().processor


def symbols() -> dict[str, int]:
    """What machine code may call outside: names and addresses, as Numba's contexts declare them when they are made."""
    helpers: dict[str, int] = vars(_helperlib)["c_helpers"]
    runtime: dict[str, int] = vars(_nrt_python)["c_helpers"]
    errors = [
        found for found in vars(builtins).values() if isinstance(found, type) and issubclass(found, BaseException)
    ]
    return {
        "_Py_NoneStruct": id(None),
        **{f"numba_{name}": address for part in (helpers, _dynfunc.c_helpers) for name, address in part.items()},
        **{f"PyExc_{error.__name__}": id(error) for error in errors},
        **{name: helpers[name] for name in INTR_MATH},
        **{name if name.startswith("_") else f"NRT_{name}": address for name, address in runtime.items()},
    }


class CodeLoader:
    """LLVM, as Numba sets it up, with all that machine code calls."""

    def __init__(self) -> None:
        for name, address in symbols().items():
            binding.add_symbol(name, address)
        self._codegen = JITCPUCodegen("numba.exec")
        self._engine = self._codegen._engine._ee
        self._placed: dict[str, Any] = {}
        self.processor: tuple[Any, ...] = self._codegen.magic_tuple()
        """For which machine code is made: what Numba tells processors apart by."""

    def entry_point(self, kept: KeptCode) -> Any:
        """What is kept, as a function for Python."""
        with global_compiler_lock:
            for act in kept.begin:
                act()
            self._engine.add_object_file(binding.ObjectFileRef.from_data(kept.code))
            self._engine.finalize_object()
            for objects in kept.inside:
                self._place(objects)
            return _dynfunc.make_function(
                import_module(kept.module), kept.name, f"compiled wrapper for {kept.name!r}",
                self._engine.get_function_address(kept.wrapper), self._place(kept.own), (self,),
            )  # fmt: skip

    def _place(self, kept: KeptObjects) -> Any:
        """Put the objects where the code looks for them. All that is loaded shares those of one kernel, and they stay."""
        if kept.symbol not in self._placed:
            # A module's variables are for code that Numba leaves to Python; a kernel has none, and the module need not be loaded.
            objects = _dynfunc.Environment({"__name__": kept.module})
            objects.consts[:] = kept.constants
            self._placed[kept.symbol] = objects
        place = self._engine.get_global_value_address(kept.symbol)
        ctypes.c_void_p.from_address(place).value = id(self._placed[kept.symbol])
        return self._placed[kept.symbol]
