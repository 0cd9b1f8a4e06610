"""The rows of all models as one Markdown table with its totals."""

from collections.abc import Mapping, Sequence

import torchvision

from tests.wings.importing.bench.torchvision_row import VERDICTS, WORDS, Row

HEADER = ("family", "model", "nodes", "composites", "lines", "sample", "batch", "image size",
          "training step", "parameters", "mult-adds", "torchinfo's", "import s", "analyse s",
          "all s", "processor s", "notes")  # fmt: skip


def cells(row: Row) -> list[str]:
    """The cells of a row."""
    if "refused" in row:
        return [row["family"], row["model"], *["-"] * (len(HEADER) - 3), row["refused"]]
    return [
        row["family"], row["model"], *(str(row[n]) for n in ("nodes", "composites", "lines")),
        *(verdict(row, name) for name in VERDICTS), parameters(row), *operations(row),
        *(f"{row[n]:.1f}" for n in ("import_s", "analyse_s", "all_s", "cpu_s")), notes(row),
    ]  # fmt: skip


def verdict(row: Row, name: str) -> str:
    """Whether it is equal; of another image size, whether the run is specialised to its own."""
    equal, _ = row[name]
    if name == "size" and not equal and row["specialised"]:
        return "specialised"
    if name == "step" and "heads" in row and all_equal(row["heads"]):
        return "equal with heads"
    return WORDS[equal]


def all_equal(heads: Row) -> bool:
    """Whether the drawing with the heads equals the model, also in training."""
    return all(heads[name][0] for name in ("sample", "batch", "step"))


def parameters(row: Row) -> str:
    """Whether the count is the module's, and the published one."""
    ours, module, published = (row[n] for n in ("params", "module_params", "published_params"))
    if ours == published:
        return f"{ours:,}"
    theirs = "the module's, too" if ours == module else f"the module's {module:,}"
    return f"{ours:,} ({theirs}); {row.get('why') or f'UNEXPLAINED: published {published:,}'}"


def operations(row: Row) -> tuple[str, str]:
    """How far mult-adds are from the published ones, by torch's count and by torchinfo's."""
    if "ops" not in row or not row["published_ops"]:
        return "-", "-"
    published = row["published_ops"]
    return tuple(f"{100 * (row[n] / published - 1):+.2f} %" for n in ("ops", "torchinfo"))  # pyright: ignore


def notes(row: Row) -> str:
    """What else there is to say."""
    remarks = [f"{name}: {row[name][1]}" for name in VERDICTS if row[name][1] and name != "size"]
    size, note = row["size"]
    if note and not (size is None and "no input" in note):
        remarks.append(f"image size: {note}")
    if row.get("why_ops"):
        remarks.append(f"mult-adds {row['why_ops']}")
    if row["specialised"]:
        more = f" and {len(row['specialised']) - 1} more" * (len(row["specialised"]) > 1)
        remarks.append(f"specialised to this input: {row['specialised'][0]}{more}")
    if row["idle"]:
        remarks.append(f"did nothing in the run: {', '.join(row['idle'])}")
    if row["unused"]:
        remarks.append(f"{row['unused']} tensors unused in eval")
    if heads := row.get("heads"):
        remarks.append(
            f"imported with its heads ({', '.join(heads['names'])}): sample "
            f"{WORDS[heads['sample'][0]]}, batch {WORDS[heads['batch'][0]]}, step "
            f"{WORDS[heads['step'][0]]}, {heads['params']:,} parameters, "
            f"{heads['unused']} tensors unused"
        )
    if row["keys"]:
        remarks.append(f"{row['keys']} keys renamed")
    return "; ".join(remarks).replace("|", "\\|")


def table(rows: Sequence[Row], refused: Mapping[str, str]) -> str:
    """The whole page. refused: quantised models, and what is said of them."""
    lines = [" | ".join(cells(row)) for row in rows]
    head = [" | ".join(HEADER), " | ".join("---" for _ in HEADER)]
    quantised = [f"| {name} | {reason} |" for name, reason in refused.items()]
    return "\n".join([
        *totals(rows), "", *(f"| {line} |" for line in [*head, *lines]), "", QUANTISED, "",
        "| model | refused |", "| --- | --- |", *quantised, "",
    ])  # fmt: skip


