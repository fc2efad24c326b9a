"""A kernel in two forms: what other kernels call, and what Python calls.

Numba makes both of every function: it optimises it, writes machine code, wraps that for Python and keeps all of it. But most of
our kernels are called by other kernels only, which take their optimised code in and write machine code of their own. So here
the first form ends with the optimised code. The second, machine code with the wrapper, is made from it when Python calls the
kernel. Each is kept on disk by itself. The instructions are the same, so are the numbers.

Numba counts who uses an array, by an atomic addition for each name that it gets and each kernel that it is handed to. A kernel
that makes no array, and in which none is made, only borrows those of its caller, and need not count: of the cycle of a hall that
follows its client this was a fifth.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from copy import copy
from functools import cached_property
from typing import Any, Final

from llvmlite import binding
from numba.core import compiler, typing
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.lowering import Environment
from numba.core.runtime import rtsys
from numba.core.targetconfig import ConfigStack

from proxops.maths import stack_arrays

COUNTS: Final = ("NRT_incref", "NRT_decref")
# Of Numba's runtime: the first ends what nobody uses any more, the last two are for what has no owner.
BORROWING: Final = {*COUNTS, "NRT_MemInfo_call_dtor", "NRT_MemInfo_data_fast", "NRT_Allocate", "NRT_Free"}
NOT_COUNTED: Final = "\n".join(
    f"define void @{name}(ptr %owner) alwaysinline nounwind {{ ret void }}" for name in COUNTS
)


class LightLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """Numba sets up a pipeline of passes for every function, also for those of which it has the name only."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class CalledLibrary(LightLibrary):
    """Optimised code to be linked into that of a caller; no machine code is made of it by itself."""

    gives_array = True  # out of the kernel, to a caller who has to let go of it

    def _optimize_final_module(self) -> None:
        """All that the kernel calls is linked in by now."""
        if not self.gives_array:
            self._count_nothing_borrowed()
        super()._optimize_final_module()

    def _count_nothing_borrowed(self) -> None:
        module = self._final_module
        runtime = {function.name for function in module.functions if function.name.startswith("NRT_")}
        if runtime.isdisjoint(COUNTS) or not runtime <= BORROWING:
            return
        module.link_in(binding.parse_assembly(NOT_COUNTED))
        for name in COUNTS:
            module.get_function(name).linkage = binding.Linkage.internal  # callers may have to count

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def optimised(self) -> bytes:
        self._ensure_finalized()
        code: bytes = self._get_module_for_linking().as_bitcode()
        return code

    @classmethod
    def kept(cls, codegen: Any, name: str, code: bytes) -> CalledLibrary:
        """What ``optimised`` has given before."""
        library = cls(codegen, name)
        library._final_module = library._shared_module = binding.parse_bitcode(code)
        library._finalize_final_module()
        return library


class PythonLibrary(LightLibrary):
    """Machine code of a kernel with its wrapper for Python. The kernel comes optimised, and no other takes this form in."""

    def _optimize_final_module(self) -> None:
        """Of the run-time, what neither kernel nor wrapper calls is left out: most of it, in some all of it."""
        passes = binding.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, self._codegen._pass_builder())

    def object_file(self) -> bytes:
        self._ensure_finalized()
        code: bytes = self._get_compiled_object()
        return code

    def unknown(self) -> list[str]:
        """What the code calls that is neither in it nor known to every process."""
        module = self._final_module
        wanted = [
            found.name for part in (module.functions, module.global_variables) for found in part if found.is_declaration
        ]
        return [name for name in wanted if not name.startswith("llvm.") and binding.address_of_symbol(name) is None]


class CalledCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]  # Numba has no types
    """How the first form is kept, beside the second."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"called-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, result: Any) -> Any:
        library, fndesc = result.library, result.fndesc
        code = library.optimised()
        fndesc.typemap = fndesc.calltypes = None  # of use only while it is compiled
        environments = tuple(result._find_referenced_environments())
        begin = tuple(library._reload_init)
        return library.name, code, fndesc, result.environment, result.signature, environments, begin

    def rebuild(self, target_context: Any, kept: Any) -> Any:
        name, code, fndesc, environment, signature, environments, begin = kept
        for act in begin:
            act()
        library = CalledLibrary.kept(target_context.codegen(), name, code)
        library._reload_init.update(begin)
        return compiler.compile_result(
            typing_context=target_context.typing_context, target_context=target_context, entry_point=None, typing_error=None,
            type_annotation=None, signature=signature, objectmode=False, lifted=(), fndesc=fndesc, library=library,
            call_helper=None, environment=environment, metadata=None, reload_init=list(begin), referenced_envs=environments,
        )  # fmt: skip


class CalledCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    _impl_class = CalledCacheImpl


class CalledKernel:
    """The first form of one kernel, for all types that it is called with; the second from it."""

    def __init__(self, dispatcher: Any, once: Callable[[], AbstractContextManager[None]]) -> None:
        """``once``: nobody else compiles the same meanwhile, and Numba knows where our code is kept."""
        self._dispatcher, self._once = dispatcher, once
        self._results: dict[Any, Any] = {}

    @cached_property
    def _context(self) -> Any:
        return self._dispatcher.targetdescr.target_context

    @cached_property
    def _cache(self) -> CalledCache:
        return CalledCache(self._dispatcher.py_func)

    @property
    def signatures(self) -> list[Any]:
        return list(self._results)

    def of(self, types: tuple[Any, ...]) -> Any:
        """The first form for arguments of ``types``."""
        result = self._results.get(types)
        if result is None:
            with self._once():
                result = self._cache.load_overload(types, self._context)
                if result is None:
                    result = self._compiled(types)
                    with suppress(OSError):  # a folder that takes nothing costs time, nothing else
                        self._cache.save_overload(types, result)
            # A key by which the code that calls it is found.
            result = result._replace(entry_point=(self._dispatcher.py_func, types))
            self._context.insert_user_function(result.entry_point, result.fndesc, [result.library])
            self._results[types] = result
        return result

    def _compiled(self, types: tuple[Any, ...]) -> Any:
        dispatcher, flags = self._dispatcher, self._flags()
        flags.no_cpython_wrapper = flags.no_compile = True
        result = compiler.compile_extra(
            dispatcher.targetdescr.typing_context, self._context, dispatcher.py_func, args=types, return_type=None, flags=flags,
            locals={}, library=CalledLibrary(self._context.codegen(), dispatcher.py_func.__qualname__),
        )  # fmt: skip
        if result.typing_error is not None:
            raise result.typing_error
        returned = self._context.data_model_manager[result.signature.return_type]
        result.library.gives_array = returned.contains_nrt_meminfo()
        if result.library.gives_array and result.fndesc.mangled_name in stack_arrays.USERS:
            raise TypeError(f"{result.fndesc.qualname} returns an array, so it may have none on its stack")
        result.library._ensure_finalized()
        return result

    def _flags(self) -> Any:
        flags = compiler.Flags()
        self._dispatcher.targetdescr.options.parse_as_flags(flags, self._dispatcher.targetoptions)
        return flags

    def for_python(self, types: tuple[Any, ...], return_type: Any) -> Any:
        """The second form, in the place of Numba's compiler for Python's calls."""
        called = self.of(types)
        library = PythonLibrary(self._context.codegen(), called.library.name)
        library.enable_object_caching()
        library.add_linking_library(called.library)
        # A wrapper counts also where its kernel, which only borrows, does not.
        library.add_linking_library(rtsys.library)
        # The wrapper puts Python objects by their numbers, so it has a list of its own: either form may be loaded first.
        fndesc = copy(called.fndesc)
        fndesc.env_name = f"{fndesc.env_name}.python"
        environment = Environment.from_fndesc(fndesc)
        with ConfigStack().enter(flags := self._flags()):
            context = compiler._make_subtarget(self._context, flags)
            context.create_cpython_wrapper(library, fndesc, environment, None, release_gil=False)
        entry = context.get_executable(library, fndesc, environment)
        result = called._replace(
            library=library, fndesc=fndesc, environment=environment, entry_point=entry, reload_init=list(library._reload_init),
            type_annotation="",  # the source with all its types, to be printed
        )  # fmt: skip
        for referenced in result._find_referenced_environments():
            library.codegen.set_env(referenced.env_name, referenced)
        return result

    def call_template(self, types: Any, named: Any) -> Any:
        """What a call in another kernel leads to, in the place of Numba's."""
        python_signature, folded = self._dispatcher._compiler.fold_argument_types(types, named)
        name = self._dispatcher.py_func.__name__
        template = typing.make_concrete_template(
            f"CallTemplate({name})", key=name, signatures=[self.of(tuple(folded)).signature]
        )
        return template, python_signature, folded, {}

    def overload(self, types: Any) -> Any:
        """The key of the code for a call with ``types``."""
        return self._results[tuple(types)].entry_point
