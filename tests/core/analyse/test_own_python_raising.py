"""Whatever a project's own class raises is told as its error: nothing of it ends the program."""

import pytest

from core.analyse.custom_class import CustomClassError, custom_class, raising_custom_errors
from core.files import trust
from tests.core.analyse.own_blocks import HEAD, error_messages, forward

FAILS = "mine is a Mine that fails in line 3 of its code "
UNSAYABLE = """\
        class Odd(BaseException):
            def __str__(self):
                raise GeneratorExit

        raise Odd
"""


pytestmark = pytest.mark.usefixtures("own_home")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("raise GeneratorExit", "GeneratorExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise type('Odd', (BaseException,), {})('no')", "Odd: no"),
        (r"raise ValueError('half \ud800')", r"ValueError: half \ud800"),
    ],
)
def test_it_may_raise_anything(statement: str, words: str) -> None:
    assert error_messages(forward(statement)) == [f"{FAILS}({statement}): {words}"]


def test_an_error_without_a_text_is_named_by_its_type() -> None:
    text = f"{HEAD}    def forward(self, x: Tensor) -> Tensor:\n{UNSAYABLE.rstrip()}"
    (found,) = error_messages(text)
    words = "Odd: its message cannot be shown, as that raises GeneratorExit"
    assert found == f"mine is a Mine that fails in line 7 of its code (raise Odd): {words}"


def test_the_user_s_own_interruption_goes_on() -> None:
    text = forward("raise KeyboardInterrupt")
    trust.trust(text, "Mine")
    mine = custom_class(text)["Mine"]()
    with pytest.raises(CustomClassError, match="KeyboardInterrupt"), raising_custom_errors(text):
        mine(1)
    with pytest.raises(KeyboardInterrupt), raising_custom_errors(text):
        raise KeyboardInterrupt
