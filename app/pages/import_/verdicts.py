"""What a comparison with the original says: a table, and one sentence for wherever it is open."""

from app.pages.shared import markup
from core.project.comparison import Comparison, Verdict

WORDS = {
    True: ("good", "✓", "equal"),
    False: ("bad", "✗", "differs"),
    None: ("none", "·", "not tried"),
}
COMPARING, WAITING = ("now", "", "comparing"), ("none", "·", "waiting")
NEVER = ("none", "·", "not compared")


def table(found: Comparison, goes_on: bool = False) -> str:
    """The verdicts as rows of HTML, those that are awaited included.

    goes_on: whether the awaited ones are being compared.
    """
    rows = [_row(v.title, WORDS[v.equal], _note(v)) for v in found.verdicts]
    awaited = [COMPARING, *[WAITING] * len(found.awaited)] if goes_on else [NEVER] * 99
    rows += [_row(name, said, "") for name, said in zip(found.awaited, awaited, strict=False)]
    head = "<tr><th>Compared on</th><th>Result</th><th>Note</th></tr>"
    return f'<table class="ll-table ll-verdicts">{head}{"".join(rows)}</table>'


def _note(verdict: Verdict) -> str:
    return verdict.note or ("bit for bit" if verdict.equal else "")


def _row(name: str, said: tuple[str, str, str], note: str) -> str:
    kind, mark, word = said
    return (
        f'<tr class="{kind}"><td>{markup.escape(name)}</td>'
        f'<td><span class="ll-verdict"><i aria-hidden="true">{mark}</i>{word}</span></td>'
        f"<td>{markup.escape(note)}</td></tr>"
    )


def sentence(found: Comparison, goes_on: bool = False) -> tuple[str, str]:
    """How it stands: its kind, which is "bad", "open", "now" or "good", and one sentence."""
    count = len(found.verdicts) + len(found.awaited)
    if found.differing:
        return "bad", f"Differs from the original, as it was imported, on {_differing(found)}."
    if goes_on:
        return "now", f"Comparing with the original: {found.equal} of {count} equal so far"
    if found.awaited:
        some = f"{found.equal} of {count} equal" if found.verdicts else "not compared yet"
        names = f", not compared: {', '.join(found.awaited)}" if found.verdicts else ""
        return "open", f"The comparison with the original ended early: {some}{names}. {found.ended}"
    if not found.equal:
        return "open", "It could not be compared with the original, which fails on its own."
    untried = ", ".join(verdict.title for verdict in found.untried)
    but = f", not tried: {untried}" if untried else ""
    return "good", f"Equal to the original in {_all(found.equal, count)}{but}."


def _differing(found: Comparison) -> str:
    said = [f"{v.title} ({v.note})" if v.note else v.title for v in found.differing]
    same = ", ".join(v.title for v in found.verdicts if v.equal)
    return "; ".join(said) + (f". Equal on {same}" if same else "")


def _all(equal: int, count: int) -> str:
    return f"all {count} comparisons" if equal == count else f"{equal} of {count} comparisons"
