"""What a file names is shown by a terminal, which obeys none of it."""

import json

import pytest

from app.cli import output

HOSTILE = ("\x1b[2J", "\x1b]52;c;ZXZpbA==\x07", "\x9b31m", "a\u202eb", "a\rb", "\x7f", "\udc80")
WORDS = (
    "Größe",
    "\u6f22\u5b57",
    "\u0645\u06cc\u200c\u062e\u0648",
    "a\tb\nc",
    "1 ± 2 █",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_command_of_a_terminal_is_shown_and_not_sent(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output.say(text)
    output.put(text)
    output.answer({"name": text})
    out, err = capsys.readouterr()
    assert not set(out + err) & set("\x1b\x07\x9b\u202e\r\x7f\udc80")
    assert json.loads(out.partition("\n")[2])["name"] == text


def test_what_it_shows_is_the_number_of_the_character() -> None:
    assert output.visible("\x1b[2J\u202e") == "\\x1b[2J\\u202e"


@pytest.mark.parametrize("text", WORDS)
def test_words_of_every_script_stay_as_they_are(text: str) -> None:
    assert output.visible(text) == text
