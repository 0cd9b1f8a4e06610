"""Accounts: what is kept of a password, and what is refused."""

import hashlib
import json
from pathlib import Path

import pytest

from core.common.errors import ProjectError
from core.wings.class_server import roster


def test_nothing_of_a_password_is_kept_but_scrypt_with_its_salt(tmp_path: Path) -> None:
    password = roster.add(tmp_path / "c", ["ann"])["ann"]
    file = tmp_path / "c" / roster.FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert password not in file.read_text()
    salt, kept = json.loads(file.read_text())["accounts"]["ann"]["password"].split(":")
    again = hashlib.scrypt(password.encode(), salt=bytes.fromhex(salt), n=16384, r=8, p=1)
    assert again.hex() == kept


def test_an_account_is_found_by_its_password_alone(tmp_path: Path) -> None:
    made = roster.add(tmp_path, ["ann", "ben"])
    read = roster.read_roster(tmp_path)
    found = roster.find(read, "ann", made["ann"])
    assert found == read.accounts["ann"]
    assert roster.find(read, "ann", made["ben"]) is None
    assert roster.find(read, "eve", made["ann"]) is None
    assert roster.find(read, "eve", "") is None


@pytest.mark.parametrize("name", ["", "Ann", "-a", "a/b", "..", "a b", "a" * 33, "ä", "a\n"])
def test_a_name_that_cannot_stand_in_an_address_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="cannot be an account's name"):
        roster.add(tmp_path, [name])
    assert not (tmp_path / roster.FILE).exists()


def test_an_account_is_made_once_and_ends_once(tmp_path: Path) -> None:
    roster.add(tmp_path, ["ann"])
    with pytest.raises(ProjectError, match="has an account called ann already"):
        roster.add(tmp_path, ["ben", "ann"])
    assert [*roster.read_roster(tmp_path).accounts] == ["ann"]
    roster.remove(tmp_path, "ann")
    with pytest.raises(ProjectError, match=r"has no account called 'ann'\. Accounts are: none"):
        roster.remove(tmp_path, "ann")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": "x"}', '{"accounts": {"ann": 1}}'])
def test_a_damaged_file_is_named_and_stays(text: str, tmp_path: Path) -> None:
    (tmp_path / roster.FILE).write_text(text)
    with pytest.raises(ProjectError, match="is damaged"):
        roster.add(tmp_path, ["ann"])
    assert (tmp_path / roster.FILE).read_text() == text


def test_a_folder_without_accounts_is_no_class(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="is not the folder of a class"):
        roster.read_roster(tmp_path)
