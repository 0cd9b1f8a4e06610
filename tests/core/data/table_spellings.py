"""Tables as people save them, each with what it means: numbers of samples, inputs and targets.

A case is (bytes, features, first rows of inputs, answers); NaN stands for a value that is filled.
"""

from dataclasses import dataclass
from math import nan
from typing import Any


@dataclass(frozen=True)
class Spelled:
    """A file, and what is to be read of it. classes: () for a number."""

    content: bytes
    features: tuple[str, ...]
    inputs: tuple[tuple[float, ...], ...]
    answers: tuple[float, ...]
    classes: tuple[str, ...] = ()


def _case(text: str, features: str, inputs: Any, answers: Any, classes: str = "",
          encoding: str = "utf-8") -> Spelled:  # fmt: skip
    rows = tuple(tuple(map(float, row)) for row in inputs)
    return Spelled(
        text.encode(encoding),
        tuple(features.split("|")),
        rows,
        tuple(map(float, answers)),
        tuple(classes.split("|") if classes else ()),
    )


AREA = [(35.5,), (40.2,), (88.0,), (61.4,)]
PRICES = [887, 1005, 2200, 1535]
ABC = [(1, 2), (4, 5), (7, 9)]
LAST = [3.5, 6.5, 9.5]
PLAIN = "a,b,c\n1,2,3.5\n4,5,6.5\n7,9,9.5\n"
YES = "no|yes"
N = 24

