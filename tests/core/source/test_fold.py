"""Texts with what is known folded in: branches go, loops are unrolled, comments stay."""

import pytest

from core.source.fold import FoldedNames, FoldError, fold

TEXT = """\
    for number, (BATCH) in enumerate(loader):
        if NOISE > 0 and SCRIPT:
            x = x + NOISE * torch.randn_like(x)  # anew each time
        PREPARE
        (loss if MANY == 1 else loss / MANY).backward()
        if MANY == 1 or number % MANY == 0:
            for optimizer in optimizers:
                optimizer.step()
        else:  # not yet
            pass
"""


def folded(batch: str = "x, y", lines: tuple[str, ...] = (), each: bool = False, **values):
    known = FoldedNames(
        {"SCRIPT": True, "MANY": 1, "NOISE": 0} | values,
        {"BATCH": batch, "PREPARE": lines},
        {"optimizers": ({},)} if each else {},
    )
    return "\n".join(fold(TEXT, known))


def test_what_is_never_taken_goes_and_what_is_always_taken_stands_alone() -> None:
    assert folded(each=True) == ("for x, y in loader:\n    loss.backward()\n    optimizer.step()")


def test_a_condition_keeps_what_only_a_run_can_tell_and_comments_stay() -> None:
    assert folded(NOISE=0.5, MANY=4, lines=("y = 2 * y",)) == (
        "for number, (x, y) in enumerate(loader):\n"
        "    x = x + 0.5 * torch.randn_like(x)  # anew each time\n"
        "    y = 2 * y\n"
        "    (loss / 4).backward()\n"
        "    if number % 4 == 0:\n"
        "        for optimizer in optimizers:\n"
        "            optimizer.step()\n"
        "    else:  # not yet\n"
        "        pass"
    )


def test_a_batch_of_one_column_stays_a_tuple() -> None:
    assert folded("x,").startswith("for (x,) in loader:\n")


def test_a_loop_over_what_is_known_is_written_out() -> None:
    rounds = ({"ONE": "a", "OWN": ("first()",)}, {"ONE": "b", "OWN": ()})
    text = "for ONE in LOSSES:\n    OWN\n    ONE.backward()\n"
    assert fold(text, FoldedNames({}, {}, {"LOSSES": rounds})) == [
        "first()",
        "a.backward()",
        "b.backward()",
    ]


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(FoldError, match=r"MANY is not known: x = MANY"):
        fold("x = MANY", FoldedNames({}, {}, {}))
