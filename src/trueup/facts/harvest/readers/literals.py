"""The constants of a Python source, read and never run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE_MOST = 1 << 20
DICTIONARIES = frozenset({"dict", "OrderedDict"})


def assigned(source: str) -> dict[str, Any]:
    """Return name -> value for the module-level assignments of literals; ValueError for what is no Python.

    `dict([...])` and `collections.OrderedDict([...])` count as literals.
    """
    if len(source) > SOURCE_MOST:
        raise ValueError("too long")
    try:
        body = ast.parse(source).body
        return dict(_pairs(body))
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(str(error)) from error


def _pairs(body: list[ast.stmt]) -> Iterator[tuple[str, Any]]:
    for statement in body:
        if isinstance(statement, ast.Assign):
            names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names = [statement.target.id]
        else:
            continue
        try:
            value = _value(statement.value)
        except (ValueError, TypeError):
            continue  # computed at run time: not a constant of the build
        yield from ((name, value) for name in names)


def _value(node: ast.expr | None) -> Any:
    if node is None:
        raise ValueError("no value")
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in DICTIONARIES or len(node.args) != 1 or node.keywords:
            raise ValueError("a call")
        return dict(ast.literal_eval(node.args[0]))
    return ast.literal_eval(node)
