"""A text has the same tokens at a server, in V and on an exported page, as in training."""

import json
import subprocess
from importlib.resources import files

import pytest
import torch

from core.data.batches.reading import letter_names
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.export.web.page import RULES
from core.insight.one_sample.custom_input import own_inputs
from core.project.templates import load_template
from core.samples.inputs import read
from core.samples.request_error import RequestError
from core.samples.text_tokens import sent_tokens

NAMES, PROSE = "\0 -ABCDEFGHIJKLMNOPQRSTUVWXYZ", "\n abcdeT."
LONG = "beta and a name that is too long"
CASES = {
    "small letters": (NAMES, 16, "alpha", "ALPHA", 0),
    "too long, with an end": (NAMES, 16, LONG, "BETA AND A NAME ", 0),
    "too long, going on": (PROSE, 4, "Tad\ufeff.\r\nabce", "abce", 1),
    "short, going on": (PROSE, 6, "\ufeffTa\r\nb", "Ta\nb", 1),
    "without a space": ("abc", 5, "CAB", "cab", 0),
    "both cases": (PROSE, 6, "Tab", "Tab", 1),
}
SCRIPT = """
const [rules, cases] = JSON.parse(require("fs").readFileSync(0, "utf8"));
globalThis.RULES = rules;
console.log(JSON.stringify(cases.map(([text, letters, ...rest]) => textTokens(text, [...letters], ...rest))));
"""  # noqa: E501


def asked(alphabet: str, length: int, text: str, **more: object) -> torch.Tensor:
    spec = {"name": "text", "kind": "text", "dtype": "int64", "shape": [length], **more}
    body = json.dumps({"samples": [{"text": text}]}).encode()
    found = read({"inputs": [{**spec, "alphabet": alphabet}]}, "application/json", body, 1)
    assert found.columns[0] is not None
    return found.columns[0][0, : found.text_lengths[0]]


def by_node(cases: list[list[object]]) -> list[dict]:
    text = files("core.export.web").joinpath("cells.js").read_text("utf-8") + SCRIPT
    sent = json.dumps([RULES, cases])
    return json.loads(
        subprocess.run(
            ["node", "-e", text], input=sent, capture_output=True, text=True, check=True
        ).stdout
    )


@pytest.mark.needs("node")
def test_a_server_and_a_page_read_a_text_alike() -> None:
    sent = [[text, alphabet, length] for alphabet, length, text, *_ in CASES.values()]
    for (alphabet, length, text, used, filling), page in zip(
        CASES.values(), by_node(sent), strict=True
    ):
        tokens = [alphabet.index(letter) for letter in used]
        assert asked(alphabet, length, text).tolist() == tokens
        assert page == {
            "written": len(used),
            "tokens": tokens + [filling] * (length - len(used)),
        }
    (strange,) = by_node([["\u00c4lpha", NAMES, 16]])
    assert strange["strange"] == "\u00c4"
    with pytest.raises(RequestError, match="holds '\u00c4', a character that is not in"):
        asked(NAMES, 16, "\u00c4lpha")


@pytest.mark.needs("node")
def test_a_covered_character_stays_covered_in_letters_of_the_other_case() -> None:
    assert asked("abc", 4, "A\u2588C", mark=3).tolist() == [0, 3, 2]
    assert by_node([["A\u2588C", "abc", 4, 3]])[0]["tokens"] == [0, 3, 2, 0]


def test_a_name_that_training_cuts_is_cut_so_at_v_and_at_a_server() -> None:
    """Of ALPHA DASIA PERISPOMENI training keeps 16 characters."""
    subject = subject_of(load_template("rnn_letter_names"))
    assert subject.opened is not None
    dataset = subject.opened.dataset
    assert dataset is not None
    (spec,) = interface_of(subject).json()["inputs"]
    long = "alpha dasia perispomeni"
    trained, _ = letter_names(["greek"], 16, NAMES)
    tokens = [NAMES.index(letter) for letter in "ALPHA DASIA PERI"]
    assert tokens in trained.tolist()
    assert asked(spec["alphabet"], 16, long).tolist() == tokens
    (own,) = own_inputs(dataset, {"text": long})
    assert own.tolist() == [tokens]


VOCABULARY = [
    "<padding>",
    "<unknown>",
    "<separator>",
    "gr\u00fc\u00df",
    "!",
    "\U0001f389",
    "a_1",
    "\u4e2d\u6587",
    "w",
    " ",
]
TYPED = [
    "Gr\u00fc\u00df! \U0001f389 a_1",
    "x <separator> <unknown> w",
    "\u4e2d\u6587\u3000w\x85!\x1cw",
    "W\0w",
    "\ufeffw\r\n!",
    "\u0939\u093f",
    "\u00b2 \u2167 \u0664",
    "\u0130w",
]


@pytest.mark.needs("node")
@pytest.mark.parametrize("cut_by", ["word", "letter"])
def test_a_server_and_a_page_cut_a_text_into_the_same_tokens(cut_by: str) -> None:
    spec = {"name": "text", "vocabulary": VOCABULARY, "cut_by": cut_by, "lower": True}
    text = (
        files("core.export.web").joinpath("cells.js").read_text("utf-8")
        + """
const [spec, typed] = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(typed.map((text) => vocabularyTokens(text, spec, 12).tokens)));
"""
    )
    done = subprocess.run(["node", "-e", text], input=json.dumps([spec, TYPED]),
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert json.loads(done.stdout) == [sent_tokens(spec, typed, 12) for typed in TYPED]
