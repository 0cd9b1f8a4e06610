"""A lab report as one HTML file: no script that runs, nothing loaded; prints well on paper."""

import base64
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from core.common.escaping import xml
from core.common.fonts import embedded
from core.common.fonts.lettering import FACE
from core.wings.team.lab_report import LabReport
from core.wings.team.report_file import ReportFile
from core.wings.team.report_markdown import as_html
from core.wings.team.report_pieces import (
    Piece,
    ReportPart,
    ReportPlot,
    ReportSample,
    ReportSamples,
    ReportSentence,
    ReportTable,
)

POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"
NUMBER = re.compile(r"[-\u2212]?[\d,.]+(e[-+]?\d+)?%?|·|none|")
RIGHT, WRONG = "104,100,217", "214,110,30"
ABOVE = 6
"""Samples in a row where they stand in a table."""
PIECES = Path(__file__).with_name("report.css").read_text("utf-8")
"""The rules for pieces, within an element of class ll-report."""
STYLE = Path(__file__).with_name("report_file.css").read_text("utf-8")


def page(report: LabReport, kept: ReportFile, remarks: Sequence[str]) -> str:
    """The file. kept: with the project, which the workbench opens. remarks: above all parts."""
    title = xml(report.title)
    head = "".join(f'<p class="note">{xml(line)}</p>' for line in (*report.about, *remarks))
    parts = "".join(_part(part, kept.words.get(part.key, "")) for part in report.parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}: lab report</title>'
        f"<style>{embedded(FACE)}{PIECES}{STYLE}</style></head><body>"
        f'<main class="ll-report"><h1>{title}</h1>{head}{parts}</main>'
        f"{kept.embedded()}</body></html>\n"
    )


def _part(part: ReportPart, words: str) -> str:
    if not part.pieces and not words.strip():
        return ""
    written = f'<div class="words">{as_html(words)}</div>' if words.strip() else ""
    return f"<section><h2>{xml(part.title)}</h2>{written}{pieces_html(part.pieces)}</section>"


def pieces_html(pieces: Sequence[Piece]) -> str:
    """The pieces of a part, for a page that has the rules of PIECES."""
    if pieces and isinstance(pieces[0], ReportPlot) and pieces[0].side:
        rest = "".join(_in_rows(pieces[1:]))
        return f'<div class="side">{piece_html(pieces[0])}<div>{rest}</div></div>'
    return "".join(_in_rows(pieces))


def _in_rows(pieces: Sequence[Piece]) -> Iterator[str]:
    """Small plots, and tables of pairs, beside each other; all else below each other."""
    for small, group in groupby(pieces, _small):
        drawn = "".join(piece_html(each) for each in group)
        yield f'<div class="beside">{drawn}</div>' if small else drawn


def _small(piece: Piece) -> str:
    if isinstance(piece, ReportTable) and not piece.head:
        return "pairs"
    return "plots" if isinstance(piece, ReportPlot) and piece.beside else ""


def piece_html(piece: Piece, flat: bool = False) -> str:
    """One piece, without a line feed. flat: by tables and pictures alone, as notebooks take it."""
    if isinstance(piece, ReportSentence):
        return f"<p{' class=strong' if piece.strong else ''}>{xml(piece.text)}</p>"
    if isinstance(piece, ReportTable):
        return _grid(piece)
    if isinstance(piece, ReportPlot):
        data = base64.b64encode(piece.svg.encode()).decode()
        note = f"<figcaption class=note>{xml(piece.note)}</figcaption>" if piece.note else ""
        image = f'<img alt="{xml(piece.words)}" src="data:image/svg+xml;base64,{data}">'
        return f"<figure>{image}{note}</figure>"
    note = f'<p class="note">{xml(piece.note)}</p>' if piece.note else ""
    return (_rows if flat else _cards)(piece) + note


def _cards(samples: ReportSamples) -> str:
    cards = (
        f'<div class="card{" wrong" if card.right is False else ""}">'
        f'<div class="pictures">{"".join(_pictures(card))}</div>{_lines(card, "span")}</div>'
        for card in samples.cards
    )
    return f'<div class="cards">{"".join(cards)}</div>'


def _pictures(card: ReportSample) -> Iterator[str]:
    several = len(card.pictures) > 1
    for png, words in card.pictures:
        caption = f"<figcaption class=note>{xml(words)}</figcaption>" if several else ""
        yield f"<figure>{_image(png, words)}{caption}</figure>"


def _image(png: bytes, words: str) -> str:
    data = base64.b64encode(png).decode()
    return f'<img alt="{xml(words)}" src="data:image/png;base64,{data}">'


def _lines(card: ReportSample, tag: str) -> str:
    return "".join(f"<{tag}>{xml(line)}</{tag}>" for line in card.lines)


def _rows(samples: ReportSamples) -> str:
    cells = [
        f"<td>{''.join(_image(*each) for each in card.pictures)}{_lines(card, 'div')}</td>"
        for card in samples.cards
    ]
    rows = (cells[at : at + ABOVE] for at in range(0, len(cells), ABOVE))
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table>{body}</table>"


def _grid(grid: ReportTable) -> str:
    columns = list(zip(*grid.rows, strict=True))
    number = [i > 0 and all(NUMBER.fullmatch(cell) for cell in c) for i, c in enumerate(columns)]
    kinds = [' class="n"' if each else "" for each in number]
    head = "".join(
        f'<th scope="col"{kind}>{xml(name)}</th>'
        for name, kind in zip(grid.head, kinds, strict=False)
    )
    rows = (
        "".join(_cell(i, cell, kinds[i], grid.tints[r][i] if grid.tints else 0.0)
                for i, cell in enumerate(row))
        for r, row in enumerate(grid.rows)
    )  # fmt: skip
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<section><h3>{xml(grid.title)}</h3>"
        + f'<div class="wide"><table{" class=tinted" if grid.tints else ""}>'
        + (f"<tr>{head}</tr>" if head else "")
        + f"{body}</table></div>"
        + (f'<p class="note">{xml(grid.note)}</p>' if grid.note else "")
        + "</section>"
    )


def _cell(column: int, text: str, kind: str, tint: float) -> str:
    if column == 0:
        return f'<th scope="row">{xml(text)}</th>'
    colour = RIGHT if tint > 0 else WRONG
    strength = 0.12 + 0.46 * min(1.0, abs(tint) * (1 if tint > 0 else 3))
    style = f' style="background:rgba({colour},{strength:.2f})"' if tint else ""
    return f"<td{kind}{style}>{xml(text)}</td>"
