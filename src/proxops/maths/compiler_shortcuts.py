"""The same answers from Numba's compiler, sooner: what it works out again and again for every kernel.

It compares its flags, fifty of them, a thousand times for each kernel; looks for the meaning of every ``a + b`` among all
that can be added; lists the variables of every statement in each of its passes; looks for new declarations whenever it does
not find an old one; takes every array apart, field by field, to count who uses it, though only the owner of its memory is
wanted: a seventh of all that LLVM got to read; and copies records byte by byte. The numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import BuiltinFunctionType
from typing import Any, Final

from numba.core import ir
from numba.core.base import BaseContext
from numba.core.cgutils import raw_memmove
from numba.core.runtime.context import NRTContext
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types import Record, intp
from numba.core.types.functions import BaseFunction

# What has no variables inside: most of what a statement holds.
LEAVES: Final = {
    ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg, str, int, float, bool, type(None), BuiltinFunctionType,
}  # fmt: skip


def take_shortcuts() -> None:
    for owner, name, better in (
        (TargetConfig, "__hash__", _hash_flags), (TargetConfig, "__eq__", _same_flags(TargetConfig.__eq__)),
        (BaseFunction, "get_call_type", _remembered(BaseFunction.get_call_type)),
        (BaseContext, "refresh", _if_declared(BaseContext.refresh)),
        (NRTContext, "get_meminfos", _owners), (BaseContext, "pack_value", _copied(BaseContext.pack_value)),
        (ir.Stmt, "list_vars", _statement_variables), (ir.Expr, "list_vars", _expression_variables),
    ):  # fmt: skip
        setattr(owner, name, better)


def _hash_flags(flags: Any) -> int:
    """Numba's own is of the names alone, so that all have the same, too."""
    return hash(type(flags))


def _same_flags(same: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def quickly(one: Any, other: Any) -> Any:
        return True if one is other or getattr(other, "_values", None) == one._values else same(one, other)

    return quickly


def _remembered(found: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning of an operator for the same types, in the same context and with the same flags, does not change."""
    known: dict[Any, Any] = {}

    def remember(function: Any, context: Any, types_given: Any, named: Any) -> Any:
        if named or getattr(function.typing_key, "__module__", None) != "_operator":
            return found(function, context, types_given, named)
        flags = ConfigStack.top_or_none()
        key = function, context, types_given, flags and flags.copy()  # the compiler may change its own
        if key not in known:
            known[key] = found(function, context, types_given, named)
        return known[key]

    return remember


def _if_declared(refresh: Callable[[Any], None]) -> Callable[[Any], None]:
    """``refresh`` where something has been declared since the last time: lists of declarations only grow."""
    known: dict[Any, list[int]] = {}

    def declared(context: Any) -> list[int]:
        registries = (*context._registries, *context.typing_context._registries)
        return [len(part) for registry in registries for part in vars(registry).values() if isinstance(part, list)]

    def refresh_if(context: Any) -> None:
        # A context for other flags is a copy that shares its tables of declarations.
        shared = id(context._registries)
        if known.get(shared) != declared(context):
            refresh(context)
            known[shared] = declared(context)

    return refresh_if


def _owners(counter: Any, builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """The owners of memory inside a value, with their types. Parts that cannot have one are not taken out."""
    models = counter._context.data_model_manager
    model = models[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for part, taken_out in model.traverse(builder):
        if models[part].contains_nrt_meminfo():
            found += _owners(counter, builder, part, taken_out(value))
    return found


def _copied(packed: Callable[..., None]) -> Callable[..., None]:
    """A record is put into its place as a whole. Numba loads and stores it as one value, which LLVM takes apart into its bytes:
    ours have up to three thousand."""

    def put(context: Any, builder: Any, kind: Any, value: Any, place: Any, align: int | None = None) -> None:
        if isinstance(kind, Record):
            raw_memmove(builder, place, value, context.get_constant(intp, 1), kind.size)  # may be the same place
        else:
            packed(context, builder, kind, value, place, align)

    return put


def _statement_variables(statement: Any) -> list[Any]:
    found: list[Any] = []
    _collect(statement.__dict__.values(), found)
    return found


def _expression_variables(expression: Any) -> list[Any]:
    found: list[Any] = []
    _collect(expression._kws.values(), found)
    return found


def _collect(parts: Iterable[Any], found: list[Any]) -> None:
    for part in parts:
        kind = type(part)
        if kind in LEAVES:
            continue
        if kind is ir.Var:
            found.append(part)
        elif kind is ir.Expr:
            _collect(part._kws.values(), found)
        elif isinstance(part, list | tuple):
            _collect(part, found)
        elif isinstance(part, dict):
            _collect(part.values(), found)
        elif isinstance(part, ir.Inst):
            found += part.list_vars()
