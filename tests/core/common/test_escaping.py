"""Text of strangers is text in every language that it is written in, and nothing else."""

import json

import pytest
from google.protobuf import text_format
from google.protobuf.struct_pb2 import Value
from markdown_it import MarkdownIt

from core.common.escaping import (
    c_string,
    json_visible,
    markdown,
    markdown_block,
    markdown_code,
    one_line,
    spreadsheet,
    visible,
)
from tests.hostile_names import HOSTILE, commanding

PARSER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")


def shape(text: str) -> list[str]:
    """What a text of Markdown is made of: no kind of words, breaks or escapes."""
    tokens = PARSER.parse(text)
    inner = [each for token in tokens for each in token.children or ()]
    return [t.type for t in (*tokens, *inner) if t.type not in ("text", "text_special", "inline")]


def words(text: str) -> str:
    inner = [each for token in PARSER.parse(text) for each in token.children or ()]
    return "".join(each.content for each in inner)


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_shows_a_name_and_does_nothing(name: str) -> None:
    for text in (f"- {markdown(name)} and", f"# {markdown(name)}", f"a {markdown(name)} b"):
        head, _, tail = text.partition(markdown(name) or " ")
        assert shape(text) == shape(f"{head}word{tail}") or not name.strip(), text
        assert not commanding(text)
    plainly = " ".join(visible(" ".join(name.split())).split())
    if plainly and len(plainly) < 300:
        assert words(f"a {markdown(name)} b") == f"a {plainly} b"


@pytest.mark.parametrize("name", HOSTILE)
def test_code_in_markdown_ends_where_it_should(name: str) -> None:
    text = f"- Input {markdown_code(name)}: float32"
    assert shape(text) == shape("- Input `word`: float32")
    block = f"before\n\n{markdown_block(name)}\n\nafter"
    assert shape(block) == [
        "paragraph_open",
        "paragraph_close",
        "fence",
        "paragraph_open",
        "paragraph_close",
    ]
    assert not commanding(text + block)


@pytest.mark.parametrize("name", HOSTILE)
def test_lines_strings_and_json_hold_a_name(name: str) -> None:
    line = one_line(name)
    assert len(f"{line}\n".splitlines()) == 1
    assert not commanding(line + visible(name))
    read = text_format.Parse(f"string_value: {c_string(name)}", Value())
    assert read.string_value == name.encode("utf-8", "replace").decode()
    document = json_visible(json.dumps({name: name}, ensure_ascii=False))
    assert not commanding(document)
    assert json.loads(document) == {name: name}


@pytest.mark.parametrize("text", ["=1+1", " \t=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1", "%0A=1"])
def test_a_cell_of_a_spreadsheet_is_no_formula(text: str) -> None:
    assert spreadsheet(text) == f"'{one_line(text)}"


def test_a_cell_that_is_no_formula_stays_and_commands_nothing() -> None:
    assert spreadsheet("Ada = 1") == "Ada = 1"
    assert spreadsheet("") == ""
    assert spreadsheet("\x1b[2Ja\nb") == "\\x1b[2Ja b"
