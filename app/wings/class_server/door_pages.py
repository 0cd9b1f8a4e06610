"""The pages of the front door: login, the teacher's list, and short messages."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from core.runs.listing import running
from core.runs.quota import bytes_in
from core.wings.class_server.roster import Roster
from core.wings.class_server.seats import ClassRules, Seats, base_of, memory, work_folder

MARK = Path(__file__).resolve().parents[2] / "theme" / "mark.svg"
FRAME = Template((Path(__file__).with_name("door.html")).read_text("utf-8"))
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # else a form is sent with the origin "null"
}
FORM = """<form method="post" action="/login">
<label>Name <input name="name" autocomplete="username" autofocus required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required>
</label><button>Log in</button></form>"""
NEW_PASSWORD = """<form method="post" action="/account">
<label>Old password <input name="old" type="password" autocomplete="current-password" required>
</label>
<label>New password <input name="new" type="password" autocomplete="new-password" required
minlength="8"></label><button>Change the password</button></form>"""
LOGOUT = '<form method="post" action="/logout"><button class="quiet">Log out</button></form>'


@dataclass(frozen=True)
class AccountRow:
    """An account in the teacher's list. bytes: of its files; memory: of its workbench, 0 if none
    runs; watched: whether a browser looks at it; training: its runs that train or wait."""

    name: str
    teacher: bool
    bytes: int
    memory: int
    watched: bool
    training: int


def rows_of(folder: Path, roster: Roster, seats: Seats) -> list[AccountRow]:
    """A row for each account, by name."""
    open_seats, rows = seats.running(), list[AccountRow]()
    for account in sorted(roster.accounts.values(), key=lambda each: each.name):
        work, seat = work_folder(folder, account.name), open_seats.get(account.name)
        held, watched = (memory(seat), seat.channels > 0) if seat else (0, False)
        count, size = running(work / "runs"), bytes_in(work)
        rows.append(AccountRow(account.name, account.teacher, size, held, watched, count))
    return rows


def login(problem: str = "") -> str:
    """The form to log in."""
    words = f'<p class="problem" role="alert">{html.escape(problem)}</p>' if problem else ""
    return _page("Log in", f"{words}{FORM}")


def account(name: str, problem: str = "") -> str:
    """The page of an account: a new password, and the way out."""
    words = f'<p class="problem" role="alert">{html.escape(problem)}</p>' if problem else ""
    back = f'<p><a href="{base_of(name)}/">Back to the workbench</a></p>'
    return _page(html.escape(name), f"{words}{NEW_PASSWORD}{LOGOUT}{back}")


def message(text: str) -> str:
    """A page with one sentence."""
    return _page("Layerloom", f'<p>{html.escape(text)}</p><p><a href="/">Back</a></p>')


def full(seats: int) -> str:
    """That no workbench can be started now."""
    return message(f"All {seats} seats of this server are taken. Try again in a few minutes.")


def overview(teacher: str, rows: Sequence[AccountRow], rules: ClassRules) -> str:
    """The list of all accounts, with what they use."""
    head = ("Account", "Now", "Training", "Files", "Memory")
    cells = "".join(f"<th scope=col>{each}</th>" for each in head)
    body = "".join(map(_row, rows))
    own = f'<p><a class="button" href="{base_of(teacher)}/">Open my workbench</a></p>'
    words = (
        f"<p>Each account may keep {rules.quota / 1e9:g} GB of files and have {rules.runs} runs "
        "that train or wait. A name opens that account's workbench, as its owner sees it.</p>"
    )
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
    return _page("Class", f"{own}{words}{table}{LOGOUT}", wide=True)


def _row(row: AccountRow) -> str:
    now = "looks at it" if row.watched else "open" if row.memory else ""
    held = f"{row.memory / 1e6:,.0f} MB" if row.memory else ""
    name = html.escape(row.name) + (" (teacher)" if row.teacher else "")
    link = f'<a href="{html.escape(base_of(row.name))}/">{name}</a>'
    training = str(row.training or "")
    cells = link, now, training, f"{row.bytes / 1e6:,.1f} MB", held
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _page(title: str, body: str, wide: bool = False) -> str:
    mark = MARK.read_text("utf-8")
    return FRAME.substitute(title=title, body=body, mark=mark, width="wide" if wide else "narrow")
