"""Wings: parts of Layerloom that can be left out. The base finds those that are there.

A wing is `core/wings/NAME` and `app/wings/NAME`, with its tests in `tests/wings/NAME`. The base
imports no wing; it asks here for the module of one name of every wing that has one:

    cli     `declare(commands)` adds its commands; AFTER names the command they are listed behind
    page    `PAGE`, a page of the workbench
    notice  `show()`, a line over every page about the open project
    learn   a part of the Learn page: its name `PART`, `ORDER` and `show()`; `whole_page()` draws
            what fills the page, or gives False
    start   `button()` on the start page; AFTER names the button it stands behind
    drop    `KINDS` of files that may be dropped, and `NOUN`, what they are in a sentence
    panel   `show(page)`, a line over every page of a project
    share   `button(document, page)`, beside what else is done with a project
    arrival `announce(document)` is called when a file has brought a project
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
    launcher  where `layerloom train` and `resume` train: `declare(command)` and
            `declare_again(command)` add options, `read(args)` gives the launcher, `moved(args,
            folder)` what a run that goes on changes, `say_parts` what differs from one process
    where   `ask(training, document)` on the Train page: where the next run trains
    routes  `ROUTES` of the server
    compare `groups(runs_dir)`, runs that are compared together, and `keys(folders)`, their settings
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, TypeVar

WINGS = "app.wings"
Thing = TypeVar("Thing")


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


def placed(own: Mapping[str, Thing], of_wings: Iterable[tuple[str, str, Thing]]) -> list[Thing]:
    """Those of the base and of wings, in order. of_wings: each with its name, and that of the one
    which it stands behind; where that is not here, it stands at the end."""
    found = dict(own)
    left = {name: (after, thing) for name, after, thing in of_wings}
    while near := [name for name, (after, _) in left.items() if after in found]:
        for name in near:
            (after, thing), order = left.pop(name), list(found.items())
            order.insert(list(found).index(after) + 1, (name, thing))
            found = dict(order)
    return [*found.values(), *(thing for _, thing in left.values())]
