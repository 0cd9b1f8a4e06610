"""The exported page reads numbers and lines of a file as a server does: by Node, the same cases."""

import json
import subprocess
from importlib.resources import files
from itertools import product

import pytest

from core.samples.number_spelling import LARGEST_NUMBER
from core.samples.request_error import RequestError
from core.samples.sent_rows import cell_value, rows_of
from tests.core.data.table_spellings import SPELLINGS

SPELLED = [
    {},
    {"decimal": ","},
    {"decimal": ",", "thousands": "."},
    {"thousands": ","},
    {"thousands": "'"},
    {"decimal": ",", "thousands": "\u202f"},
    {"symbol": "$", "minus": "-$"},
    {"decimal": ",", "symbol": "\u20ac", "thousands": "."},
    {"symbol": "%"},
    {"minus": "\u2212"},
    {"minus": "()", "symbol": "$", "thousands": ","},
    {"minus": "5-", "decimal": ","},
    {"decimal": ",", "symbol": "\u20ac"},
]
TEXTS = [
    "17", "-3", "+4", "1.5", "1,5", "1.005", "1,005", "1.887,50", "1,887.50", "1'005",
    "2\u202f200,5", "$5.50", "-$5.50", "5,50 \u20ac", "900 \u20ac", "12 %", "12%", "\u22127.5",
    "(7.5)", "($1,005.50)", "7,5-", "1,00,000", "12,34,567", "1,0,0", "\uff11\uff12", "\u0663",
    "1e3", "1E-2", ".5", ",5", "5.", "5,", "1e39", "-1e39", "", "-", ".", "much", "1 000",
    "1_000", "nan", "inf", " 8 ", "0x10", "1.2.3", "--5", "$",
    "5,-", "1.234,\u2013", "5.--", "\u20ac 5,-", "5,- \u20ac", "5,---", "-5.-", ",-",
]  # fmt: skip
NUMBERS = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([field, text]) => numberOf(text, field))));
"""
LINES = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([spec, text]) => lineCells(text, spec))));
"""
FILE = {"columns": ["id", "city", "income", "buys"], "targets": ["buys"]}
FIELDS = [{"name": "city", "words": ["Bonn", "a, b", 'the "old"'], "places": [0, 1, 2]}]
FIELDS += [{"name": "income", "places": [3]}]


def by_node(code: str, cases: object) -> list[object]:
    text = files("core.export.web").joinpath("cells.js").read_text("utf-8") + code
    done = subprocess.run(
        ["node", "-e", text], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.needs("node")
def test_the_page_reads_numbers_as_a_server_does() -> None:
    cases = list(product(SPELLED, TEXTS))
    for (field, text), found in zip(cases, by_node(NUMBERS, cases), strict=True):
        expected = cell_value(field, text)
        if not isinstance(expected, float) or not abs(expected) <= LARGEST_NUMBER:
            expected = None
        assert found == expected, (field, text)


@pytest.mark.needs("node")
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_page_reads_a_line_of_the_file_as_a_server_does(separator: str) -> None:
    spec = {"name": "row", "fields": FIELDS, "table": {**FILE, "separator": separator}}
    said = {",": '"a, b"', ";": "a, b", "\t": "a, b", "|": "a, b"}[separator]
    texts = [
        f"7,{said},17,no",
        f"7,{said},17",
        "Bonn,17",
        "\ufeffincome,city\r\n17,Bonn\r\n",
        '7,"the ""old""",17,no',
        "id,city,income\n\n8,Bonn,3\n",
        "INCOME,City\n17,Bonn\n",
        "CITY,City,income\nBonn,Bonn,17\n",
        "17",
        "city,income",
        "a, b;17",
        "7;a, b;17;no",
        "",
        ",,,",
    ]
    sent = [text.replace(", ", "~").replace(",", separator).replace("~", ", ") for text in texts]
    for text, found in zip(sent, by_node(LINES, [[spec, t] for t in sent]), strict=True):
        try:
            (row, *_) = rows_of(spec, "", text.encode(), 2)
            expected = [row["city"], row["income"]]
        except (RequestError, ValueError):
            expected = None
        assert _numbers(found) == expected, text


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", ["decimal commas", "currency", "a typeset minus", "wide digits"])
def test_the_page_reads_the_cells_of_tables_that_people_save(name: str) -> None:
    text = SPELLINGS[name].content.decode()
    spelled = {
        "decimal commas": {"decimal": ","},
        "currency": {},
        "a typeset minus": {"minus": "\u2212"},
        "wide digits": {},
    }[name]
    lines = [line.replace(";", ",", 1) for line in text.splitlines()[1:]]
    cells = [line.rpartition(",")[0] for line in lines]
    found = by_node(NUMBERS, [[spelled, cell] for cell in cells])
    assert found == [row[0] for row in SPELLINGS[name].inputs]


def _numbers(found: object) -> object:
    """A line as Python has it: its last cell is a number."""
    return [found[0], float(found[1])] if isinstance(found, list) else found