SPELLINGS: dict[str, Spelled] = {
    "plain": _case(PLAIN, "a|b", ABC, LAST),
    "semicolons": _case(PLAIN.replace(",", ";"), "a|b", ABC, LAST),
    "tabs": _case(PLAIN.replace(",", "\t"), "a|b", ABC, LAST),
    "bars": _case(PLAIN.replace(",", "|"), "a|b", ABC, LAST),
    "spaces in columns": _case("a  b  c\n1  2  3.5\n4  5  6.5\n7  9  9.5\n", "a|b", ABC, LAST),
    "windows line ends": _case(PLAIN.replace("\n", "\r\n"), "a|b", ABC, LAST),
    "old mac line ends": _case(PLAIN.replace("\n", "\r"), "a|b", ABC, LAST),
    "quotes around everything": _case(
        PLAIN.replace(",", '","').replace("\n", '"\n"').join('""')[:-2] + "\n", "a|b", ABC, LAST),
    "blank lines": _case(PLAIN.replace("\n4", "\n\n4") + "\n\n", "a|b", ABC, LAST),
    "spaces around cells": _case(PLAIN.replace(",", " , "), "a|b", ABC, LAST),
    "byte order mark": _case(PLAIN, "a|b", ABC, LAST, encoding="utf-8-sig"),
    "utf-16": _case(PLAIN, "a|b", ABC, LAST, encoding="utf-16"),
    "utf-16 big endian without a mark": _case(PLAIN, "a|b", ABC, LAST, encoding="utf-16-be"),
    "utf-32": _case(PLAIN, "a|b", ABC, LAST, encoding="utf-32"),
    "windows-1252": _case("Größe;Maß\n1;2\n3;5\n5;6\n", "Größe", [(1,), (3,), (5,)], [2, 5, 6],
                          encoding="cp1252"),
    "signs in windows-1252": _case("t (°C);£;y\n1;20 µm;2\n3;50 µm;5\n5;60 µm;6\n", "t (°C)|£",
                                   [(1, 20), (3, 50), (5, 60)], [2, 5, 6], encoding="cp1252"),
    "euros in windows-1252": _case("size;price\n1;5 €\n3;6 €\n2;7 €\n", "size",
                                   [(1,), (3,), (2,)], [5, 6, 7], encoding="cp1252"),
    "windows-1251": _case("длина,высота\n1,2\n3,5\n5,6\n", "длина", [(1,), (3,), (5,)], [2, 5, 6],
                          encoding="cp1251"),
    "shift jis": _case("長さ,高さ\n1,2\n3,5\n5,6\n", "長さ", [(1,), (3,), (5,)], [2, 5, 6],
                       encoding="shift_jis"),
    "excel's sep line": _case("sep=;\n" + PLAIN.replace(",", ";"), "a|b", ABC, LAST),
    "decimal commas": _case("a;b\n0,5;1\n1,5;0\n2,5;3\n", "a", [(0.5,), (1.5,), (2.5,)], [1, 0, 3]),
    "decimal commas in few cells": _case("rooms;price\n1;90\n2;120\n3;150\n2,5;140\n", "rooms",
                                         [(1,), (2,), (3,), (2.5,)], [90, 120, 150, 140]),
    "points between thousands": _case("area;price\n35,5;887\n40,2;1.005\n88,0;2.200\n61,4;1.535\n",
                                      "area", AREA, PRICES),
    "points and commas": _case("area;age;price\n35,5;12;1.887,50\n40,2;3;2.005,00\n"
                               "88,0;7;4.200,10\n",
                               "area|age", [(35.5, 12), (40.2, 3), (88, 7)],
                               [1887.5, 2005, 4200.1]),
    "commas between thousands": _case('area,price\n35.5,887\n40.2,"1,005"\n88.0,"2,200"\n'
                                      '61.4,"1,535"\n', "area", AREA, PRICES),
    "apostrophes between thousands": _case("area;price\n35.5;887\n40.2;1'005\n88.0;2'200\n"
                                           "61.4;1'535\n", "area", AREA, PRICES),
    "spaces between thousands": _case("area;price\n35,5;887\n40,2;1 005\n88,0;2 200\n61,4;1 535\n",
                                      "area", AREA, PRICES),
    "narrow spaces between thousands": _case("area;price\n35,5;887\n40,2;1\u202f005\n"
                                             "88,0;2\u202f200\n61,4;1\u202f535\n",
                                             "area", AREA, PRICES),
    "points in a table with decimal commas": _case(
        "lat;size\n48.137;0,5\n47.25;1,5\n46.5;2,5\n45.125;0,25\n", "lat",
        [(48.137,), (47.25,), (46.5,), (45.125,)], [0.5, 1.5, 2.5, 0.25]),
    "currency": _case("size,price\n1,$5.50\n3,$6.00\n2,$7.25\n", "size", [(1,), (3,), (2,)],
                      [5.5, 6, 7.25]),
    "euros": _case("size;price\n1;1.200,50 €\n3;900,00 €\n2;2.000,00 €\n", "size",
                   [(1,), (3,), (2,)], [1200.5, 900, 2000]),
    "a typeset minus": _case("t,y\n\u22125,1\n6,2\n\u22127.5,3\n8,4\n", "t",
                             [(-5,), (6,), (-7.5,), (8,)], [1, 2, 3, 4]),
    "brackets of an accountant": _case("t,y\n(5),1\n6,2\n(7.5),3\n8,4\n", "t",
                                       [(-5,), (6,), (-7.5,), (8,)], [1, 2, 3, 4]),
    "a minus behind": _case("t;y\n5,0-;1\n6,0;2\n7,5-;3\n8,0;4\n", "t",
                            [(-5,), (6,), (-7.5,), (8,)], [1, 2, 3, 4]),
    "a minus before the currency": _case("t,y\n-$5.50,1\n$6.00,2\n-$7.25,3\n", "t",
                                         [(-5.5,), (6,), (-7.25,)], [1, 2, 3]),
    "brackets around the currency": _case('t,y\n"($1,005.50)",1\n$6.00,2\n($7.25),3\n', "t",
                                          [(-1005.5,), (6,), (-7.25,)], [1, 2, 3]),
    "lakhs": _case('t,y\n"1,00,000",1\n"2,50,000",2\n"12,34,567",3\n900,4\n', "t",
                   [(100000,), (250000,), (1234567,), (900,)], [1, 2, 3, 4]),
    "wide digits": _case("t,y\n\uff11\uff12,1\n\uff13.\uff15,2\n\uff17,3\n", "t",
                         [(12,), (3.5,), (7,)], [1, 2, 3]),
    "nulls of a database": _case("a,b,y\n1,2,1\n\\N,3,2\n5,\\N,3\n3,4,5\n", "a|b",
                                 [(1, 2), (nan, 3), (5, nan), (3, 4)], [1, 2, 3, 5]),
    "dashes in place of cents": _case(
        "area;age;price\n35,5;12;1.887,-\n40,2;3;2.005,50\n88,0;7;900,\u2013\n61,4;9;1.535,--\n",
        "area|age", [(35.5, 12), (40.2, 3), (88, 7), (61.4, 9)], [1887, 2005.5, 900, 1535]),
    "dashes and a currency": _case("size;price\n1;€ 1.200,-\n3;€ 900,50\n2;€ 7,-\n", "size",
                                   [(1,), (3,), (2,)], [1200, 900.5, 7]),
    "swiss francs": _case("size;price\n1;Fr. 1'200.-\n3;Fr. 900.50\n2;Fr. 7.-\n", "size",
                          [(1,), (3,), (2,)], [1200, 900.5, 7]),
    "kronor behind": _case("size;price\n1;5,50 kr\n3;6,00 kr\n2;7,25 kr\n", "size",
                           [(1,), (3,), (2,)], [5.5, 6, 7.25]),
    "an open end": _case("doors,price\n2,5.5\n3,6.1\n4,7.2\n5more,7.7\n2,3.1\n5more,4.4\n",
                         "doors=2|doors=3|doors=4|doors=5more",
                         [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 0, 0, 0),
                          (0, 0, 0, 1)], [5.5, 6.1, 7.2, 7.7, 3.1, 4.4]),
    "a word for more": _case("seats,price\n2,5.5\n4,6.1\nmore,7.2\n2,7.7\n",
                             "seats=2|seats=4|seats=more",
                             [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], [5.5, 6.1, 7.2, 7.7]),
    "ages in steps": _case("age,price\n18,5.5\n19,6.1\n20+,7.2\n18,7.7\n",
                           "age=18|age=19|age=20+",
                           [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], [5.5, 6.1, 7.2, 7.7]),
    "percent": _case("share,y\n10%,1\n20%,5\n35%,2\n", "share", [(10,), (20,), (35,)], [1, 5, 2]),
    "units in cells": _case("w,y\n10 kg,1\n20 kg,5\n35 kg,2\n", "w", [(10,), (20,), (35,)],
                            [1, 5, 2]),
    "units below the names": _case("w,l,y\nkg,m,s\n10,1,1\n20,3,5\n35,2,2\n40,1,3\n", "w|l",
                                   [(10, 1), (20, 3), (35, 2), (40, 1)], [1, 5, 2, 3]),
    "no header, words only": _case(
        "sunny,hot,no\nrain,mild,yes\nsunny,mild,yes\nrain,hot,no\n",
        "column_1=rain|column_1=sunny|column_2=hot|column_2=mild",
        [(0, 1, 1, 0), (1, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 0)], [0, 1, 1, 0], YES),
    "no header, numbers and a word": _case(
        "5.1,a\n4.9,b\n6.3,a\n5.8,b\n", "column_1", [(5.1,), (4.9,), (6.3,), (5.8,)],
        [0, 1, 0, 1], "a|b"),
    "header of words over words": _case(
        "sky,wind,play\nsunny,hot,no\nrain,mild,yes\nsunny,mild,yes\nrain,hot,no\n",
        "sky=rain|sky=sunny|wind=hot|wind=mild",
        [(0, 1, 1, 0), (1, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 0)], [0, 1, 1, 0], YES),
    "years as names": _case("2019,2020,kind\n1,2.5,a\n3,4.5,b\n5,6.5,a\n4,1.5,b\n", "2019|2020",
                            [(1, 2.5), (3, 4.5), (5, 6.5), (4, 1.5)], [0, 1, 0, 1], "a|b"),
    "names of rows from R": _case('"w","y"\n"r1",5.2,1\n"r2",3.9,3\n"r3",4.4,2\n', "w",
                                  [(5.2,), (3.9,), (4.4,)], [1, 3, 2]),
    "lines above": _case("Measurements\n# device 7\n" + PLAIN, "a|b", ABC, LAST),
    "title as a spreadsheet saves it": _case("Sales 2023,,\n,,\n" + PLAIN, "a|b", ABC, LAST),
    "sum line": _case(PLAIN + "Total,16,19.5\n", "a|b", ABC, LAST),
    "source below": _case(PLAIN + "\nSource: the office of statistics,,\n", "a|b", ABC, LAST),
    "row numbers": _case(
        "sample,width,kind\n" + "".join(f"{i},{i % 5}.5,{'ab'[i % 2]}\n" for i in range(1, N)),
        "width", [(i % 5 + 0.5,) for i in range(1, N)], [i % 2 for i in range(1, N)], "a|b"),
    "dates": _case("day,shop,sold\n2023-05-01,n,12\n2023-05-01,s,30\n2023-06-02,n,17\n"
                   "2023-06-03,s,28\n", "day (days)|day (month)|day (weekday)|shop=n|shop=s",
                   [(19478, 5, 0, 1, 0), (19478, 5, 0, 0, 1), (19510, 6, 4, 1, 0),
                    (19511, 6, 5, 0, 1)], [12, 30, 17, 28]),
    "german dates with times": _case(
        "zeit;wert\n01.05.2023 06:00;1,5\n01.05.2023 18:30;2,5\n02.05.2023 06:00;1\n",
        "zeit (days)|zeit (weekday)|zeit (hour)",
        [(19478.25, 0, 6), (19478 + 18.5 / 24, 0, 18.5), (19479.25, 1, 6)], [1.5, 2.5, 1]),
    "german dates in words": _case(
        "Tag;Ort;Menge\n1. Mai 2023;n;12\n1. Mai 2023;s;30\n2. Juni 2023;n;17\n3. Juni 2023;s;28\n",
        "Tag (days)|Tag (month)|Tag (weekday)|Ort=n|Ort=s",
        [(19478, 5, 0, 1, 0), (19478, 5, 0, 0, 1), (19510, 6, 4, 1, 0), (19511, 6, 5, 0, 1)],
        [12, 30, 17, 28]),
    "german dates in short words": _case(
        "t;y\n1. Mai 2023;1\n2. Dez. 2023;3\n3. Jan. 2024;2\n", "t (days)|t (month)|t (weekday)",
        [(19478, 5, 0), (19693, 12, 5), (19725, 1, 2)], [1, 3, 2]),
    "french dates": _case(
        "jour;y\n1er mai 2023;1\n13 mai 2023;3\n1er août 2023;2\n",
        "jour (days)|jour (month)|jour (weekday)",
        [(19478, 5, 0), (19490, 5, 5), (19570, 8, 1)], [1, 3, 2]),
    "spanish dates": _case(
        "dia;y\n1 de mayo de 2023;1\n13 de mayo de 2023;3\n14 de mayo de 2023;2\n",
        "dia (days)|dia (weekday)", [(19478, 0), (19490, 5), (19491, 6)], [1, 3, 2]),
    "months in polish": _case("t,y\nmaj 2023,1\nczerwiec 2023,3\nmaj 2024,2\n",
                              "t (days)|t (month)|t (weekday)",
                              [(19478, 5, 0), (19509, 6, 3), (19844, 5, 2)], [1, 3, 2]),
    "japanese dates": _case("t,y\n2023年5月1日,1\n2023年5月13日,3\n2023年6月1日,2\n",
                            "t (days)|t (month)|t (weekday)",
                            [(19478, 5, 0), (19490, 5, 5), (19509, 6, 3)], [1, 3, 2]),
    "american dates": _case("day,y\n5/13/2023,1\n5/14/2023,3\n6/1/2023,2\n",
                            "day (days)|day (month)|day (weekday)",
                            [(19490, 5, 5), (19491, 5, 6), (19509, 6, 3)], [1, 3, 2]),
    "time stamps": _case("t,y\n2023-05-01T06:00:00Z,1\n2023-05-01T12:00:00Z,3\n"
                         "2023-05-01T18:00:00Z,2\n", "t (days)|t (hour)",
                         [(19478.25, 6), (19478.5, 12), (19478.75, 18)], [1, 3, 2]),
    "missing numbers": _case("a,b,y\n1,2,1\n,3,2\n5,NA,3\n3,4,5\n", "a|b",
                             [(1, 2), (nan, 3), (5, nan), (3, 4)], [1, 2, 3, 5]),
    "none is a category": _case(
        "alcohol,age,risk\nNone,31,low\nHigh,44,high\nLow,52,low\nNone,29,high\n",
        "alcohol=High|alcohol=Low|alcohol=None|age",
        [(0, 0, 1, 31), (1, 0, 0, 44), (0, 1, 0, 52), (0, 0, 1, 29)], [1, 0, 1, 0], "high|low"),
    "none is a class": _case(
        "age,risk\n31,None\n44,High\n52,Low\n29,None\n20,High\n", "age",
        [(31,), (44,), (52,), (29,), (20,)], [2, 0, 1, 2, 0], "High|Low|None"),
    "na is a region": _case("w,code\n3,NA\n5,EU\n4,AS\n2,NA\n7,EU\n6,AS\n", "w",
                            [(3,), (5,), (4,), (2,), (7,), (6,)], [2, 1, 0, 2, 1, 0], "AS|EU|NA"),
    "missing words": _case(
        "a,city,y\n1,x,1\nunknown,y,2\n5,?,3\nunknown,x,5\n4,y,1\n2,x,4\n7,y,2\n6,x,1\n8,y,3\n",
        "a|city=x|city=y|city=missing",
        [(1, 1, 0, 0), (nan, 0, 1, 0), (5, 0, 0, 1), (nan, 1, 0, 0), (4, 0, 1, 0), (2, 1, 0, 0),
         (7, 0, 1, 0), (6, 1, 0, 0), (8, 0, 1, 0)], [1, 2, 3, 5, 1, 4, 2, 1, 3]),
    "rows without a target": _case("a,b,y\n1,2,1\n4,3,\n5,4,3\n3,4,5\n", "a|b",
                                   [(1, 2), (5, 4), (3, 4)], [1, 3, 5]),
}  # fmt: skip
