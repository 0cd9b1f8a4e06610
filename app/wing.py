"""Wings: parts of Layerloom that can be left out. The base finds those that are there.

A wing is `core/wings/NAME` and `app/wings/NAME`, with its tests in `tests/wings/NAME`. The base
imports no wing; it asks here for the module of one name of every wing that has one:

    cli     `declare(commands)` adds its commands; AFTER names the command they are listed behind
    page    `PAGE`, a page of the workbench; `MORE`, further ones, where there are any
    notice  `show()`, a line over every page about the open project
    learn   a part of the Learn page: its name `PART`, `ORDER` and `show()`; `whole_page()` draws
            what fills the page, or gives False
    start   `button()` on the start page; AFTER names the button it stands behind
    drop    `KINDS` of files that may be dropped; `NOUN`, what they are in a sentence, and `LISTED`
            in a list: a name and its files
    versions  `of(path)` gives the versions that a file holds, None for one that holds no more than
            one: their `project` for now and its `revision`; `merged(base, ours, theirs)`, the
            project of two tabs, and a sentence for each conflict
    choice  `show(versions)`, drawn in place of pages until one of those versions is chosen
    data    `show(document, mark)`, at the top of the Data page; mark changes with own files
    doubt   what puts a verdict in doubt: `show(view, verdict, alive)` below it on Train,
            `sentences(view, verdict)` for other pages, `words(folder, verdict)` for commands
    panel   `show(page)`, a line over every page of a project
    share   `button(document, page)`, beside what else is done with a project; on Build a line
            TITLE of a menu, which opens `dialog(document)`
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
    diff    more for `layerloom diff`: `declare(command)` adds options, `run(args, old, new)` acts
            on them or gives None; `opened(name)`, the project of a name that is no file, or None,
            and NOUN, what such a name is
    copies  `of(files)`, of these projects those whose copies of drafts a page of it lists
    saved   `note(path, mine)` is called with a project's file before it is saved, when others may
            have written it, and after
    launcher  where `layerloom train` and `resume` train: `declare(command)` and
            `declare_again(command)` add options, `read(args)` gives the launcher, `moved(args,
            folder)` what a run that goes on changes, `say_parts` what differs from one process
    where   `ask(training, document)` on the Train page: where the next run trains
    routes  `ROUTES` of the server
    export  `below(group, network)`, under a group of formats on the Export page
    compare `groups(runs_dir)`, runs that are compared together, and `keys(folders)`, their settings
"""

from collections.abc import Iterator
from typing import Any

from core.common import wing

WINGS = "app.wings"


def names() -> tuple[str, ...]:
    """The wings that are here, in the order of the alphabet."""
    return wing.names(WINGS)


def parts(name: str) -> Iterator[tuple[str, Any]]:
    """The wings that have a module of this name, and that module."""
    return wing.parts(name, WINGS)
