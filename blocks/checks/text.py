"""Checks of settings that are small texts: an index such as [:, 0], or an expression."""

import ast
import re
from collections.abc import Iterator

from blocks.checks.fixes import set_to
from blocks.spec import Check, Inputs, Problem, Settings

LETTER = re.compile(r"\b[a-d]\b")
ARITHMETIC = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.Name,
    ast.Load,
    ast.Constant,
)


def holes(text: str) -> str:
    """Make holes of the letters that stand for wires: [:, :a] becomes [:, :{a}]."""
    return LETTER.sub(lambda letter: f"{{{letter[0]}}}", text)


def wired(name: str, start: str) -> Check:
    """Make the check that every letter in a text has a wire or an integer."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        given = {letter for letter in "abcd" if settings.get(letter) is not None}
        for letter in sorted(set(LETTER.findall(settings[name])) - inputs.keys() - given):
            yield Problem(
                "unconnected",
                f"uses {letter} in {name} {settings[name]!r} but has no wire into {letter}.",
                f"Wire an integer into {letter}, or write a number in its place.",
                (set_to(**{name: start}),),
            )

    return check


def calculates(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that an expression holds whole numbers, letters, + - * // % and ( ) only."""
    text = settings["expression"]
    try:
        nodes = list(ast.walk(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError):
        nodes = []
    whole = all(type(n.value) is int for n in nodes if isinstance(n, ast.Constant))
    if not nodes or not whole or not all(isinstance(n, ARITHMETIC) for n in nodes):
        yield Problem(
            "bad_setting",
            f"has an expression that cannot be read: {text!r}.",
            "Write it with a, b, c, d, whole numbers, + - * // % and parentheses.",
            (set_to(expression="a"),),
        )
