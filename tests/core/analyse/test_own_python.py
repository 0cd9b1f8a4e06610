"""A project's own Python waits for trust, is checked as any block, and says where it fails."""

from pathlib import Path

import pytest

from core.analyse import analyse
from core.files import trust
from tests.core.analyse.own_blocks import HEAD, drawn, error_messages, forward

pytestmark = pytest.mark.usefixtures("own_home")


def test_a_text_that_nobody_trusted_does_not_run_and_what_follows_waits(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"{HEAD}    open({str(mark)!r}, 'w')\n\n    def forward(self, x: Tensor) -> Tensor:\n"
    text += "        return x"
    report = analyse(drawn(text))
    assert not mark.exists()
    assert report.source is None
    assert {name: node.state for name, node in report.nodes.items()} == {
        "image": "ok",
        "mine": "error",
        "out0": "waiting",
    }
    (error,) = report.errors
    assert (error.node, error.code) == ("mine", "untrusted")
    assert (
        error.message == "mine is a Mine, which contains Python code that you have not trusted yet."
    )
    assert error.hint == ("Read and trust it on the Build page, or with: layerloom trust FILE.")
    trust.trust(text, "Mine")
    assert analyse(drawn(text)).ok
    assert mark.exists()


def test_another_character_or_a_change_of_mind_asks_again() -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    assert analyse(drawn(text)).ok
    assert [e.code for e in analyse(drawn(text + " ")).errors] == ["untrusted"]
    trust.forget(text)
    assert [e.code for e in analyse(drawn(text)).errors] == ["untrusted"]


def test_a_damaged_list_is_named_where_trust_is_missing(own_home: Path) -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    (own_home / "trusted.json").write_text("{")
    (error,) = analyse(drawn(text)).errors
    assert error.code == "untrusted"
    assert "Python blocks do not run: " in error.hint


def test_a_text_that_is_no_block_is_refused_with_its_line_before_trust_is_asked() -> None:
    (error,) = analyse(drawn(f"{HEAD}    pass")).errors
    assert error.code == "bad_python"
    assert error.message == (
        "mine is a Mine, whose Python has an error: Line 1 needs a method forward(self, x: Tensor)."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            forward("return x @ torch.ones(3, 2)"),
            "mine is a Mine that fails in line 3 of its code (return x @ torch.ones(3, 2)): ",
        ),
        (
            forward("raise SystemExit('no')"),
            "mine is a Mine that fails in line 3 of its code (raise SystemExit('no')): "
            "SystemExit: no",
        ),
        (
            forward("return numpy.zeros(3)"),
            "mine is a Mine that fails in line 3 of its code (return numpy.zeros(3)): "
            "NameError: name 'numpy' is not defined",
        ),
        (
            f"{HEAD}    table = {{}}['a']\n\n    def forward(self, x: Tensor): return x",
            "mine is a Mine that fails in line 2 of its code (table = {}['a']): KeyError: 'a'",
        ),
        (
            f"{HEAD}    def __init__(self):\n        self.fc = nn.Linear(1, 1)\n\n"
            "    def forward(self, x: Tensor): return x",
            "mine is a Mine that fails in line 3 of its code (self.fc = nn.Linear(1, 1)): "
            "AttributeError: cannot assign module before Module.__init__() call",
        ),
        (
            forward("return {'a': x}"),
            "mine is a Mine whose forward is declared to return one Tensor but returns "
            "something else.",
        ),
        (
            forward("return x, x"),
            "mine is a Mine whose forward is declared to return one Tensor but returns 2 values.",
        ),
        (
            forward("return 3"),
            "mine is a Mine whose forward is declared to return one Tensor but returns "
            "something else.",
        ),
    ],
)
def test_what_the_class_raises_is_shown_with_its_line(text: str, message: str) -> None:
    (found,) = error_messages(text)
    assert found.startswith(message), found


def test_more_outputs_than_annotated_are_an_error() -> None:
    text = forward("return x, x, x", "tuple[Tensor, Tensor]")
    assert error_messages(text, outs=2) == [
        "mine is a Mine whose forward is declared to return a tuple of 2 Tensors but returns 3 "
        "values."
    ]
    assert error_messages(forward("return x, x", "tuple[Tensor, Tensor]"), outs=2) == []


def test_its_settings_are_checked_before_it_runs() -> None:
    text = f"{HEAD}    def __init__(self, n: int, k: float = 1.0):\n        super().__init__()\n\n"
    text += "    def forward(self, x: Tensor): return x"
    assert error_messages(text) == ["mine needs n but has none."]
    assert error_messages(text, {"n": 3, "m": 4}) == [
        "mine has a setting 'm' that Mine does not know."
    ]
    assert error_messages(text, {"n": "3"}) == [  # type: ignore[dict-item]
        "mine needs n to be a whole number but receives '3'."
    ]


def test_what_it_prints_is_no_part_of_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert error_messages(forward("print('hello'); return x")) == []
    out, err = capsys.readouterr()
    assert (out, "hello" in err) == ("", True)


def test_a_fault_from_outside_may_be_mended(tmp_path: Path) -> None:
    text = forward(f"open({str(tmp_path / 'table')!r}).close(); return x")
    assert "FileNotFoundError" in error_messages(text)[0]
    (tmp_path / "table").touch()
    assert error_messages(text) == []
