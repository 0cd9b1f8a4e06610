"""The last rows of a series, at the server and in the exported page, are the window of a run."""

import json
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from blocks import Signature
from blocks.signature import N
from core.data import load
from core.data.facts.metadata import read_own
from core.export.interface import Interface, window_info
from core.samples.inputs import read
from core.samples.request_error import RequestError
from core.samples.sent_windows import read_window, rows_of_window
from tests.core.data.series_files import WORN, worn_rides, write_rides

SPEC: dict[str, Any] = {
    "name": "window", "kind": "window", "dtype": "float32", "shape": [3, 2], "read": [3, 2],
    "fields": [{"name": "warm", "places": [0], "decimal": ",", "missing": ["", "NA"]},
               {"name": "count", "places": [1], "decimal": ","}],
    "order": {"name": "day", "date": "%d.%m.%Y"},
    "table": {"columns": ["day", "warm", "count", "sky"], "separator": ";",
              "left_out": ["sum, 9"]},
}  # fmt: skip
WHOLE = "day;warm;count;sky\n04.01.2024;4,5;40;x\n02.01.2024;;20;x\n03.01.2024;NA;30;x\n" \
    "01.01.2024;1,5;10;x\n02.01.2024;2,5;21;x\n;7;7;x\nsum;9\n"  # fmt: skip
LAST = [2.5, 21.0, 2.5, 30.0, 4.5, 40.0]
SENT = {
    "the latest first, a day twice, a value that is missing": WHOLE,
    "without a header": WHOLE.partition("\n")[2],
    "other separators, capitals and more columns": "extra,Warm,DAY,count\n0,2.5,02.01.2024,21\n"
    '0,,03.01.2024,30\n0,"4,5",04.01.2024,40\n',
    "without dates": "warm;count\n9;9\n2,5;21\n;30\n4,5;40\n",
    "the inputs alone": "9;9\n2,5;21\n;30\n4,5;40\n",
}
REFUSED = {
    "few": ("warm;count\n1;2\n", "window needs 3 rows but receives 1."),
    "gone": ("warm;count\n;2\n;3\n4;5\n",
             "window needs 3 rows but receives 1 with a value in each column, of 3."),
    "other columns": ("a;b;c;d;e\n1;2;3;4;5\n", "window has no column 'warm'."),
    "a word": ("warm;count\n1;2\n2;wet\n3;4\n4;5\n",
               "window needs a number for count but receives 'wet'."),
    "a date": ("day;warm;count\n2024-01-01;1;2\n2024-01-02;1;2\n2024-01-03;1;2\n",
               "window needs a date for day, written as 31.12.1999, but receives '2024-01-01'."),
}  # fmt: skip
CODE = """
const [spec, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
function tried(text) {
  try { return windowNumbers(text, spec); } catch (error) { return error.message; }
}
console.log(JSON.stringify(texts.map(tried)));
"""


def sent(text: str) -> np.ndarray:
    return read_window(SPEC, rows_of_window(SPEC, "text/csv", text.encode()))


@pytest.mark.parametrize("name", SENT)
def test_a_file_is_read_to_its_last_rows(name: str) -> None:
    assert sent(SENT[name]).flatten().tolist() == LAST


@pytest.mark.parametrize("name", REFUSED)
def test_rows_that_do_not_suit_are_refused_in_a_sentence(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(RequestError) as error:
        sent(text)
    assert error.value.message == message


def test_rows_of_json_go_by_their_names_or_their_order() -> None:
    rows = [{"day": f"0{i}.01.2024", "warm": i, "count": 10 * i} for i in (3, 1, 2, 4)]
    assert read_window(SPEC, rows).tolist() == [[2, 20], [3, 30], [4, 40]]
    listed = [[1, 10], [2, None], [3, 30], [4, 40]]
    assert read_window(SPEC, listed).tolist() == [[2, 10], [3, 30], [4, 40]]
    with pytest.raises(RequestError, match="Row 2 of window has 1 values but needs 2"):
        read_window(SPEC, [[1, 2], [3], [4, 5]])


def test_the_last_rows_of_the_training_file_are_its_last_window(workspace: Path) -> None:
    write_rides(workspace)
    read_own(WORN)
    data = load(WORN, (7, 2), (1,))
    window = window_info(data, data.info.feeds[0], Signature((N, 7, 2), "float32"))
    interface = Interface((window,), ()).json()
    lines = worn_rides().splitlines()
    body = "\n".join([lines[0], *lines[2:]]).encode()  # without the latest day, which is a target
    (column,) = read(interface, "text/csv", body, 1).columns
    assert column is not None
    assert torch.allclose(column, data.inputs[-1:], atol=1e-6)


@pytest.mark.needs("node")
def test_the_page_reads_a_file_as_the_server_does() -> None:
    parts = ("png.js", "pictures.js", "dates.js", "cells.js", "windows.js")
    folder = files("core.export.web")
    text = "\n".join(folder.joinpath(part).read_text("utf-8") for part in parts) + CODE
    cases = [*SENT.values(), *(text for text, _ in REFUSED.values())]
    done = subprocess.run(["node", "-e", text], input=json.dumps([SPEC, cases]),
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert json.loads(done.stdout) == [
        *([LAST] * len(SENT)),
        "the network needs 3 rows, but there are 1.",
        "the network needs 3 rows, but there are 1.",
        "the columns warm, count are needed.",
        'count is "wet", not a number.',
        'day is "2024-01-01", which is not written as in training.',
    ]
