"""Tables as programs export them, as public reports describe them, each with what it means."""

import gzip
import io
import zipfile
from math import nan

import numpy as np

from tests.core.data.table_spellings import ABC, LAST, PLAIN, Spelled
from tests.core.data.table_spellings import _case as case

YES = [0, 1, 0, 1]
RATES = [(10,), (12.5,), (35,), (20,)]
FOUR = [1, 5, 2, 4]

EXPORTS: dict[str, Spelled] = {
    "index of pandas": case(",a,b,c\n0,1,2,3.5\n1,4,5,6.5\n2,7,9,9.5\n", "a|b", ABC, LAST),
    "index of pandas saved twice": case(
        "Unnamed: 0.1,Unnamed: 0,a,b,c\n0,0,1,2,3.5\n1,1,4,5,6.5\n2,2,7,9,9.5\n", "a|b", ABC, LAST),
    "unicode text of excel": case(PLAIN.replace(",", "\t").replace("\n", "\r\n"), "a|b", ABC, LAST,
                                  encoding="utf-16"),
    "a separator behind each row": case("a,b,c,\n1,2,3.5,\n4,5,6.5,\n7,9,9.5,\n", "a|b", ABC, LAST),
    "a separator behind each row but the names": case(
        "a,b,c\n1,2,3.5,\n4,5,6.5,\n7,9,9.5,\n", "a|b", ABC, LAST),
    "an empty column before": case(",a,b,c\n,1,2,3.5\n,4,5,6.5\n,7,9,9.5\n", "a|b", ABC, LAST),
    "line ends in quotes": case('a,"note\nof two lines",c\n1,"x\ny",3.5\n4,"z, z",6.5\n'
                                '7,"x\ny",9.5\n5,"z, z",1\n',
                                "a|note\nof two lines=x\ny|note\nof two lines=z, z",
                                [(1, 1, 0), (4, 0, 1), (7, 1, 0), (5, 0, 1)], [3.5, 6.5, 9.5, 1]),
    "doubled quotes": case('size,kind\n1,"5"" pipe"\n2,"7"" pipe"\n3,"5"" pipe"\n5,"7"" pipe"\n',
                           "size", [(1,), (2,), (3,), (5,)], YES, '5" pipe|7" pipe'),
    "percent with commas": case("rate;y\n10,0 %;1\n12,5 %;5\n35,0 %;2\n20 %;4\n", "rate",
                                RATES, FOUR),
    "francs": case("size;price\n1;CHF 1'200.50\n3;CHF 900.00\n2;CHF 2'000.00\n", "size",
                   [(1,), (3,), (2,)], [1200.5, 900, 2000]),
    "euros before": case("size;price\n1;€ 1.200,50\n3;€ 900,00\n2;€ 2.000,00\n", "size",
                         [(1,), (3,), (2,)], [1200.5, 900, 2000]),
    "yes and no in German": case("a;neu;y\n1;ja;1\n2;nein;5\n4;ja;2\n3;nein;4\n",
                                 "a|neu=ja|neu=nein",
                                 [(1, 1, 0), (2, 0, 1), (4, 1, 0), (3, 0, 1)], FOUR),
    "true and false in French": case("a;y\n1;VRAI\n2;FAUX\n4;FAUX\n3;VRAI\n", "a",
                                     [(1,), (2,), (4,), (3,)], [1, 0, 0, 1], "FAUX|VRAI"),
    "true and false": case("a,new,y\n1,True,1\n2,False,5\n4,True,2\n3,False,4\n",
                           "a|new=False|new=True",
                           [(1, 0, 1), (2, 1, 0), (4, 0, 1), (3, 1, 0)], FOUR),
    "thin spaces between thousands": case(
        "area;price\n35,5;887\n40,2;1\u2009005\n88,0;2\u2009200\n61,4;1\u2009535\n", "area",
        [(35.5,), (40.2,), (88.0,), (61.4,)], [887, 1005, 2200, 1535]),
    "exponents with commas": case("t;y\n1,5E+03;1\n2,5E-01;5\n3,0E+00;2\n", "t",
                                  [(1500,), (0.25,), (3,)], [1, 5, 2]),
    "N/A among numbers": case("a,b,y\n1,2,1\nN/A,3,2\n5,#N/A,3\n3,4,5\n", "a|b",
                              [(1, 2), (nan, 3), (5, nan), (3, 4)], [1, 2, 3, 5]),
    "errors of a spreadsheet": case("a,b,y\n1,2,1\n#DIV/0!,3,2\n5,#REF!,3\n3,4,5\n", "a|b",
                                    [(1, 2), (nan, 3), (5, nan), (3, 4)], [1, 2, 3, 5]),
    "a title over a sheet": case("Sales of 2023;;\n;;\na;b;c\n1;2;3,5\n4;5;6,5\n7;9;9,5\n", "a|b",
                                 ABC, LAST),
    "names in two rows": case("size,,price\nw,h,EUR\n1,2,3.5\n4,5,6.5\n7,9,9.5\n", "size|column_2",
                              ABC, LAST),
    "sums in the middle of words": case(
        "shop,a,c\nn,1,3.5\ns,4,6.5\nn,7,9.5\ns,2,5\nTotal,14,24.5\n",
        "shop=n|shop=s|a", [(1, 0, 1), (0, 1, 4), (1, 0, 7), (0, 1, 2)], [3.5, 6.5, 9.5, 5]),
    "end of file of DOS": case(PLAIN + "\x1a", "a|b", ABC, LAST),
    "mixed line ends": case("a,b,c\r\n1,2,3.5\n4,5,6.5\r\n7,9,9.5\n", "a|b", ABC, LAST),
    "decimal commas in quotes": case('a,b\n"0,5",1\n"1,5",0\n"2,5",3\n', "a",
                                     [(0.5,), (1.5,), (2.5,)], [1, 0, 3]),
    "empty rows below": case(PLAIN + ",,\n,,\n,,\n", "a|b", ABC, LAST),
    "units in the names": case("mass (kg);t [s];rate %\n1;2;3,5\n4;5;6,5\n7;9;9,5\n",
                               "mass (kg)|t [s]", ABC, LAST),
}  # fmt: skip


