"""Names that a reader can guess: of modules, and of classes that no other class shares."""

import ast
from collections import defaultdict

from tests.test_house import OURS, name, tree
from tests.wing_parts import left_out

PRIVATE_WORDS = frozenset(
    "asked bearing begun belonging brought chosen decided drawn drops dropped elsewhere "
    "explained far fed found given heard held judged kept known likeliest looked made meant named "
    "opened own packed parted placed places prepared put readying refused remembered said "
    "seen shown shrunk starting taken taught this told wanted ways whole".split()
)
"""Words of a module's name that only its author can guess: participles and private idiom."""
STILL_THERE = frozenset(
    (
        "core/wings/cards/autograd/own_function.py",
        "core/wings/cards/scripts/own_function.py",
    )
)
"""Modules with such a name. This list only gets shorter."""
SAME_NAME = frozenset(("Member",))
"""Names of several public classes of core. This list only gets shorter."""


def words_of(path: str) -> set[str]:
    """The words of a module's name; a package has that of its folder."""
    module = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    return set(module.split("_"))


def test_no_module_is_named_by_a_word_that_only_its_author_can_guess() -> None:
    private = {name(path) for path in OURS if words_of(name(path)) & PRIVATE_WORDS}
    assert private - STILL_THERE == set()


def test_no_two_public_classes_of_core_have_one_name() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for path in OURS:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and name(path).startswith("core/"):
                modules[node.name].append(name(path))
    twice = {c: m for c, m in modules.items() if len(m) > 1 and not c.startswith("_")}
    assert {c: m for c, m in twice.items() if c not in SAME_NAME} == {}


def test_the_lists_of_exceptions_hold_nothing_that_is_gone() -> None:
    there = {name(path) for path in OURS}
    assert {path for path in STILL_THERE if path not in there and not left_out(path)} == set()
