"""The comparison with the original as a table, and as one sentence for other pages."""

from app.pages.shared import markup
from core.project.comparison import Comparison, OutputComparison

WORDS = {
    True: ("good", "✓", "equal"),
    False: ("bad", "✗", "differs"),
    None: ("none", "·", "not tried"),
}
COMPARING, WAITING = ("now", "", "comparing"), ("none", "·", "waiting")
NEVER = ("none", "·", "not compared")


def table(comparison: Comparison, goes_on: bool = False) -> str:
    """The verdicts as rows of HTML, those that are awaited included.

    goes_on: whether the awaited ones are being compared.
    """
    rows = [_row(v.title, WORDS[v.equal], _note(v)) for v in comparison.verdicts]
    awaited = [COMPARING, *[WAITING] * len(comparison.awaited)] if goes_on else [NEVER] * 99
    rows += [
        _row(name, result, "") for name, result in zip(comparison.awaited, awaited, strict=False)
    ]
    head = "<tr><th>Compared on</th><th>Result</th><th>Note</th></tr>"
    return f'<table class="ll-table ll-verdicts">{head}{"".join(rows)}</table>'


def _note(verdict: OutputComparison) -> str:
    return verdict.note or ("bit for bit" if verdict.equal else "")


def _row(name: str, result: tuple[str, str, str], note: str) -> str:
    kind, mark, word = result
    return (
        f'<tr class="{kind}"><td>{markup.escape(name)}</td>'
        f'<td><span class="ll-verdict"><i aria-hidden="true">{mark}</i>{word}</span></td>'
        f"<td>{markup.escape(note)}</td></tr>"
    )


def sentence(comparison: Comparison, goes_on: bool = False) -> tuple[str, str]:
    """The state of the comparison: "bad", "open", "now" or "good", and one sentence."""
    count = len(comparison.verdicts) + len(comparison.awaited)
    if comparison.differing:
        return "bad", f"As imported, it differs from the original on {_differing(comparison)}."
    if goes_on:
        return "now", f"Comparing with the original: {comparison.equal} of {count} equal so far"
    if comparison.awaited:
        some = f"{comparison.equal} of {count} equal" if comparison.verdicts else "not compared yet"
        names = f", not compared: {', '.join(comparison.awaited)}" if comparison.verdicts else ""
        early = f"The comparison with the original ended early: {some}{names}."
        return "open", f"{early} {comparison.ended}"
    if not comparison.equal:
        return "open", "Not compared with the original: the original model itself fails."
    untried = ", ".join(verdict.title for verdict in comparison.untried)
    but = f", not tried: {untried}" if untried else ""
    return "good", f"Equal to the original in {_all(comparison.equal, count)}{but}."


def _differing(comparison: Comparison) -> str:
    parts = [f"{v.title} ({v.note})" if v.note else v.title for v in comparison.differing]
    same = ", ".join(v.title for v in comparison.verdicts if v.equal)
    return "; ".join(parts) + (f". Equal on {same}" if same else "")


def _all(equal: int, count: int) -> str:
    return f"all {count} comparisons" if equal == count else f"{equal} of {count} comparisons"