def arrays(save: str, **given: np.ndarray) -> bytes:
    """Arrays as numpy's function of this name saves them, objects by pickle."""
    file = io.BytesIO()
    if save == "save":
        np.save(file, given["x"], allow_pickle=True)
    else:
        np.savez(file, **given)  # pyright: ignore[reportArgumentType]
    return file.getvalue()


OBJECTS = np.array([{"a": 1}, None], dtype=object)
ZIPPED = io.BytesIO()
with zipfile.ZipFile(ZIPPED, "w") as _book:
    _book.writestr("xl/workbook.xml", b"\0\1\2\3 workbook")
WEB_PAGE = "t.csv is a web page, not a table. Download the file itself."

REFUSED_TABLES: dict[str, tuple[dict[str, bytes], str]] = {
    "empty": ({"t.csv": b""}, "t.csv is empty. Choose a file that is not empty."),
    "only names": ({"t.csv": b"a,b,c\n"}, "t.csv has 1 row. A table needs more rows."),
    "one column": (
        {"t.csv": b"a\n1\n2\n3\n"},
        "t.csv has 1 columns. A table needs 2 to 4096: a target, and others to predict it from. "
        "Its first row is 'a': choose the separator on the Data page.",
    ),
    "not text": (
        {"t.csv": bytes(range(256)) * 4},
        "t.csv is not text: byte 0 is 0. Save it as CSV or text in UTF-8.",
    ),
    "rows of different lengths": (
        {"t.csv": b"a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n"},
        "Row 3 of t.csv has 2 cells, the first has 3. Correct the row.",
    ),
    "a name twice": (
        {"t.csv": b"a,b,a\n1,2,3\n4,5,6\n7,8,1\n"},
        "t.csv has two columns called 'a'. Give every column its own name in the first row.",
    ),
    "a spreadsheet": (
        {"t.xlsx": b"PK\3\4"}, "t.xlsx is a spreadsheet. Save it as CSV and use the CSV file.",
    ),
    "a spreadsheet called CSV": (
        {"t.csv": ZIPPED.getvalue()},
        "t.csv is not text but a zip or an Excel workbook. Save the sheet as CSV, or unpack the "
        "zip.",
    ),
    "an old spreadsheet": (
        {"t.xls": b"\xd0\xcf\x11\xe0"},
        "t.xls is a spreadsheet. Save it as CSV and use the CSV file.",
    ),
    "gzip": (
        {"t.csv.gz": gzip.compress(PLAIN.encode())},
        "t.csv.gz is compressed. Unpack it and use the file inside.",
    ),
    "gzip called CSV": (
        {"t.csv": gzip.compress(PLAIN.encode())},
        "t.csv is not text but compressed by gzip. Unpack it first.",
    ),
    "a web page": (
        {"t.csv": b"<!DOCTYPE html>\n<html lang='en'>\n<body>Sign in</body>\n"}, WEB_PAGE,
    ),
    "a web page of one line": ({"t.csv": b"\n <html><body>Sign in</body></html>\n"}, WEB_PAGE),
    "names again among the rows": (
        {"t.csv": b"a,b,c\n1,2,3.5\n4,5,6.5\na,b,c\n7,9,9.5\n"},
        "Row 4 of t.csv repeats the column names. Remove the row.",
    ),
    "comments between": (
        {"t.csv": b"a,b,c\n1,2,3.5\n# paused\n4,5,6.5\n7,9,9.5\n"},
        "Row 3 of t.csv has 1 cells, the first has 3. Correct the row.",
    ),
    "pickled objects": (
        {"t.npz": arrays("savez", x=OBJECTS, y=OBJECTS)},
        "t.npz holds only pickled objects, which are never read. Save it with "
        "numpy.savez(file, x=x, y=y).",
    ),
    "one pickled array": (
        {"t.npy": arrays("save", x=OBJECTS)},
        "t.npy cannot be read directly. Save it as NPZ: numpy.savez(file, x=x, y=y), and use that "
        "file.",
    ),
}  # fmt: skip
