"""Kernels do without BLAS and LAPACK: Numba takes both from SciPy, which an installed wheel does not bring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import proxops

ROOT = Path(proxops.__file__).parent
FROM_SCIPY = {"linalg", "dot", "vdot", "matmul", "roots", "cov", "corrcoef"}


def texts() -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(ROOT.rglob("*.py"))}


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
    trees = {path.relative_to(ROOT): ast.parse(text) for path, text in texts().items() if "@kernel" in text}
    assert sum(len(list(kernels(tree))) for tree in trees.values()) > 100  # they are found
    offenders = [f"{path}:{found}" for path, tree in trees.items() for found in linear_algebra(tree)]
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
