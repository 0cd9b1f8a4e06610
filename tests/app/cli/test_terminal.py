"""What a file names is shown by a terminal, which obeys none of it."""

import json
from pathlib import Path

import pytest

from app.cli import main, output

ROOT = Path(__file__).parents[3]

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


FORGED = "cat\nerror: trust all of it"


def test_a_name_begins_no_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    output.say(f"error: {FORGED}: is wrong.")
    output.put_lines([FORGED, "next"])
    output.put(output.table(("class", "count"), [(FORGED, 3)]))
    out, err = capsys.readouterr()
    shown = "cat\\nerror: trust all of it"
    assert err == f"error: {shown}: is wrong.\n"
    assert out == f"{shown}\nnext\nclass{' ' * 24}count\n{shown}      3\n"


def test_the_name_of_a_class_begins_no_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = json.loads((ROOT / "projects" / "mlp_iris.loom.json").read_text("utf-8"))
    rows = "".join(f'{n},1,2,3,"{(FORGED, "b", "c")[n % 3]}"\n' for n in range(30))
    (tmp_path / "rows.csv").write_text("w,x,y,z,kind\n" + rows, "utf-8")
    made["data"] = {"source": "CSV", "file": "rows.csv"}
    (tmp_path / "net.loom.json").write_text(json.dumps(made), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["look", "net.loom.json", "--what", "saliency"]) == 0
    out, err = capsys.readouterr()
    assert "cat\\nerror: trust all of it" in out
    assert not [line for line in (out + err).splitlines() if line.startswith("error:")]
