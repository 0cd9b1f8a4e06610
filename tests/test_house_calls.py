"""House rules at the border of pages and worker: functions and references are typed, no text."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.test_house import ROOT, calls, files, name, tree

FUNCTION = re.compile(r"(app|core)(\.[a-z][a-z0-9_]*)+:[a-z_]*", re.ASCII)
KINDS = {"run", "checkpoint", "project", "imported", "drawn", "part"}
CALLS_WORKER = {
    "ask": 0,
    "pool.alone": 1,
    "pool.call": 0,
    "pool.read": 1,
    "pool.run": 0,
    "pool.work": 1,
    "work": 1,
}
"""Functions that run another one in a worker, and which of their arguments that is."""
NETWORK_ROOMS = ("app", "core/insight", "core/export", "core/wings", "core/runs")
LIGHT = {"collections.abc", "typing", "core.common.network_ref"}
OTHER_TRIPLES = {
    "app/wings/importing/verdicts.py",  # a verdict, its words and its colour
    "app/wings/bundle/upload.py",  # why a file was refused
    "core/insight/over_time/marks.py",  # the words of a mark
}
TRACES = "core/wings/importing/"
"""Its triples are of calls and names in a trace; it opens no network by its kind."""


def test_no_page_names_a_function_of_the_worker_by_text() -> None:
    found = {
        f"{name(path)}:{node.lineno}"
        for path in files(".py", rooms=("app",))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and FUNCTION.match(str(node.value))
    }
    assert found == set()


def test_what_a_worker_runs_is_given_as_a_function() -> None:
    found = {
        f"{name(path)}:{call.lineno}"
        for path, call in calls()
        if name(path).startswith("app/")
        and isinstance(given_function(call), ast.Constant | ast.JoinedStr)
    }
    assert found == set()


def given_function(call: ast.Call) -> ast.expr | None:
    """What a call of the pool, or of `ask` on the page of a network, runs in a worker."""
    called = ast.unparse(call.func)
    position = CALLS_WORKER.get(called)
    return call.args[position] if position is not None and len(call.args) > position else None


def triples() -> Iterator[str]:
    """Walk what looks like a network as three texts: the type, or a value that begins by a kind."""
    for path in files(".py", rooms=NETWORK_ROOMS):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Subscript) and ast.unparse(node) == "tuple[str, str, str]":
                yield name(path)
            if isinstance(node, ast.Tuple) and names_a_network(node.elts):
                yield f"{name(path)}:{node.lineno}"


def names_a_network(values: list[ast.expr]) -> bool:
    """Whether three values begin by a kind of network, and are not all constants."""
    constant = [each.value if isinstance(each, ast.Constant) else None for each in values]
    return len(values) == 3 and constant[0] in KINDS and None in constant


def test_no_network_is_a_tuple_of_texts() -> None:
    found = {place for place in triples() if not place.startswith(TRACES)}
    assert found - OTHER_TRIPLES == set()


@pytest.mark.parametrize("path", files(".py", rooms=("app/services/calls",)), ids=lambda p: p.stem)
def test_a_module_of_calls_imports_what_calculates_in_its_functions_only(path) -> None:
    top = {node.module for node in tree(path).body if isinstance(node, ast.ImportFrom)}
    assert top <= LIGHT
    assert not any(isinstance(node, ast.Import) for node in tree(path).body)


def test_every_function_for_the_worker_is_called() -> None:
    used = {
        node.attr
        for path in files(".py", rooms=("app",))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
    }
    offered = {
        node.name
        for path in (ROOT / "app/services/calls").glob("*.py")
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef)
    }
    assert offered - used == set()
