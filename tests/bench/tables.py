"""Renew the tables here and in wings that are older than the code they judge, by git's history.

    python -m tests.bench.tables [--list] [--all] [NAME ...]

A table is older where a commit behind its last one changed its benchmark, or a room that the
benchmark imports. --list only says which. --all renews every table. NAME: of a table, such as
transformers_models. Each is written by the command that it names; some take an hour.
"""
# ruff: noqa: T201

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.nearest import ROOT, imports
from tests.wing_parts import rows

FOLDERS = ("tests/bench", "tests/wings/*/bench")
HELPERS = ("tests/bench", "tests/crossing", "tests/wings")
WRITTEN = re.compile(r"`python -m (tests\.(?:wings\.\w+\.)?bench\.[\w.]+[^`]*)`")
FURTHER = {
    "auto_templates": "tests.bench.auto_templates --out tests/bench/auto_templates.md",
    "auto_long_runs": "tests.bench.auto_templates lenet_digits transformer_digits "
    "mlp_breast_cancer --seconds 90 --seeds 1 --one-by-one --results auto_long_runs.json "
    "--out tests/bench/auto_long_runs.md",
    "crossing": "tests.crossing.cross",
    "drawings": "tests.bench.drawings --out tests/bench/drawings.md",
}
"""Commands of tables that do not name theirs whole."""


@dataclass(frozen=True)
class Table:
    """A table's file, the words behind `python -m` that write it, the paths of what it judges."""

    path: str
    command: str
    code: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return Path(self.path).stem


def tables() -> list[Table]:
    """All tables whose command is known, by name."""
    result: list[Table] = []
    further = {**FURTHER, **rows("tables", "FURTHER")}
    for file in sorted(file for folder in FOLDERS for file in ROOT.glob(f"{folder}/*.md")):
        found = WRITTEN.search(file.read_text("utf-8"))
        command = further.get(file.stem) or (found[1] if found else "")
        if command:
            script = f"{command.split()[0].replace('.', '/')}.py"
            result.append(Table(str(file.relative_to(ROOT)), command, code_of(Path(script))))
    return result


def code_of(script: Path) -> tuple[str, ...]:
    """A benchmark, its helpers, and the rooms that they import from."""
    files, found = [script], set[str]()
    while files:
        file = files.pop()
        found.add(str(file))
        for path in set(imports(file).values()):
            if path.parts[0] in ("core", "app"):
                found.add("/".join(path.parts[: 3 if path.parts[1] == "wings" else 2]))
            elif path.parts[0] == "blocks":
                found.add("blocks")
            elif str(path).startswith(HELPERS) and str(path) not in found:
                files.append(path)
    return tuple(sorted(found))


def behind(table: Table, root: Path = ROOT) -> int:
    """Commits that changed what a table judges since it was last committed."""
    last = _git(root, "log", "-1", "--format=%H", "--", table.path)
    if not last:
        return 0  # not committed yet: nobody has an older one
    return int(_git(root, "rev-list", "--count", f"{last}..HEAD", "--", *table.code))


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Say which tables are older, and renew them; 1 where one of them could not be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="only say which are older")
    parser.add_argument("--all", action="store_true", help="renew every table")
    args = parser.parse_args(arguments)
    known = {table.name: table for table in tables()}
    if odd := [name for name in args.names if name not in known]:
        parser.error(f"no table {', '.join(odd)}; there are {', '.join(known)}")
    failed = 0
    for table in [known[name] for name in args.names] or known.values():
        count = behind(table)
        state = f"{count} commits older than its code" if count else "as new as its code"
        print(f"{table.path}: {state}", flush=True)
        if not args.list and (count or args.all or args.names):
            words = [sys.executable, "-m", *shlex.split(table.command)]
            failed |= subprocess.run(words, cwd=ROOT).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
