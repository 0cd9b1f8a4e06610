"""`layerloom serve`: a trained network behind HTTP, with a page to try it on."""

import argparse
import contextlib
import os
import secrets
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, interrupt, output, ports, workbench

if TYPE_CHECKING:
    from app.wings.serve.limits import Limits
    from app.wings.serve.reach import Reach

AFTER = "export"
FIRST_PORT = 8600
TOKEN = "LAYERLOOM_SERVE_TOKEN"
STOP_S = 20
MOST_TOKEN_LETTERS = 4096


def declare(commands: Any) -> None:
    """Add the command."""
    from app.cli.summary import positive

    command = commands.add_parser("serve", help="serve a run: predictions by HTTP, a try page")
    command.add_argument("source", metavar="RUN|FILE", help="a run (its best weights) or a project")
    files.add_checkpoint(command, "for a run: the checkpoint (default: best)")
    command.add_argument("--port", type=int, help=f"port to serve on (first free of {FIRST_PORT}…)")
    command.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="0.0.0.0 accepts other machines, which need the token",
    )
    add_token(command)
    command.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name to accept besides localhost",
    )
    command.add_argument(
        "--max-batch",
        type=positive,
        default=64,
        metavar="N",
        help="most samples in a batch and in a request (64)",
    )
    command.add_argument(
        "--window-ms",
        type=milliseconds,
        default=2.0,
        metavar="MS",
        help="time a sample waits for others (2)",
    )
    command.add_argument(
        "--queue",
        type=positive,
        default=1024,
        metavar="N",
        help=("most samples that wait; further ones are rejected (1024)"),
    )
    command.add_argument(
        "--max-body-mb", type=positive, default=16, metavar="MB", help="largest request body (16)"
    )
    command.add_argument(
        "--max-memory-mb",
        type=positive,
        default=512,
        metavar="MB",
        help="most memory for reading a large request, which has a process of its own (512)",
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="the address as one JSON document")
    command.set_defaults(run=run)


def add_token(command: argparse.ArgumentParser) -> None:
    """Add the ways to give a token."""
    command.add_argument(
        "--token",
        default="",
        help="token that requests must send; generated if other machines have access. Other users "
        "of this machine can read it in the list of processes: they cannot read the environment "
        f"variable {TOKEN} or --token-file",
    )
    command.add_argument(
        "--token-file", type=Path, metavar="FILE", help="read the token from the first line of FILE"
    )


def token_of(args: argparse.Namespace) -> str:
    """The token that is given, "" for none. Raises UsageError."""
    if args.token_file is None:
        return args.token or os.environ.get(TOKEN, "")
    if args.token:
        raise output.UsageError(
            "--token and --token-file are both given.", "Leave one of them out."
        )
    try:
        with args.token_file.open(encoding="utf-8") as file:
            token = file.readline(MOST_TOKEN_LETTERS).strip()
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise output.UsageError(f"{args.token_file} cannot be read: {why}.") from error
    if not token:
        raise output.UsageError(
            f"The first line of {args.token_file} is empty.", "Write the token into it."
        )
    return token


def milliseconds(text: str) -> float:
    """Read 0 to 1000 milliseconds. Raises ArgumentTypeError, which argparse prints."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"needs milliseconds from 0 to 1000: {text}")
    return value


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C, or until the system ends the process; requests under way are answered."""
    with ports.bound(args.port, FIRST_PORT, args.host) as bound:
        return serve_at(bound, args)


def serve_at(bound: ports.Bound, args: argparse.Namespace) -> int:
    """Load the network and serve it at a port that is ours."""
    given = token_of(args)
    source = opened(args)
    which = files.weights_of(source, args.checkpoint)
    output.say("Loading the network...")
    from app.wings.serve.served import served

    net = served(source, which=which)
    open_to_all = bound.number not in ports.LOOPBACK
    token = given or (secrets.token_urlsafe(16) if open_to_all else "")
    hosts = allowed(args.allow_host, open_to_all)
    workbench.end_calmly()
    from app.wings.serve.application import application
    from app.wings.serve.reach import reach_of
    from core.wings.serve.patience import allow_connections
    from core.wings.serve.steady import be_steady

    reach = reach_of(bound, token, args.allow_host)
    app = application(net, limits(args), token, hosts, reach)
    be_steady()
    allow_connections()
    with interrupt.attended(), contextlib.suppress(KeyboardInterrupt):
        serve(app, args, bound, token, net.name, reach)
    output.say("Stopped.")
    return 0


def allowed(names: list[str], open_to_all: bool) -> tuple[str, ...]:
    """Names the server may be called by; none for any: the token keeps others out there."""
    if open_to_all and not names:
        return ()
    from app.wings.serve.guard import LOOPBACK

    return (*LOOPBACK, *names)


def limits(args: argparse.Namespace) -> "Limits":
    """The limits that the options name."""
    from app.wings.serve.limits import Limits

    if args.queue < args.max_batch:
        raise output.UsageError(
            f"--queue {args.queue} is less than a batch of {args.max_batch}.",
            f"Set it to {args.max_batch} or more.",
        )
    return Limits(
        args.max_batch,
        args.window_ms / 1000,
        args.queue,
        args.max_body_mb << 20,
        held_bytes=max(Limits.held_bytes, args.max_body_mb << 20),
        memory_bytes=args.max_memory_mb << 20,
    )


def opened(args: argparse.Namespace) -> Any:
    """The folder of a run, or a project without errors. Raises UsageError."""
    if args.source.endswith(".json") or Path(args.source).is_file():
        project, _ = files.analysed(Path(args.source))
        files.look_beside(Path(args.source))
        output.say("The weights are random, because a project has no trained weights.")
        return project
    folder = files.run_folder(args.source, args.runs)
    files.find_data(folder)
    return folder


def serve(
    app: Any,
    args: argparse.Namespace,
    bound: ports.Bound,
    token: str,
    name: str,
    reach: "Reach | None" = None,
) -> None:
    """Run the server."""
    import uvicorn

    from app.wings.serve.reach import print_code

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                announce(args, bound, token, name)
                if sys.stderr is not None:
                    print_code(reach, sys.stderr)

    Server(config(app, bound)).run(sockets=[bound.line])


def config(app: Any, bound: ports.Bound) -> Any:
    """How uvicorn serves."""
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    from core.wings.serve.patience import Deadlines

    class Protocol(Deadlines, H11Protocol):
        pass

    return uvicorn.Config(
        app,
        bound.number,
        bound.port,
        log_level="warning",
        ws="none",
        http=Protocol,
        proxy_headers=False,  # see app.process.peer
        server_header=False,
        timeout_graceful_shutdown=STOP_S,
    )


def announce(args: argparse.Namespace, bound: ports.Bound, token: str, name: str) -> None:
    """Say where the server is, for people or as JSON."""
    address = bound.address
    page = f"{address}/?token={token}" if token else f"{address}/"
    if args.json:
        output.answer({"ok": True, "run": name, "address": address, "token": token or None})
        output.flush()
    output.say(f"{name} is served at {page}  (Ctrl-C stops it)")
    output.say(f"  POST {address}/predict; {address}/openapi.json describes it")
    if token:
        output.say(f"  programs send the header Authorization: Bearer {token}")
