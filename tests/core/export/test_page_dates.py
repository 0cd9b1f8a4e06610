"""The exported page reads a date as training does: the page's script by Node, the same cases."""

import datetime
import json
import subprocess
from importlib.resources import files

import pytest

from core.samples.date_parts import date_parts, date_text

PARTS = ("days", "year", "month", "day", "weekday", "hour")
GERMAN = "{Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember}"
FRENCH = "{janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc}"
CASES = [
    ("1. Januar 2023", f"%d. {GERMAN} %Y"),
    ("29. FEBRUAR 2024 18:30", f"%d. {GERMAN} %Y %H:%M"),
    ("März 2023", f"{GERMAN} %Y"),
    ("1er juil. 2023", f"%d {FRENCH} %Y"),
    ("3-mai-68", f"%d-{FRENCH}-%y"),
    ("3 june 2023", f"%d {FRENCH} %Y"),
    ("29. Februar 2023", f"%d. {GERMAN} %Y"),
    ("2023年10月19日", "%Y年%m月%d日"),
    ("2023-10-19", "%Y-%m-%d"),
    ("29.02.2024 18:30", "%d.%m.%Y %H:%M"),
    ("5/3/68", "%m/%d/%y"),
    ("5/3/69", "%m/%d/%y"),
    ("19 Oct 2023", "%d %b %Y"),
    ("october 9, 2023", "%B %d, %Y"),
    ("Thu, 19 Oct 2023", "%a, %d %b %Y"),
    ("2023-05-01T06:00:00Z", "%Y-%m-%dT%H:%M:%S%z"),
    ("2023-05-01 06:00:00.25+02:00", "%Y-%m-%d %H:%M:%S.%f%z"),
    ("1/2/2023 12:05 AM", "%m/%d/%Y %I:%M %p"),
    ("1/2/2023 12:05 pm", "%m/%d/%Y %I:%M %p"),
    ("20231019", "%Y%m%d"),
    ("2023-10", "%Y-%m"),
    ("18:30", "%H:%M"),
    ("29.02.2023", "%d.%m.%Y"),
    ("19.10.2023", "%Y-%m-%d"),
    ("", "%Y-%m-%d"),
    ("1969-12-31", "%Y-%m-%d"),
]
SCRIPT = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([text, form, parts]) => dateParts(text, form, parts))));
"""


WRITTEN = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([days, form]) => dateText(days, form))));
"""


@pytest.mark.needs("node")
def test_the_page_writes_dates_as_their_file_does() -> None:
    forms = sorted({form for _, form in CASES if "%z" not in form and "%f" not in form})
    days = [19478.0, 19358.5]
    code = files("core.export.web").joinpath("dates.js").read_text("utf-8") + WRITTEN
    asked = [[day, form] for day in days for form in forms]
    done = subprocess.run(
        ["node", "-e", code], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    start = datetime.datetime(1970, 1, 1)
    expected = [date_text(start + datetime.timedelta(days=day), form) for day, form in asked]
    assert json.loads(done.stdout) == expected


@pytest.mark.needs("node")
def test_the_page_reads_dates_as_training_does() -> None:
    code = files("core.export.web").joinpath("dates.js").read_text("utf-8") + SCRIPT
    asked = json.dumps([[text, form, PARTS] for text, form in CASES])
    done = subprocess.run(
        ["node", "-e", code], input=asked, capture_output=True, text=True, check=True
    )
    for (text, form), found in zip(CASES, json.loads(done.stdout), strict=True):
        try:
            expected = date_parts(text, form, PARTS)
        except ValueError:
            assert found is None, text
            continue
        assert found == pytest.approx(expected, abs=1e-9), text
