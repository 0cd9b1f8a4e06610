"""The model card of a network, in Markdown: model, data, metrics, limits, how to load it.

After Mitchell et al., "Model Cards for Model Reporting" (2019). Every figure is read from the run
or measured; nothing is claimed that was not.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.common.escaping import markdown, markdown_block, markdown_code
from core.common.version import layerloom_version
from core.export.interface import InputInfo, Interface, OutputInfo, interface_of, preprocessing
from core.export.result import ExportedFile
from core.export.subject import Subject
from core.insight.summary import Summary, summary
from core.insight.summary_table import write_table
from core.runs.files import read_json, read_status
from core.tasks.metric_labels import metric_words, shown
from core.tasks.registry import readout_of

SETTINGS = ("loss", "optimizer", "lr", "scheduler", "epochs", "batch_size", "seed", "precision")
UNTRAINED = "The weights are random: the network is not trained yet."


def make_card(subject: Subject) -> ExportedFile:
    """Write the card."""
    interface = interface_of(subject)
    run = subject.opened.run if subject.opened else None
    parts = [
        _head(subject, run),
        _what(subject, interface),
        _learned(subject, interface, run),
        _figures(run),
        _limits(interface, run),
        _loading(subject, interface),
    ]
    return ExportedFile(("\n\n".join(part for part in parts if part) + "\n").encode(), None)


def _head(subject: Subject, run: Path | None) -> str:
    title = subject.opened.project.name if subject.opened else subject.class_name
    weights = f"Weights: {markdown(subject.note)}." if subject.note else ""
    source = f"From the run {markdown_code(run.name)}." if run else ""
    made = f"Written by Layerloom {layerloom_version()}."
    about = " ".join(part for part in (source, weights, made) if part)
    return f"# {markdown(title or subject.class_name)}\n\n{about}"


def _what(subject: Subject, interface: Interface) -> str:
    lines = ["## Model", ""]
    report = subject.opened.report if subject.opened else None
    counted: Summary | None = summary(report) if report else None
    if counted:
        costs = f"{counted.mult_adds:,} multiply-adds for one sample"
        lines.append(f"`{subject.class_name}`: {counted.total_params:,} parameters, {costs}.")
    lines += ["", *(_input(spec) for spec in interface.inputs)]
    lines += [_output(spec) for spec in interface.outputs]
    if counted:
        lines += ["", markdown_block(write_table(counted))]
    return "\n".join(lines)


def _input(spec: InputInfo) -> str:
    shape = ", ".join(["N", *map(str, spec.shape)])
    named, read = markdown_code(spec.name), markdown(preprocessing(spec), longest=None)
    return f"- Input {named}: ({shape}) {spec.dtype}. {read}".rstrip()


def _output(spec: OutputInfo) -> str:
    words = f"- Output {markdown_code(spec.name)}"
    if not spec.kind:
        return f"{words}. {markdown(spec.unread, longest=None)}".rstrip()
    classes = ", ".join(map(markdown, spec.classes))
    scaled = (spec.unit, spec.middle) != (1.0, 0.0)
    unit = f"output * {spec.unit:.6g} + {spec.middle:.6g} in its unit" if scaled else ""
    card = readout_of(spec.kind).card
    if ("{classes}" in card and not classes) or ("{unit}" in card and not unit) or not card:
        card = spec.kind.replace("_", " ")
    return f"{words}: {card.format(classes=classes, target=markdown(spec.target), unit=unit)}."


def _learned(subject: Subject, interface: Interface, run: Path | None) -> str:
    spec = read_json(run / "spec.json") if run else {}
    data: Mapping[str, Any] = spec.get("data", {})
    summary = data.get("summary") or (interface.dataset.info.summary if interface.dataset else "")
    lines = ["## Training data", "", markdown(summary) if summary else "No data set is selected."]
    if not run:
        return "\n".join([*lines, "", UNTRAINED]) if "random" in subject.note else "\n".join(lines)
    training, versions = spec.get("training", {}), spec.get("versions", {})
    given = {name: training[name] for name in SETTINGS if training.get(name) is not None}
    chosen = [f"{name} {markdown(value)}" for name, value in given.items()]
    lines += ["", f"Training: {', '.join(chosen)}."]
    if versions:
        made = ", ".join(f"{markdown(n)} {markdown(v)}" for n, v in versions.items())
        lines.append(f"Made with {made}.")
    return "\n".join(lines)


def _figures(run: Path | None) -> str:
    best = (read_status(run).get("best") or {}) if run else {}
    metrics: Mapping[str, Any] = best.get("metrics") or {}
    if not run or not metrics:
        return ""
    rows = [
        f"| {markdown(metric_words(n))} | {shown(n, v)} |"
        for n, v in metrics.items()
        if isinstance(v, int | float)
    ]
    by = markdown(metric_words(str(best.get("metric"))))
    which = (
        f"On the validation samples, after epoch {markdown(best.get('epoch'))}, the best by {by}:"
    )
    lines = ["## Metrics", "", which, "", "| metric | value |", "|---|---|", *rows]
    rule = read_json(run / "baseline.json")
    if rule.get("value") is not None:
        metric = str(rule["metric"])
        words = f"{markdown(metric_words(metric))} {shown(metric, rule['value'])}"
        lines += [
            "",
            f"A simple rule, {markdown(rule['rule'])}, reaches {words} on the same samples.",
        ]
        lines += [
            f"{markdown(other[:1].upper() + other[1:])} reaches {shown(metric, value)}."
            for other, value in rule.get("others", ())
        ]
    return "\n".join(lines)


def _limits(interface: Interface, run: Path | None) -> str:
    lines = ["## Limits", ""]
    if run:
        lines.append(
            "- The best epoch was chosen by the validation samples, so results on new samples "
            "may be slightly worse."
        )
    if interface.dataset:
        count, data = interface.dataset.info.train_size, markdown(interface.data)
        lines.append(
            f"- It was trained on {count:,} samples of {data} and evaluated on no other data."
        )
    if any(spec.kind != "numbers" for spec in interface.inputs):
        lines.append(
            "- Inputs must be prepared exactly as above; otherwise the predictions are wrong."
        )
    lines.append("- Results for subgroups of people or conditions were not measured.")
    return "\n".join(lines)


def _loading(subject: Subject, interface: Interface) -> str:
    names, cls = [spec.name for spec in interface.inputs], subject.class_name
    fed = ", ".join(f'"{name}": {name}.numpy()' for name in names)
    blocks = {
        "Python source and weights": f"""from network import {cls}  # the Python source
from safetensors.torch import load_file

model = {cls}()
model.load_state_dict(load_file("network.safetensors"))
outputs = model.eval()({", ".join(names)})""",
        "ONNX (also 8-bit and half precision)": f"""import onnxruntime

session = onnxruntime.InferenceSession("network.onnx")
outputs = session.run(None, {{{fed}}})""",
        "torch.export": f"""import torch

model = torch.export.load("network.pt2").module()
outputs = model({", ".join(names)})""",
    }
    shown = [f"{title}:\n\n```python\n{text}\n```" for title, text in blocks.items()]
    return "\n\n".join(["## How to load it", *shown, "The exported web page opens in any browser."])
