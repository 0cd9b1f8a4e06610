"""Wings: parts of Layerloom that can be left out. The base finds those that are there.

A wing is `core/wings/NAME` and `app/wings/NAME`, with its tests in `tests/wings/NAME`. The base
imports no wing; it asks here for the module of one name of every wing that has one:

    cli     `declare(commands)` adds its commands; AFTER names the command they are listed behind
    page    `PAGE`, a page of the workbench
    learn   a part of the Learn page: its name `PART`, `ORDER` and `show()`; `whole_page()` draws
            what fills the page, or gives False
    start   `button()` on the start page
    panel   `show(page)`, a line over every page of a project
    notice  `show()`, a notice over every page
    share   `button(document, page)`, beside what else is done with a project
    arrival `announce(document)` is told that a file brought a project
    upload  files that a project is packed in, by ENDING and NOUN: `bring(path, name)` and
            `bring_bytes(content, name)` open one into the workspace and give the project's file
    file    the same on the command line: `opened(file, runs)` gives the project's file,
            `check(args)` checks one, `pack(project, file, runs, out)` writes one; `lacks(project,
            file, needs)`, what a project that came in one lacks here beside those needs
    drawings  `projects()`, drawings that a draft may begin with
    actions `ACTIONS`, what the canvas sends, by name, and what is done then
    stop    `stop(folder, args)` ends what it runs, in the folder of a run or, without one, of the
            name given; None where there is nothing; `NOUN` names that in the help
    train   `declare(command)` adds options to `layerloom train`, `run(args)` acts on them or gives
            None
    routes  `ROUTES` of the server
    compare `groups(runs_dir)`, runs that are compared together, and `keys(folders)`, their settings
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

WINGS = "app.wings"


@cache
def names() -> tuple[str, ...]:
    """The wings that are here, in the order of the alphabet."""
    folder = import_module(WINGS).__path__
    return tuple(sorted(found.name for found in iter_modules(folder) if found.ispkg))


def parts(name: str) -> Iterator[tuple[str, Any]]:
    """The wings that have a module of this name, and that module."""
    for wing in names():
        module = f"{WINGS}.{wing}.{name}"
        if find_spec(module):
            yield wing, import_module(module)
