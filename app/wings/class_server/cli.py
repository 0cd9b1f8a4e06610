"""`layerloom class`: accounts of a class, and one server for all of them."""

import argparse
import contextlib
import ipaddress
import logging
from pathlib import Path
from typing import Any

from app.cli import interrupt, output, ports, workbench
from app.cli.summary import positive

AFTER = "grade"
FIRST_PORT = 8700
SEAT = "app.wings.class_server.seat_process"
PARENT = "app.wings.class_server.seat_parent"
GRACE_S = 5
LARGEST_MESSAGE = 250_000_000
"""Bytes of a message of a page: more than the largest upload, which a workbench bounds itself."""


def declare(commands: Any) -> None:
    """Add the commands."""
    command = commands.add_parser("class", help="one server for a class, with accounts")
    verbs = command.add_subparsers(dest="verb", metavar="VERB", required=True)
    add = _verb(verbs, "add", "make accounts and print their passwords", run_add)
    add.add_argument("names", nargs="+", metavar="NAME", help="small letters, digits, hyphens")
    add.add_argument("--teacher", action="store_true", help="may open everybody's workbench")
    renew = _verb(verbs, "password", "give an account a new password", run_password)
    renew.add_argument("name", metavar="NAME")
    remove = _verb(verbs, "remove", "end an account; its files stay", run_remove)
    remove.add_argument("name", metavar="NAME")
    _verb(verbs, "list", "list the accounts", run_list)
    _declare_serve(_verb(verbs, "serve", "serve a workbench for each account", run_serve))


def _verb(verbs: Any, name: str, words: str, run: Any) -> Any:
    command = verbs.add_parser(name, help=words)
    command.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the class")
    command.set_defaults(run=run)
    return command


def _declare_serve(command: Any) -> None:
    command.add_argument("--port", type=int, help=f"port to serve on (first free of {FIRST_PORT}…)")
    command.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="0.0.0.0 accepts other machines"
    )
    command.add_argument(
        "--seats", type=positive, default=40, metavar="N", help="workbenches at a time (40)"
    )
    command.add_argument(
        "--idle", type=positive, default=30, metavar="MIN", help="end one nobody looks at (30)"
    )
    command.add_argument(
        "--quota", type=float, default=2.0, metavar="GB", help="files of a student (2)"
    )
    command.add_argument(
        "--runs", type=positive, default=10, metavar="N", help="runs of a student at a time (10)"
    )
    command.add_argument(
        "--python", action="store_true", help="students' own Python may run, as this user"
    )
    command.add_argument(
        "--proxy-header", metavar="NAME", help="in which a proxy names who has logged in there"
    )
    command.add_argument(
        "--proxy", action="append", default=[], metavar="ADDRESS", help="of that proxy, by number"
    )


def run_add(args: argparse.Namespace) -> int:
    """Make accounts; their passwords are printed once and kept nowhere."""
    from core.wings.class_server import roster

    made = roster.add(args.folder, args.names, args.teacher)
    output.put_lines([f"{name}  {password}" for name, password in made.items()])
    output.say("These passwords are kept nowhere: hand them out now.")
    return 0


def run_password(args: argparse.Namespace) -> int:
    """Print a new password; logins with the old one end."""
    from core.wings.class_server import roster

    output.put_lines([f"{args.name}  {roster.renew(args.folder, args.name)}"])
    return 0


def run_remove(args: argparse.Namespace) -> int:
    """End an account."""
    from core.wings.class_server import roster

    roster.remove(args.folder, args.name)
    output.say(f"The files of {args.name} stay in {args.folder / roster.WORK / args.name}.")
    return 0


def run_list(args: argparse.Namespace) -> int:
    """List the accounts."""
    from core.runs.quota import bytes_in
    from core.wings.class_server import roster

    accounts = sorted(roster.read_roster(args.folder).accounts.values(), key=lambda a: a.name)
    sizes = [bytes_in(args.folder / roster.WORK / each.name) for each in accounts]
    rows = [
        (each.name, "teacher" if each.teacher else "student", f"{size / 1e6:,.1f} MB")
        for each, size in zip(accounts, sizes, strict=True)
    ]
    output.put(output.table(("name", "role", "files"), rows))
    return 0


def run_serve(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from app.wings.class_server.door import FrontDoor
    from core.wings.class_server.roster import read_roster
    from core.wings.class_server.seats import ClassRules, Seats

    roster = read_roster(args.folder)
    rules = ClassRules(args.seats, 60.0 * args.idle, int(args.quota * 1e9), args.runs, args.python)
    door = FrontDoor(args.folder, Seats(args.folder, SEAT, rules, PARENT), _proxy(args))
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    with ports.bound(args.port, FIRST_PORT, args.host) as bound:
        for words in _opened(args, bound, len(roster.accounts)):
            output.say(words)
        _serve(door.application(), bound)
    output.say("Stopped. Trainings that run go on.")
    return 0


def _proxy(args: argparse.Namespace) -> Any:
    """The proxy that names people; None where they log in here. Raises UsageError."""
    from app.wings.class_server.door import NamedByProxy

    if not args.proxy_header and not args.proxy:
        return None
    if not args.proxy_header or not args.proxy:
        message = "--proxy-header and --proxy belong together."
        raise output.UsageError(message, "Name the header, and the address that may send it.")
    for address in args.proxy:
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(address)
            continue
        raise output.UsageError(f"{address} is not an address.", "Write it by number: 10.0.0.2.")
    return NamedByProxy(args.proxy_header, args.proxy)


def _opened(args: argparse.Namespace, bound: ports.Bound, accounts: int) -> list[str]:
    """What is open to whom, in sentences."""
    here = bound.number in ports.LOOPBACK
    reach = "this machine alone" if here else "all machines that reach it, without encryption"
    python = "runs with the rights of this user" if args.python else "does not run"
    return [
        f"The class of {args.folder} ({accounts} accounts) is open at {bound.address}/",
        f"Open to {reach}. Own Python of students {python}. Ctrl-C stops it.",
    ]


def _serve(app: Any, bound: ports.Bound) -> None:
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        ws_max_size=LARGEST_MESSAGE,
        timeout_graceful_shutdown=GRACE_S,
    )
    workbench.end_calmly()
    with interrupt.attended(), contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[bound.line])
