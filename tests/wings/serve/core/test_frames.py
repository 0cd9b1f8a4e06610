"""What the process that reads for a server may tell it: JSON and bytes of bounded size."""

import io

import numpy as np
import pytest

from core.samples.inputs import SentRequest
from core.wings.serve.frames import get, put, request_of, said_of


def test_a_request_comes_back_as_it_was_told() -> None:
    picture, tokens = np.ones((2, 1, 3), np.float32), np.array([[1, 2], [3, 4]])
    given = SentRequest((picture, None, tokens, np.array([True, False])), (3, 4), True, False)
    line = io.BytesIO()
    put(line, *said_of(given))
    put(line, "next", [b""])
    line.seek(0)
    found = request_of(*get(line, 1000))
    assert found.columns[1] is None
    for column, same in zip(found.columns, given.columns, strict=True):
        assert column is same or (column == same).all()
        assert column is same or (column.dtype == same.dtype and column.flags.writeable)
    assert (found.text_lengths, found.raw, found.as_is) == ((3, 4), True, False)
    assert get(line, 1000) == ("next", [b""])
    with pytest.raises(EOFError):
        get(line, 1000)


@pytest.mark.parametrize(
    ("told", "error"),
    [
        (b'["much", [600, 500]]\n', ValueError),
        (b"[" + b" " * 2000 + b"]\n", ValueError),
        (b'["half", [10]]\nabc', EOFError),
        (b"\x80\x04\x8c\x08builtins\x93.", ValueError),
    ],
)
def test_a_frame_that_is_too_large_or_half_or_none_is_refused(
    told: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error):
        get(io.BytesIO(told), 1000)


def test_no_array_of_objects_is_made() -> None:
    said = {"columns": [["object", [1]]], "text_lengths": [0], "raw": False, "as_is": False}
    with pytest.raises(ValueError, match="OBJECT"):
        request_of(said, [bytearray(8)])
