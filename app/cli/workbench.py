"""`layerloom [FILE]`: the workbench in the browser."""

import argparse
import contextlib
import html
import os
import re
import secrets
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.cli import files, interrupt, output, ports
from app.server import access
from core.common.errors import ProjectError

FIRST_PORT = 8501
BASE_PATH = "STREAMLIT_SERVER_BASE_URL_PATH"


def declare(commands: Any) -> None:
    """Add the command, which is also what runs when none is named."""
    command = commands.add_parser("open", help="open the workbench (the default command)")
    command.add_argument("file", nargs="?", type=Path, help=files.project_help())
    command.add_argument("--port", type=int, help=f"port to serve on (first free of {FIRST_PORT}…)")
    command.add_argument("--no-browser", action="store_true", help="only print the address")
    command.add_argument("--runs", type=Path, help="folder of the runs (default: runs)")
    command.add_argument(
        "--base-path",
        type=base_path,
        default=os.environ.get(BASE_PATH, ""),
        metavar="PATH",
        help=f"path of the workbench behind a proxy, such as user/ann (default: {BASE_PATH})",
    )
    command.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name to accept besides localhost, for example behind a proxy",
    )
    command.set_defaults(run=run)


def base_path(text: str) -> str:
    """Read the path of an address. Raises ArgumentTypeError where it is none."""
    path = text.strip("/")
    if not re.fullmatch(r"[\w.~-]*(/[\w.~-]+)*", path, re.ASCII) or {".", ".."} & {
        *path.split("/")
    }:
        raise argparse.ArgumentTypeError(f"{text!r} is not a URL path such as user/ann.")
    return path


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C, or until the terminal is closed or the system ends us."""
    if kind := files.packed_kind(args.file):
        from app.services import paths

        args.file = kind.opened(args.file, args.runs or paths.runs_dir())
    elif args.file is not None:
        from core.project import open_project

        open_project(args.file)  # a damaged file is reported here, before anything starts
    with ports.bound(args.port, FIRST_PORT) as bound:
        serve_at(bound, args)
        with contextlib.suppress(OSError):
            opening_page(bound.port).unlink(missing_ok=True)
    return 0


def serve_at(bound: ports.Bound, args: argparse.Namespace) -> None:
    """Serve at a port that is ours, and say where once it answers."""
    address = bound.address + (f"/{args.base_path}" if args.base_path else "")
    with_browser, ended = not args.no_browser and on_a_screen(), threading.Event()
    threading.Thread(target=greet, args=(address, with_browser, ended), daemon=True).start()
    from app.server.main import serve

    end_calmly()
    try:
        with interrupt.attended(), contextlib.suppress(KeyboardInterrupt):
            serve(
                args.file,
                port=bound.port,
                runs_dir=args.runs,
                quiet=True,
                base_path=args.base_path,
                hosts=args.allow_host,
                line=bound.line,
            )
    finally:
        ended.set()


def end_calmly() -> None:
    """Have every end be like Ctrl-C: else what pages keep in the temporary folder stays there."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def on_a_screen() -> bool:
    """Whether a browser could show itself here."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def greet(
    address: str, with_browser: bool, ended: threading.Event, patience_s: float = 120.0
) -> None:
    """Wait until our server answers, say where it is, and open the browser.

    ended: set once the server has ended, of which nothing more is said then.
    Nobody is sent the token before it has proved to be the server of this process.
    """
    end = time.monotonic() + patience_s
    while not is_ready(address):
        if time.monotonic() > end:
            output.say(f"The workbench did not start to answer at {address}: start it again.")
            return
        if ended.wait(0.1):
            return
    where = access.address_with_token(address)
    output.say(f"Layerloom is open at {where}  (Ctrl-C stops it; running trainings continue)")
    if with_browser:
        open_browser(where, opening_page(urlsplit(address).port or 0))


def is_ready(address: str) -> bool:
    """Whether the server of this process answers at an address, and is ready for its first page."""
    health, nonce = f"{address}/_stcore/health", secrets.token_hex(32)
    there = urlsplit(address)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        try:
            asked = urllib.request.Request(health, headers={access.NONCE: nonce})
            with direct.open(asked, timeout=1) as answer:
                proof = answer.headers.get(access.PROOF, "")
        except urllib.error.HTTPError as refusal:  # as all do who bring no token
            proof = refusal.headers.get(access.PROOF, "")
            refusal.close()
        if not access.is_proof(proof, nonce, there.hostname or "", there.port or 0):
            return False
        headers = {"Authorization": f"Bearer {access.token()}"}
        direct.open(urllib.request.Request(health, headers=headers), timeout=1).close()
    except (OSError, HTTPException):
        return False
    return True


def opening_page(port: int) -> Path:
    """The file by which the browser is opened on a port."""
    from core.files.home import home

    return home() / f"open-{port}.html"


def open_browser(address: str, page: Path) -> None:
    """Open the browser on an address that nobody else of this machine may read.

    What a browser is called with stands in the list of processes, so it is called with a page of
    the user's own that leads to the address. Where none can be written, the printed one is left.
    """
    from core.files.home import private_folder

    if not access.token():
        webbrowser.open(address)
        return
    with contextlib.suppress(OSError, ProjectError):
        private_folder(page.parent)
        page.unlink(missing_ok=True)
        with os.fdopen(os.open(page, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(access.PAGE.format(html.escape(address)))
        webbrowser.open(page.absolute().as_uri())
