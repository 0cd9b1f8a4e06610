"""Which tests to run after a change: `python -m tests.nearest core/engine/ema.py [...]`.

Read from the imports, so that nobody keeps a list: first the test file of the module's own name,
then those that use a name which the module defines, else a module which imports it; of these the
ones in the module's own room, if there are such. Blocks and pages are reached through a catalogue
or a whole app: for them, the tests of their room.
"""

# ruff: noqa: T201
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("app", "blocks", "core")
DOTTED = r"(app|blocks|core)(\.\w+)+(:\w+)?"
MOST = 8
FARTHEST = 3


def module_file(dotted: str) -> Path | None:
    """The file of a module of this repository, relative to its root."""
    path = Path(*dotted.split("."))
    tried = (path.with_suffix(".py"), path / "__init__.py")
    return next((each for each in tried if (ROOT / each).is_file()), None)


@cache
def imports(path: Path) -> dict[str, Path]:
    """Each name that a file imports from this repository, and the file that defines it.

    A string that names a module, such as the job of a worker process, counts as an import.
    """
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    strings = {
        node.value: named
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch(DOTTED, node.value) and (named := module_file(node.value.split(":")[0]))
    }
    return strings | {
        alias.asname or alias.name: defined
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (defined := definition(node, alias.name))
    }


def definition(node: ast.Import | ast.ImportFrom, name: str) -> Path | None:
    """The file behind an imported name, through the packages that pass it on."""
    if isinstance(node, ast.Import):
        return module_file(name)
    if not node.module or node.level:
        return None
    package = module_file(node.module)
    if package is None or package.name != "__init__.py":
        return package
    return module_file(f"{node.module}.{name}") or imports(package).get(name, package)


@cache
def test_files() -> tuple[Path, ...]:
    found = (path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py"))
    return tuple(sorted(found))


@cache
def importers() -> dict[Path, set[Path]]:
    """The files of the product that import each file of it."""
    users: dict[Path, set[Path]] = {}
    for room in PRODUCT:
        for path in (ROOT / room).rglob("*.py"):
            if "node_modules" not in path.parts:
                for used in imports(path.relative_to(ROOT)).values():
                    users.setdefault(used, set()).add(path.relative_to(ROOT))
    return users


@cache
def used_by(test: Path) -> frozenset[Path]:
    """What a test file uses of the product, itself or through the helpers that tests share."""
    direct = set(imports(test).values())
    shared = {path for path in direct if path.parts[0] == "tests" and path != test}
    return frozenset(direct.union(*(imports(path).values() for path in shared)))


def by_distance(module: Path) -> Iterator[list[Path]]:
    """Test files that use the module; then those that use a module importing it, and so on."""
    reached, edge = {module}, {module}
    for _ in range(FARTHEST + 1):
        yield [test for test in test_files() if not edge.isdisjoint(used_by(test))]
        edge = {user for path in edge for user in importers().get(path, ())} - reached
        reached |= edge


def nearest(module: Path) -> list[Path]:
    """The few test files to run after a change of this file of the product."""
    own = Path("tests", module.with_name(f"test_{module.name}"))
    first = [own] if (ROOT / own).is_file() else []
    tests = next(filter(None, by_distance(module)), [])
    here = [test for test in tests if test.is_relative_to(own.parent)]
    few = sorted(here or tests, key=lambda test: (not alike(test, module), len(used_by(test))))
    return [*first, *(test for test in few if test not in first)][:MOST] or of_room(module)


def alike(test: Path, module: Path) -> bool:
    """Whether the names of the two files share a word."""
    of_test, of_module = (
        {word.removesuffix("s") for word in path.stem.split("_")} for path in (test, module)
    )
    return not of_test.isdisjoint(of_module)


def of_room(module: Path) -> list[Path]:
    """The test files of the module's room: those that share a word with it, else its folder."""
    for room in module.parents:
        named = Path("tests", room.parent, f"test_{room.name}")
        inside = [test for test in test_files() if test.parent == Path("tests", room)]
        tests = inside or [test for test in test_files() if str(test).startswith(str(named))]
        if tests:
            rest = [Path("tests", room)] if inside else tests
            return [test for test in tests if alike(test, module)] or rest
    return []


def main(names: Sequence[str]) -> None:
    """Print the test files for all of these files, on one line each."""
    modules = [Path(name).resolve().relative_to(ROOT) for name in names]
    tests = dict.fromkeys(
        test for path in modules for test in ([path] if path in test_files() else nearest(path))
    )
    print("\n".join(map(str, tests)))


if __name__ == "__main__":
    main(sys.argv[1:])
