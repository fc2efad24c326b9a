"""Kernels do without BLAS and LAPACK: Numba takes both from SciPy, which an installed wheel does not bring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import proxops

ROOT = Path(proxops.__file__).parent
FROM_SCIPY = {"linalg", "dot", "vdot", "matmul", "roots", "cov", "corrcoef"}


def texts() -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(ROOT.rglob("*.py"))}


@cache
def trees() -> dict[Path, ast.Module]:
    """Of all files that have kernels."""
    return {path.relative_to(ROOT): ast.parse(text) for path, text in texts().items() if "@kernel" in text}


def kernels(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark) == "kernel" for mark in node.decorator_list):
            yield node


def linear_algebra(tree: ast.AST) -> list[str]:
    """What the kernels of a file use of it, with line and kernel."""
    return [
        f"{node.lineno}: {kernel.name} uses {ast.unparse(node)}"
        for kernel in kernels(tree)
        for node in ast.walk(kernel)
        if (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult))
        or (isinstance(node, ast.Attribute) and node.attr in FROM_SCIPY)
    ]


def test_no_kernel_needs_scipy() -> None:
    assert sum(len(list(kernels(tree))) for tree in trees().values()) > 100  # they are found
    offenders = [f"{path}:{found}" for path, tree in trees().items() for found in linear_algebra(tree)]
    assert not offenders, "use maths/small_matrix.py or a loop:\n" + "\n".join(offenders)


def test_nothing_else_of_the_program_imports_scipy() -> None:
    offenders = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, text in texts().items()
        if "scipy" in text
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "scipy" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "scipy")
    ]
    assert not offenders


@pytest.mark.parametrize("line", ["a @ a", "a.dot(a)", "np.dot(a, a)", "np.linalg.norm(a)", "np.linalg.solve(a, a)"])
def test_every_way_of_writing_it_is_seen(line: str) -> None:
    assert linear_algebra(ast.parse(f"@kernel\ndef f(a):\n    return {line}"))
    assert not linear_algebra(ast.parse(f"def f(a):\n    return {line}"))


def borrowed(tree: ast.AST) -> list[str]:
    """Kernels that return an argument, or a part of one: who calls them gets an array that nobody counts (``called_kernel``)."""
    found = []
    for kernel in kernels(tree):
        given = {argument.arg for argument in (*kernel.args.args, *kernel.args.kwonlyargs)}
        annotated = {
            a.arg for a in kernel.args.args if a.annotation is not None and "Array" in ast.unparse(a.annotation)
        }
        for node in ast.walk(kernel):
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for part in parts:
                sliced = isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice)
                root = part.value if sliced else part  # type: ignore[attr-defined]
                while isinstance(root, ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root.id in (given if sliced else annotated):
                    found.append(f"{kernel.name}: {ast.unparse(node)}")
    return found


def test_no_kernel_returns_what_it_was_lent() -> None:
    found = [f"{path}: {what}" for path, tree in trees().items() for what in borrowed(tree)]
    assert not found


@pytest.mark.parametrize("line", ["x", "x[1:4]", "x.T", "(1, x[2:])"])
def test_every_way_of_lending_on_is_seen(line: str) -> None:
    assert borrowed(ast.parse(f"@kernel\ndef f(x: Array):\n    return {line}"))
    assert not borrowed(ast.parse(f"@kernel\ndef f(x: Array):\n    return g({line})"))
