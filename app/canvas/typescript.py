"""Write frontend/src/protocol.gen.ts from the declarations of the messages.

`python -m app.canvas.typescript` does; a test compares the file with what it would write.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = (
    "drawing.py",
    "workbench.py",
    "queries.py",
    "sample_answers.py",
    "sample_questions.py",
)
FILE = HERE / "frontend" / "src" / "protocol.gen.ts"
HEAD = """\
/** Written by `python -m app.canvas.typescript` from app/canvas/messages; do not edit. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
"""
NAMES = {
    "str": "string",
    "int": "number",
    "float": "number",
    "bool": "boolean",
    "Any": "Json",
    "None": "null",
}


def text() -> str:
    """The text of the file."""
    return "\n".join(
        [HEAD, *(declarations((HERE / "messages" / name).read_text("utf-8")) for name in SOURCES)]
    )


def declarations(source: str) -> str:
    """What the classes, types and constants of a Python source are in TypeScript."""
    return "\n".join(_declarations(ast.parse(source).body))


def write() -> None:
    """Write the file."""
    FILE.write_text(text(), "utf-8")


def _declarations(body: list[ast.stmt]) -> Iterator[str]:
    for statement, doc in _with_docs(body):
        if isinstance(statement, ast.ClassDef) and not _is_named_tuple(statement):
            yield _interface(statement)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield from _annotated(statement.target.id, statement, doc)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield from _assigned(statement.targets[0].id, statement.value, doc)


def _with_docs(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement with the text that stands beneath it, "" for none."""
    for statement, after in zip(body, [*body[1:], None], strict=True):
        yield statement, _string(after)


def _string(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ""


def _is_named_tuple(declared: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in declared.bases)


def _interface(declared: ast.ClassDef) -> str:
    sent = any("dataclass" in ast.unparse(mark) for mark in declared.decorator_list)
    names = [base.id for base in declared.bases if isinstance(base, ast.Name)]
    bases = ", ".join(name for name in names if name != "TypedDict")
    total = not any(k.arg == "total" and ast.unparse(k.value) == "False" for k in declared.keywords)
    lines = [
        _field(field, doc, total, sent)
        for field, doc in _with_docs(declared.body)
        if isinstance(field, ast.AnnAssign)
    ]
    head = f"export interface {declared.name}{f' extends {bases}' if bases else ''} {{"
    return "\n".join([*_comment(ast.get_docstring(declared) or ""), head, *lines, "}", ""])


def _field(field: ast.AnnAssign, doc: str, total: bool, sent: bool) -> str:
    assert isinstance(field.target, ast.Name)
    kind, optional = field.annotation, not total
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "NotRequired":
        kind, optional = kind.slice, True
    name = _mark(kind, "Key") or field.target.id
    line = f"  {name}{'?' if optional else ''}: {_type(kind, sent)};"
    return "\n".join([*_comment(doc, "  "), line])


def _annotated(name: str, statement: ast.AnnAssign, doc: str) -> Iterator[str]:
    """A named type, or a table of questions."""
    if ast.unparse(statement.annotation) == "TypeAlias" and statement.value:
        yield "\n".join([*_comment(doc), f"export type {name} = {_type(statement.value)};", ""])
    elif isinstance(statement.value, ast.Dict):
        title = name.title().replace("_", "")
        yield "\n".join(
            [*_comment(doc), f"export interface {title} {{", *_questions(statement.value), "}", ""]
        )


def _questions(table: ast.Dict) -> Iterator[str]:
    for key, question in zip(table.keys, table.values, strict=True):
        assert isinstance(key, ast.Constant)
        assert isinstance(question, ast.Call)
        asks, answers = map(_type, question.args)
        yield f"  {key.value}: {{ asks: {asks}; answers: {answers} }};"


def _assigned(name: str, value: ast.expr, doc: str) -> Iterator[str]:
    """A constant, or an object whose keys are words of Python's grammar."""
    if isinstance(value, ast.Constant):
        yield "\n".join([*_comment(doc), f"export const {name} = {json.dumps(value.value)};", ""])
    elif isinstance(value, ast.Call) and isinstance(value.args[1], ast.Dict):
        fields = value.args[1]
        lines = [f"export interface {name} {{"]
        for key, kind in zip(fields.keys, fields.values, strict=True):
            assert isinstance(key, ast.Constant)
            optional = isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "NotRequired"
            inner = kind.slice if optional and isinstance(kind, ast.Subscript) else kind
            lines.append(f"  {key.value}{'?' if optional else ''}: {_type(inner)};")
        yield "\n".join([*_comment(doc), *lines, "}", ""])


def _comment(doc: str, indent: str = "") -> list[str]:
    lines = doc.splitlines()
    if len(lines) < 2:
        return [f"{indent}/** {doc} */"] if doc else []
    return [
        f"{indent}/**",
        *(f"{indent} * {line.strip()}".rstrip() for line in lines),
        f"{indent} */",
    ]


def _type(kind: ast.expr, sent: bool = False) -> str:
    """A type as TypeScript writes it. sent: by the canvas, whose lists may then be read-only."""
    if isinstance(kind, ast.Constant):
        return NAMES["None"] if kind.value is None else str(kind.value)
    if isinstance(kind, ast.Name):
        return NAMES.get(kind.id, kind.id)
    if isinstance(kind, ast.BinOp):
        return f"{_type(kind.left, sent)} | {_type(kind.right, sent)}"
    assert isinstance(kind, ast.Subscript), ast.unparse(kind)
    items = kind.slice.elts if isinstance(kind.slice, ast.Tuple) else [kind.slice]
    return _generic(ast.unparse(kind.value), items, kind, sent)


def _generic(name: str, items: list[ast.expr], kind: ast.expr, sent: bool) -> str:
    if name == "Annotated":
        return _mark(kind, "TypeScript") or _type(items[0], sent)
    if name == "Literal":
        return " | ".join(json.dumps(ast.literal_eval(item)) for item in items)
    types = [_type(item, sent) for item in items]
    if name in ("dict", "Mapping"):
        return f"Record<{types[0]}, {types[1]}>"
    if name == "tuple":
        return f"[{', '.join(types)}]"
    assert name == "list", name
    inner = f"({types[0]})" if " | " in types[0] or types[0].startswith("readonly") else types[0]
    return f"{'readonly ' if sent else ''}{inner}[]"


def _mark(kind: ast.expr, name: str) -> str:
    """The text of a mark of this name beside a type, "" for none."""
    if not isinstance(kind, ast.Subscript) or not isinstance(kind.slice, ast.Tuple):
        return ""
    for mark in kind.slice.elts[1:]:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == name:
            return str(ast.literal_eval(mark.args[0]))
    return ""


if __name__ == "__main__":
    write()
