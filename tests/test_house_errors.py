"""Errors of Layerloom are caught by their base where a page shows whichever comes."""

import ast
import re

from core.common import errors
from tests.test_house import OURS, calls, name, tree

BASE = errors.LayerloomError.__name__


def subclasses() -> set[str]:
    """The names of all errors that say what is wrong and what to do."""
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for path in OURS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    }
    known = {BASE}
    while more := {child for child, parents in bases.items() if parents & known} - known:
        known |= more
    return known


def test_no_page_lists_errors_that_have_one_base() -> None:
    known = subclasses()
    assert {"DataError", "ProjectError", "RunError", "PoolError"} <= known
    found = [
        f"{name(path)}: {ast.unparse(node.type)}"
        for path in OURS
        if name(path).startswith("app/")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple)
        if sum(ast.unparse(each).rpartition(".")[2] in known for each in node.type.elts) > 1
    ]
    assert found == []


FIELD = re.compile(r"\{[a-z_][\w.\[\]]*(![rs])?(:[^{}\s\"]*)?\}", re.ASCII)
"""A field of an f-string, such as {size:,}."""
SHOWS = re.compile(
    r"(.*\.)?(fail|print|\w*(Error|Exit|Warning|Problem|Diagnostic))|st\.(?!components)[\w.]+"
)
"""Functions whose arguments a person reads."""


def test_no_message_shows_the_name_of_a_field_in_place_of_its_value() -> None:
    found = [
        f"{name(path)}:{argument.lineno}"
        for path, call in calls()
        if SHOWS.fullmatch(ast.unparse(call.func))
        for argument in (*call.args, *(each.value for each in call.keywords))
        if isinstance(argument, ast.Constant) and FIELD.search(str(argument.value))
    ]
    assert found == []
