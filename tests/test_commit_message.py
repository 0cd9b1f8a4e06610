"""The hook that reads the message of a commit, in a repository of its own."""

import subprocess
from pathlib import Path

import pytest

HOOK = Path(__file__).resolve().parents[1] / ".ci" / "hooks" / "commit-msg"
LONG = "\n".join(map(str, range(301)))


def refused(folder: Path, message: str, text: str = "") -> str:
    """What the hook says of a message to a commit that adds this text; nothing where it passes."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "text").write_text(text, "utf-8")
    (folder / "message").write_text(message, "utf-8")
    subprocess.run(["git", "add", "text"], cwd=folder, check=True)
    done = subprocess.run(
        [HOOK, "message"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr.strip()


@pytest.mark.parametrize("message", ["Say it\n", f"{'a' * 72}\n", f"Merge {'a' * 90}\n"])
def test_a_short_change_needs_a_subject(message: str, tmp_path: Path) -> None:
    assert refused(tmp_path, message, "one\n") == ""


def test_a_subject_is_short_and_no_sentence(tmp_path: Path) -> None:
    assert refused(tmp_path, "a" * 73) == "The subject has 73 characters; 72 are the most."
    assert refused(tmp_path, "Say it.\n") == "The subject ends with a full stop."


def test_a_large_change_needs_a_body(tmp_path: Path) -> None:
    words = "301 lines change: state why below the subject, after an empty line."
    assert refused(tmp_path, "Say it\n\n# a comment\n", LONG) == words
    assert refused(tmp_path, "Say it\n\nAs it was long.\n", LONG) == ""
