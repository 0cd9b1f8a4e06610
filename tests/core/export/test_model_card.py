"""The model card writes what a file names as words: no link, picture, HTML, heading or table."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.common.escaping import markdown
from core.export import model_card
from core.export.subject import subject_of
from core.project.templates import load_template

CLASS = "![m](http://trap/k)</script><!--"
NAME = "<img src=x onerror=alert(1)>"
SHOWN_CLASS = r"\!\[m\](http:&#47;/trap/k)&lt;/script&gt;&lt;\!--"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (CLASS, SHOWN_CLASS),
        (NAME, "&lt;img src=x onerror=alert(1)&gt;"),
        ("# a\n| b | c |", r"\# a \| b \| c \|"),
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("www.trap.org `a` $b$", r"www&#46;trap.org \`a\` \$b\$"),
        ("&lt;b", "&amp;lt;b"),
        ("a" * 400, "a" * 299 + "…"),
    ],
)
def test_a_text_of_a_file_is_words(text: str, shown: str) -> None:
    assert markdown(text) == shown


def test_the_card_of_a_hostile_table_holds_words_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"{n},1,2,3,{(CLASS, 'b', 'c')[n % 3]}\n" for n in range(30))
    (tmp_path / "rows.csv").write_text("w,x,y,z,kind\n" + rows, "utf-8")
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    own = {"source": "CSV", "file": "rows.csv"}
    project = replace(load_template("mlp_iris"), name=NAME, data=own)
    card = bytes(model_card.make_card(subject_of(project)).content).decode()
    assert card.startswith("# &lt;img src=x onerror=alert(1)&gt;\n")
    assert f"a score for each of {SHOWN_CLASS}, b, c." in card
    for hostile in ("<img", "![m]", "</script", "<!--", "http://trap"):
        assert hostile not in card
