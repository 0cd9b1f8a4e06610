"""Child process of test_safe_save: crashes a save before every single operation on the disk.

Each save runs in a fork that ends itself (os._exit) at the n-th call of open, write, fsync,
replace or close, for n = 1, 2, ... until a save ends by itself; a write leaves half of its bytes.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from core.project import open_project, revision, save_project, write_text

OPERATIONS = ("open", "write", "fsync", "replace", "close")
CRASHED = 42


def arm(count: int) -> None:
    """Make the `count`-th operation from now the last one."""
    left = [count]

    def wrap(name: str) -> None:
        real = getattr(os, name)

        def operation(*args, **options):
            left[0] -= 1
            if left[0] == 0:
                if name == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                os._exit(CRASHED)
            return real(*args, **options)

        setattr(os, name, operation)

    for name in OPERATIONS:
        wrap(name)


def naive_save(project, path: Path, _base: str) -> None:
    """What most programs do: the harness must find it torn."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    os.write(file, write_text(project).encode())
    os.fsync(file)
    os.close(file)


def crash_at(count: int, save, project, path: Path, base: str) -> bool:
    """Save in a fork that crashes; False once the save ended before it could."""
    child = os.fork()
    if child == 0:
        arm(count)
        save(project, path, base)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == CRASHED


def main(path: Path, how: str, existing: bool) -> None:
    sample = open_project(Path(__file__).parents[2] / "files/v1/sample.loom.json")
    old, new = replace(sample, name="old"), replace(sample, name="new")
    texts = {write_text(old): "old", write_text(new): "new"}
    save = {"safe": save_project, "naive": naive_save}[how]
    seen: list[str] = []
    again = True
    while again:
        path.unlink(missing_ok=True)
        if existing:
            save_project(old, path)
        again = crash_at(len(seen) + 1, save, new, path, revision(path))
        found = path.read_text("utf-8") if path.exists() else None
        seen.append("none" if found is None else texts.get(found, "torn"))
        save_project(old, path, revision(path))
        names = sorted(name.name for name in path.parent.iterdir())
        assert names == [path.name], f"left over: {names}"
    json.dump(seen, sys.stdout)


main(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "existing")
