"""The accounts of a class: a name, a hash of a password, and who teaches.

They are in `class.json` of the class's folder, which nobody but its owner may read. A password is
kept as scrypt of it (RFC 7914), with a salt of its own.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError
from core.files.folder import locked, write_bytes
from core.files.home import private_folder
from core.files.safe_path import read_file

FILE, SCHEMA = "class.json", 1
WORK, STATE, QUEUE, PROGRESS = "work", "state", "queue", "progress"
"""Folders of a class: what each account saves, its settings and drafts, the shared queue, and who
has done which lesson."""
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""Names stand in addresses and in paths."""
COST = {"n": 1 << 14, "r": 8, "p": 1}
"""Of scrypt: 16 MB and some 50 ms for each attempt, as OWASP's cheat sheet has it at least."""
SHORTEST, LONGEST = 8, 256
"""Characters of a password that somebody chooses, as NIST SP 800-63B has it at least."""
PASSWORD_BYTES = 9
"""Of a password that is made here: 72 bits, 12 letters."""


@dataclass(frozen=True)
class Account:
    """An account. password: salt and hash, as hexadecimal digits, with a colon between."""

    name: str
    password: str
    teacher: bool = False

    @property
    def mark(self) -> str:
        """Changes with the password, so that a login does not outlive it."""
        return hashlib.sha256(self.password.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Roster:
    """All accounts by name, and the key that logins are signed with."""

    accounts: Mapping[str, Account]
    key: str


def read_roster(folder: Path) -> Roster:
    """Read the accounts of a class. Raises ProjectError where there are none."""
    file = folder / FILE
    try:
        record: Any = json.loads(read_file(file))
        accounts = [
            Account(_checked(name), str(each["password"]), each["teacher"] is True)
            for name, each in record["accounts"].items()
        ]
        return Roster({each.name: each for each in accounts}, str(record["key"]))
    except FileNotFoundError as error:
        hint = f"layerloom class add {folder} ann makes one, with an account for ann."
        raise ProjectError(str(folder), "is not the folder of a class.", hint) from error
    except OSError as error:
        raise ProjectError(str(file), f"cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProjectError(str(file), "is damaged.", "Restore it from a copy.") from error


def add(folder: Path, names: list[str], teacher: bool = False) -> dict[str, str]:
    """Make accounts, and return their passwords, which are kept nowhere. Raises ProjectError."""
    new = {_checked(name): secrets.token_urlsafe(PASSWORD_BYTES) for name in names}
    with _changing(folder, must_exist=False) as accounts:
        if taken := sorted(accounts.keys() & new):
            hint = "layerloom class password gives it a new password."
            raise ProjectError(str(folder), f"has an account called {taken[0]} already.", hint)
        accounts |= {name: Account(name, hashed(text), teacher) for name, text in new.items()}
    return new


def renew(folder: Path, name: str) -> str:
    """Give an account a new password, and return it. Raises ProjectError."""
    new = secrets.token_urlsafe(PASSWORD_BYTES)
    with _changing(folder) as accounts:
        old = _existing(folder, accounts, name)
        accounts[name] = Account(name, hashed(new), old.teacher)
    return new


def change(folder: Path, name: str, old: str, new: str) -> None:
    """Give an account the password that its owner chose. Raises ProjectError."""
    if not SHORTEST <= len(new) <= LONGEST:
        words = f"A password has {SHORTEST} to {LONGEST} characters; this one has {len(new)}."
        raise ProjectError("", words)
    with _changing(folder) as accounts:
        if find(Roster(accounts, ""), name, old) is None:
            raise ProjectError("", "The old password is not right.")
        accounts[name] = Account(name, hashed(new), accounts[name].teacher)


def remove(folder: Path, name: str) -> None:
    """End an account; the files of its owner stay. Raises ProjectError."""
    with _changing(folder) as accounts:
        _existing(folder, accounts, name)
        del accounts[name]


def hashed(password: str, salt: bytes | None = None) -> str:
    """Salt and hash of a password."""
    salt = secrets.token_bytes(16) if salt is None else salt
    return f"{salt.hex()}:{hashlib.scrypt(password.encode(), salt=salt, **COST).hex()}"


def find(roster: Roster, name: str, password: str) -> Account | None:
    """The account of a name with this password; a name that nobody has takes as long."""
    account = roster.accounts.get(name)
    kept = account.password if account else hashed("", b"nobody")
    salt = bytes.fromhex(kept.partition(":")[0])
    right = hmac.compare_digest(hashed(password, salt), kept)
    return account if account and right else None


def _checked(name: str) -> str:
    if NAME.fullmatch(name):
        return name
    hint = "Use small letters, digits and hyphens, at most 32, such as ann or group-3."
    raise ProjectError("name", f"{name!r} cannot be an account's name.", hint)


def _existing(folder: Path, accounts: Mapping[str, Account], name: str) -> Account:
    if name in accounts:
        return accounts[name]
    known = ", ".join(sorted(accounts)) or "none"
    raise ProjectError(str(folder), f"has no account called {name!r}.", f"Accounts are: {known}.")


@contextmanager
def _changing(folder: Path, must_exist: bool = True) -> Iterator[dict[str, Account]]:
    """Change the accounts while nobody else does. Raises ProjectError."""
    file = folder / FILE
    if must_exist:
        read_roster(folder)  # says what is wrong before anything is made
    try:
        with locked(private_folder(folder) / FILE):
            exists = file.exists()
            old = read_roster(folder) if exists else Roster({}, secrets.token_urlsafe(32))
            accounts = dict(old.accounts)
            yield accounts
            write_bytes(file, _text(Roster(accounts, old.key)), private=True)
    except OSError as error:
        raise ProjectError(str(folder), f"cannot be written: {error.strerror}.") from error


def _text(roster: Roster) -> bytes:
    accounts = {
        each.name: {"password": each.password, "teacher": each.teacher}
        for each in roster.accounts.values()
    }
    record = {"schema": SCHEMA, "key": roster.key, "accounts": accounts}
    return json.dumps(record, indent=1).encode()
