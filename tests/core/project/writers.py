"""Child process of test_safe_save: several writers edit one file at the same time.

With "checked" each save carries the revision it started from and is done again after a Conflict;
with "naive" it goes over whatever is there.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

from core.project import Conflict, open_project, revision, save_project


def edit(path: Path, note: str, checked: bool) -> None:
    while True:
        project = open_project(path)
        project = replace(project, notes=(*project.notes, note))
        try:
            save_project(project, path, project.revision if checked else revision(path))
        except Conflict:
            if checked:
                continue
        return


def main(path: Path, writers: int, edits: int, checked: bool) -> None:
    for writer in range(writers):
        if os.fork() == 0:
            for number in range(edits):
                edit(path, f"{writer}.{number}", checked)
            os._exit(0)
    failed = [os.wait()[1] for _ in range(writers)]
    sys.exit(any(failed))


main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "checked")