QUANTISED = (
    "Rows of the family quantization are the models before their quantisation "
    "(`quantize=False`, what `torchvision:NAME` builds). After it (`quantize=True`):"
)


def allowed(published: float) -> float:
    """Half a percent, or what a figure of three decimals leaves open."""
    return max(0.005 * published, 0.0005)


def totals(rows: Sequence[Row]) -> list[str]:
    """What the rows come to."""
    done = [row for row in rows if "refused" not in row]
    count = {name: sum(r[name][0] is True for r in done) for name in VERDICTS}
    heads = sum(verdict(r, "step") == "equal with heads" for r in done)
    special = sum(verdict(r, "size") == "specialised" for r in done)
    return [
        "# torchvision's models, imported", "", origin(rows), "",
        f"- Of torchvision's {len(torchvision.models.list_models())} models {len(rows)} stand "
        f"here: {len(done)} imported, {len(rows) - len(done)} refused.",
        f"- Equal bit for bit on perturbed weights: the sample {count['sample']}, another batch "
        f"{count['batch']}, another image size {count['size']} ({special} specialised to their "
        f"input), outputs, gradients and buffers of one training step {count['step']} (and "
        f"{heads} more, drawn with what they give in training only, as `--heads` does).",
        *counts(done),
        "- A detector is imported for the first image of a batch, on boxes of every score.",
    ]  # fmt: skip


def origin(rows: Sequence[Row]) -> str:
    """When, of which commit and with what the rows were made, and at which load."""
    made = sorted(row["made"] for row in rows)
    commits = sorted({row["commit"].removesuffix("-dirty") for row in rows})
    dirty = [row["model"] for row in rows if row["commit"].endswith("-dirty")]
    kinds = sorted({f"torch {r['torch']}, torchvision {r['torchvision']}" for r in rows})
    loads = [row["load"] for row in rows]
    runs = f"all rows at commit {commits[0]}" if len(commits) == 1 else (
        f"rows at the commits {', '.join(commits)}"
    )  # fmt: skip
    if dirty:
        runs += f" ({', '.join(dirty)} with changes that were not committed yet)"
    return (
        "Written by `python -m tests.wings.importing.bench.torchvision_models --out "
        "tests/wings/importing/bench/torchvision_models.md`, one thread: "
        f"{runs}, from {made[0]} to {made[-1]} "
        f"({'; '.join(kinds)}), beside other work (load {min(loads)} to {max(loads)}). Seconds "
        f"are wall time and grow with the load; processor seconds, {sum_of(rows):,.0f} in all, do "
        "so much less."
    )


def sum_of(rows: Sequence[Row]) -> float:
    """Processor seconds of all rows."""
    return sum(row.get("cpu_s", 0.0) for row in rows)


def counts(done: Sequence[Row]) -> list[str]:
    """Parameters and operations against the published ones."""
    near = [r for r in done if "ops" in r and r["published_ops"]]
    close = [r for r in near if abs(r["ops"] - r["published_ops"]) <= allowed(r["published_ops"])]
    same = [r for r in done if r["params"] == r["published_params"]]
    more = sum(bool(r.get("why_ops")) for r in near if r not in close)
    return [
        f"- Parameters equal to the published count: {len(same)}; of the other "
        f"{len(done) - len(same)}, {sum(bool(r.get('why')) for r in done)} differ by an addition "
        "that the table carries out to the last parameter. Equal to the module's: "
        f"{sum(r['params'] == r['module_params'] for r in done)}.",
        f"- Mult-adds within 0.5 % of the published: {len(close)} of {len(near)}, and {more} more "
        "with the auxiliary classifier that was published. Counted as torchvision does, by "
        "torch's FlopCounterMode over two, on the module built from our source; torchinfo's "
        "definition, which the summary shows, leaves attention products out and counts "
        "normalisation and biases.",
    ]
