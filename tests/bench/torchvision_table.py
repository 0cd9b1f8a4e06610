"""The rows of all models as one Markdown table with its totals."""

import datetime
from collections.abc import Sequence

import torch
import torchvision

from tests.bench.torchvision_row import VERDICTS, WORDS, Row

HEADER = ("family", "model", "nodes", "composites", "lines", "sample", "batch", "image size",
          "training step", "parameters", "mult-adds", "torchinfo's", "import s", "analyse s",
          "all s", "notes")  # fmt: skip


def cells(row: Row) -> list[str]:
    """The cells of a row."""
    if "refused" in row:
        return [row["family"], row["model"], *["-"] * (len(HEADER) - 3), row["refused"]]
    return [
        row["family"], row["model"], *(str(row[n]) for n in ("nodes", "composites", "lines")),
        *(verdict(row, name) for name in VERDICTS), parameters(row), *operations(row),
        *(f"{row[n]:.1f}" for n in ("import_s", "analyse_s", "all_s")), notes(row),
    ]  # fmt: skip


def verdict(row: Row, name: str) -> str:
    """Whether it is equal; of another image size, whether the run is specialised to its own."""
    equal, _ = row[name]
    if name == "size" and not equal and row["specialised"]:
        return "specialised"
    return WORDS[equal]


def parameters(row: Row) -> str:
    """Whether the count is the module's, and the published one."""
    ours, module, published = (row[n] for n in ("params", "module_params", "published_params"))
    if ours == published:
        return f"{ours:,}"
    theirs = "the module's, too" if ours == module else f"the module's {module:,}"
    return f"{ours:,} ({theirs}, published {published:,})"


def operations(row: Row) -> tuple[str, str]:
    """How far mult-adds are from the published ones, by torch's count and by torchinfo's."""
    if "ops" not in row or not row["published_ops"]:
        return "-", "-"
    published = row["published_ops"]
    return tuple(f"{100 * (row[n] / published - 1):+.2f} %" for n in ("ops", "torchinfo"))  # pyright: ignore


def notes(row: Row) -> str:
    """What else there is to say."""
    said = [f"{name}: {row[name][1]}" for name in VERDICTS if row[name][1] and name != "size"]
    size, note = row["size"]
    if note and not (size is None and "no input" in note):
        said.append(f"image size: {note}")
    if row["specialised"]:
        more = f" and {len(row['specialised']) - 1} more" * (len(row["specialised"]) > 1)
        said.append(f"specialised to this input: {row['specialised'][0]}{more}")
    if row["idle"]:
        said.append(f"did nothing in the run: {', '.join(row['idle'])}")
    if row["unused"]:
        said.append(f"{row['unused']} tensors unused in eval")
    if row["keys"]:
        said.append(f"{row['keys']} keys renamed")
    return "; ".join(said).replace("|", "\\|")


def table(rows: Sequence[Row]) -> str:
    """The whole page."""
    lines = [" | ".join(cells(row)) for row in rows]
    head = [" | ".join(HEADER), " | ".join("---" for _ in HEADER)]
    return "\n".join([*totals(rows), "", *(f"| {line} |" for line in [*head, *lines]), ""])


def allowed(published: float) -> float:
    """Half a percent, or what a figure of three decimals leaves open."""
    return max(0.005 * published, 0.0005)


def totals(rows: Sequence[Row]) -> list[str]:
    """What the rows come to."""
    done = [row for row in rows if "refused" not in row]
    near = [r for r in done if "ops" in r and r["published_ops"]]
    close = sum(abs(r["ops"] - r["published_ops"]) <= allowed(r["published_ops"]) for r in near)
    count = {name: sum(r[name][0] is True for r in done) for name in VERDICTS}
    special = sum(verdict(r, "size") == "specialised" for r in done)
    return [
        "# torchvision's models, imported",
        "",
        f"{datetime.date.today().isoformat()}, torch {torch.__version__}, "
        f"torchvision {torchvision.__version__}, one thread. Written by "
        "`python -m tests.bench.torchvision_models --out tests/bench/torchvision_models.md`.",
        "",
        f"- {len(rows)} models, {len(done)} imported, {len(rows) - len(done)} refused.",
        f"- Equal bit for bit on perturbed weights: the sample {count['sample']}, another batch "
        f"{count['batch']}, another image size {count['size']} ({special} specialised to their "
        f"input), outputs, gradients and buffers of one training step {count['step']}.",
        f"- Parameters equal to the published count: "
        f"{sum(r['params'] == r['published_params'] for r in done)}; to the module's: "
        f"{sum(r['params'] == r['module_params'] for r in done)}.",
        f"- Mult-adds within 0.5 % of the published: {close} of {len(near)}. Counted as "
        "torchvision does, by torch's FlopCounterMode over two, on the module built from our "
        "source; torchinfo's definition, which the summary shows, leaves attention products out "
        "and counts normalisation and biases.",
        f"- Of the {len(torchvision.models.list_models())} models, {len(rows)} stand here.",
        "- Published counts that differ from an untrained module's: segmentation is published with "
        "the auxiliary classifier that trains with it, detectors with frozen normalisation, "
        "GoogLeNet without its auxiliary heads, Inception with them. A detector is imported for "
        "the first image of a batch, on boxes of every score.",
    ]
