"""Output of the command line: results on standard output, messages on standard error."""

import json
import os
import shlex
import sys
import traceback
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO

from app.strict_json import json_safe
from core.common.errors import LayerloomError
from core.common.escaping import json_visible, visible


class UsageError(LayerloomError):
    """Wrong use of a command: exit status 2."""


class Failed(UsageError):
    """The project or run has an error: exit status 1."""


def one_line(text: str) -> str:
    """A text that holds names, as one line: a line feed in a name would begin a line of its own,
    such as "error: ...", and appears as \\n."""
    return visible(text.replace("\n", "\\n"))


def say(text: str) -> None:
    """Write one line for people; where standard error is closed, nowhere."""
    say_lines([text])


def say_lines(lines: Iterable[str]) -> None:
    """Write several lines for people, each of them one."""
    if sys.stderr is not None:
        print("\n".join(map(one_line, lines)), file=sys.stderr, flush=True)


def ask(question: str) -> str:
    """What somebody types for a question. Raises EOFError where nobody can."""
    return input(visible(question))


def put_lines(lines: Iterable[str]) -> None:
    """Write lines of a result to standard output, each of them one."""
    print("\n".join(map(one_line, lines)))


def put(text: str = "", end: str = "\n", flush: bool = False) -> None:
    """Write a result to standard output."""
    print(visible(text), end=end, flush=flush)


def shell_word(value: object) -> str:
    """Write a name or a path as one word of a command line, and never as an option of it."""
    text = str(value)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def flush() -> None:
    """Bring out what was printed; nothing was where standard output is closed from the start."""
    if sys.stdout is not None:
        sys.stdout.flush()


def answer(document: Any) -> None:
    """Write the one JSON document of `--json`; what is not finite becomes null."""
    text = json.dumps(json_safe(document), indent=2, ensure_ascii=False, allow_nan=False)
    print(json_visible(text), file=_documents[-1] if _documents else None)


_documents: list[TextIO] = []
"""Where the document goes while all else that is printed does not."""


@contextmanager
def documents_alone() -> Generator[None]:
    """Keep standard output for `answer`: what a project's own Python prints goes elsewhere."""
    if sys.stdout is None or sys.stderr is None:  # one is closed from the start
        yield
        return
    _documents.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _documents.pop()


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Set columns side by side, numbers to the right; each row is one line."""
    cells = [[one_line(str(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [all(is_number(row[i]) for row in cells[1:]) for i in range(len(header))]
    lines = (
        "  ".join(
            c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)
        )
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def is_number(cell: str) -> bool:
    """Whether a cell of a table reads as a number."""
    return bool(cell) and cell.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()


def findings(report: Mapping[str, Any]) -> None:
    """Tell people every error and warning of a report, with hint and offered fixes."""
    for kind in ("error", "warning"):
        for finding in report[f"{kind}s"]:
            say(f"{kind}: {finding['message']}")
            if finding["hint"]:
                say(f"  hint: {finding['hint']}")
            for fix in finding["fixes"]:
                say(f"  fix:  {fix['title']}")


def report(error: Exception, as_json: bool) -> int:
    """Tell an error in one sentence and its hint; give the exit status it means."""
    is_ours = isinstance(error, LayerloomError)
    message = error.message if is_ours else fault(error)
    subject = next((str(getattr(error, n)) for n in PLACES if getattr(error, n, "")), "")
    hint = str(getattr(error, "hint", ""))
    if as_json:
        answer({"ok": False, "error": {"place": subject, "message": message, "hint": hint}})
    sentence = f"{subject}: {message}" if subject and not message.startswith(subject) else message
    say(f"error: {sentence}")
    if hint:
        say(f"  hint: {hint}")
    if not is_ours or isinstance(error, Failed):
        return 1
    return 2 if isinstance(error, UsageError) or type(error).__name__ in UNREADABLE else 1


PLACES = ("place", "subject", "node")
LONGEST = 300
"""Characters of an error that nobody foresaw; torch's may go on for pages."""
UNREADABLE = ("ProjectError", "Conflict", "NoSuch")
"""Errors of what was handed in, rather than of what became of it."""


def fault(error: Exception) -> str:
    """Describe an unexpected error, with its traceback only where that is requested."""
    if os.environ.get("LAYERLOOM_DEBUG"):
        say_lines("".join(traceback.format_exception(error)).rstrip().split("\n"))
    if isinstance(error, OSError):
        from core.runs.full_disk import is_full, sentence

        if is_full(error):
            return sentence("A file cannot be written", Path(str(error.filename or ".")))
        return f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
    message = str(error).partition("\n")[0]
    message = message if len(message) <= LONGEST else message[:LONGEST] + "…"
    return (
        f"Layerloom itself failed ({type(error).__name__}: {message}). "
        "Run it again with LAYERLOOM_DEBUG=1 to see the traceback."
    )
