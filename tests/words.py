"""List every text of the product that a person reads: `python -m tests.words [FOLDER...]`."""

# ruff: noqa: T201

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ("app", "blocks", "core")
TYPESCRIPT = ("app",)
LESSONS = ("projects/lessons", "projects/tasks")
NOT_READ = {"catalogue.md", "project_file.md", "words.md"}
"""Documents that a command writes, and the list of words to avoid."""
DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    *(
        f"assets/{each.name}"
        for each in (ROOT / "assets").glob("*.md")
        if each.name not in NOT_READ
    ),
    *(f"assets/wings/{each.name}" for each in (ROOT / "assets" / "wings").glob("*.md")),
)
BUILT = {"node_modules", "static", "dist", "__pycache__", "tests"}
TESTS = (".test.ts", ".test.tsx")
TYPESCRIPT_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
MARKUP_TEXT = re.compile(r">\s*([A-Z][^<>{}=;]*[a-z.!?:])\s*<")
CLASS_NAMES = re.compile(r"""\b(?:className|class)=(?:"[^"]*"|'[^']*'|\{`[^`]*`\})""")
"""Names of styles in markup, and in markup inside a string of Python."""
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
WORDS = re.compile(
    r"[A-Za-z]{2,}[,.:;]? +.*[A-Za-z]{2,}|[a-z]{3,}[,.:;]? \{\}|\{\} [a-z]{2,} ", re.DOTALL
)
"""What makes a string a text: two words, or a word beside a value."""


class Text(NamedTuple):
    """One text and its place in the sources; names of variables in it are left out."""

    file: str
    line: int
    text: str


def _documented(tree: ast.Module) -> set[int]:
    """Collect the ids of docstrings and of the texts under constants: for developers."""
    return {
        id(node.value)
        for parent in ast.walk(tree)
        for body in [getattr(parent, "body", None)]
        if isinstance(body, list)
        for node in body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _formatted(node: ast.JoinedStr) -> str:
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return "".join(str(part) for part in parts)


def python_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the strings of a Python file that hold more than one word, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for node in formatted for part in node.values}
    left_out = _documented(tree) | inside
    for node in formatted:
        yield node.lineno, _formatted(node)
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in left_out and " " in text.strip():
                yield node.lineno, text


def typescript_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the strings and the text between tags of a TypeScript file."""
    source = CLASS_NAMES.sub("", path.read_text("utf-8"))
    source = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)
    for pattern in (TYPESCRIPT_STRING, MARKUP_TEXT):
        for match in pattern.finditer(source):
            text = next(group for group in match.groups() if group is not None)
            if " " in text.strip():
                yield source.count("\n", 0, match.start()) + 1, text


def _json_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _json_texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _json_texts(part)


def lesson_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the texts of a lesson or a task; its file has no lines to point at."""
    for text in _json_texts(json.loads(path.read_text(encoding="utf-8"))):
        if " " in text:
            yield 1, text


def document_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines of a document."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            yield number, line


def _is_left_out(path: Path) -> bool:
    return path.name.endswith(TESTS) or bool(BUILT & set(path.relative_to(ROOT).parts))


Reader = Callable[[Path], Iterator[tuple[int, str]]]


def _files() -> Iterator[tuple[Path, Reader]]:
    for rooms, endings, reader in (
        (PYTHON, (".py",), python_texts),
        (TYPESCRIPT, (".ts", ".tsx"), typescript_texts),
        (LESSONS, (".json",), lesson_texts),
    ):
        for room in rooms:
            for path in sorted((ROOT / room).rglob("*")):
                if path.name.endswith(endings) and not _is_left_out(path):
                    yield path, reader
    for document in DOCUMENTS:
        yield ROOT / document, document_texts


def all_texts() -> Iterator[Text]:
    """Walk every text of the product, file by file."""
    for path, reader in _files():
        for line, text in reader(path):
            if WORDS.search(text):
                yield Text(path.relative_to(ROOT).as_posix(), line, CLASS_NAMES.sub("class", text))


def main(folders: list[str]) -> None:
    """Print the texts of these folders, or of all."""
    for file, line, text in all_texts():
        if not folders or file.startswith(tuple(folders)):
            print(f"{file}:{line}: {' '.join(text.split())}")


if __name__ == "__main__":
    main(sys.argv[1:])
