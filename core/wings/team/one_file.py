"""Two versions as one HTML file: drawing, words, tables. It has no script and loads nothing."""

from collections.abc import Iterator, Sequence

from core.common.escaping import xml
from core.common.fonts import SANS
from core.wings.team.compared import words
from core.wings.team.svg import Figure, drawing_alone
from core.wings.team.tables import DiffTable, remarks, tables

POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"
STYLE = f"""
:root{{color-scheme:light dark;--page:#fdfdfe;--text:#1e1f2b;--quiet:#5b5d6e;--line:#d6d8e2}}
@media(prefers-color-scheme:dark){{
:root{{--page:#14151c;--text:#ecedf5;--quiet:#b0b2c3;--line:#3f4252}}}}
body{{margin:0;padding:2rem;background:var(--page);color:var(--text);
font:15px/1.5 {SANS},system-ui,sans-serif}}
main{{display:flex;flex-wrap:wrap;gap:2.5rem;align-items:flex-start}}
h1{{font-size:1.4rem;margin:0}}h2{{font-size:1.05rem;margin:1.6rem 0 .4rem}}
p{{margin:.2rem 0;color:var(--quiet)}}figure{{margin:1.5rem 0 0;max-width:100%;overflow-x:auto}}
aside{{flex:1 1 26rem;min-width:0}}table{{border-collapse:collapse;width:100%}}
th,td{{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);
vertical-align:top;overflow-wrap:anywhere}}th{{color:var(--quiet);font-weight:500}}
tr.other td{{font-weight:600}}li{{overflow-wrap:anywhere;font:13px/1.6 monospace}}
ul{{margin:0;padding-left:1.2rem}}
"""


def page(figure: Figure, lines: Sequence[str]) -> str:
    """The file. lines: what differs, as `layerloom diff` prints it."""
    drawing = drawing_alone(figure)
    drawn = f"<figure>{drawing}</figure>" if drawing else "<p>The drawing is the same.</p>"
    title = xml(figure.title)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{xml(words(figure.compared))}</p><main>{drawn}"
        f"<aside>{''.join(_aside(figure, lines))}</aside></main></body></html>\n"
    )


def _aside(figure: Figure, lines: Sequence[str]) -> Iterator[str]:
    for table in tables(figure.compared, figure.costs):
        yield table_html(table)
    for sentence in remarks(figure.compared, figure.costs):
        yield f"<p>{xml(sentence)}</p>"
    if lines:
        yield "<h2>In words</h2><ul>"
        yield from (f"<li>{xml(line)}</li>" for line in lines)
        yield "</ul>"


def table_html(table: DiffTable) -> str:
    """A table with its title, of old and new."""
    rows = "".join(
        f'<tr{" class=other" if row.was != row.now else ""}><th scope="row">{xml(row.name)}</th>'
        f"<td>{xml(row.was)}</td><td>{xml(row.now)}</td></tr>"
        for row in table.rows
    )
    return (
        f"<h2>{xml(table.title)}</h2><table><tr><th></th><th>old</th><th>new</th></tr>"
        f"{rows}</table>"
    )
