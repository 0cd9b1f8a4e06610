"""Write down what a change of the house must not change, to be compared with `diff -r`.

    python -m tests.bench.behaviour FOLDER

Into FOLDER: source, script, notebook and Lightning of every template; the series of metrics, the
hash of the final weights and the keys of the state_dict of one short run per task and per kind of
training setting; the JSON documents of twelve commands. Times, paths and process numbers are left
out. It speaks to the command line only, so the same file runs before and after.
"""

import argparse
import contextlib
import hashlib
import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from app.cli import main

PROJECTS = Path(__file__).resolve().parents[2] / "projects"
KINDS = {"model": "py", "script": "train.py", "notebook": "ipynb", "lightning": "lightning.py"}
TIMES = re.compile(r"time|_s$|_per_s|pid|host|path|folder|memory|created|started|bytes|modified"
                   r"|^id$|^versions?$|^file$|^out$")  # fmt: skip
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "classes": ("lenet_digits", ()),
    "regression": ("regression_diabetes", ()),
    "quantiles": ("quantiles_diabetes", ()),
    "two_inputs": ("two_inputs_diabetes", ()),
    "multilabel": ("multilabel_digits", ()),
    "segmentation": ("unet_digits", ()),
    "reconstruction": ("autoencoder_digits", ()),
    "vae": ("vae_digits", ()),
    "gan": ("dcgan_digits", ()),
    "text": ("gpt_text", ()),
    "masked_text": ("bert_text", ()),
    "sequence": ("seq2seq_dates", ()),
    "ctc": ("ctc_digit_rows", ()),
    "pairs": ("siamese_digits", ()),
    "triplets": ("triplet_digits", ()),
    "two_heads": ("two_heads_digits", ()),
    "series": ("lstm_waves", ()),
    "accumulate": ("lenet_digits", ("accumulate=3", "clip_norm=0.5", "ema_decay=0.99")),
    "sgd": ("mlp_wine", ("optimizer=SGD", "optimizer_settings.momentum=0.9", "clip_value=0.1")),
    "one_cycle": ("mlp_iris", ("scheduler=OneCycleLR",)),
    "cosine": (
        "mlp_iris",
        ("scheduler=CosineAnnealingLR", "warmup=5", "optimizer_settings.weight_decay=0.1"),
    ),
    "bfloat16": ("lenet_digits", ("precision=bfloat16",)),
    "patience": ("mlp_wine", ("patience=1", "keep_best=2", "on_not_finite=skip")),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "blocks": ("blocks", "--json"),
    "check": ("check", "lenet_digits", "--json"),
    "check_gan": ("check", "dcgan_digits", "--json"),
    "summary": ("summary", "resnet_digits", "--json"),
    "summary_text": ("summary", "gpt_text", "--json"),
    "diff": ("diff", "lenet_digits", "nin_digits", "--json"),
    "runs": ("runs", "--runs", "RUNS", "--json"),
    "compare": ("compare", "classes", "accumulate", "--runs", "RUNS", "--json"),
    "export": (
        "export",
        "lenet_digits",
        "--format",
        "torchscript-trace",
        "--out",
        "OUT/a.pt",
        "--json",
    ),
    "export_onnx": ("export", "mlp_iris", "--format", "onnx", "--out", "OUT/a.onnx", "--json"),
    "import": ("import", "torchvision:mobilenet_v3_small", "-o", "OUT/m.loom.json", "--json"),
    "templates": ("new", "--list", "--json"),
    "doctor": ("doctor", "--json"),
}


def write(
    folder: Path,
    templates: str = "*",
    kept: Iterable[str] = tuple(RUNS),
    commands: Iterable[str] = tuple(COMMANDS),
) -> None:
    """Write everything into a folder that is not there yet. kept: the runs, by their names."""
    folder.mkdir(parents=True)
    for project in sorted(PROJECTS.glob(f"{templates}.loom.json")):
        name = project.name.removesuffix(".loom.json")
        for kind, suffix in KINDS.items():
            (folder / f"{name}.{suffix}").write_text(stdout_of("code", str(project), "--as", kind))
    runs = folder.with_name(f"{folder.name}_runs")
    for name in kept:
        (folder / f"run_{name}.json").write_text(document(run(name, runs)))
    for name in commands:
        text = document(command(COMMANDS[name], runs))
        (folder / f"command_{name}.json").write_text(text)


def stdout_of(*words: str) -> str:
    """What a command prints, and its exit status where that is not 0."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = main(list(words))
    return out.getvalue() + (f"exit status {status}\n" if status else "")


def run(name: str, runs: Path) -> dict[str, Any]:
    """Train two epochs; return the series, the hash of the weights and their keys.

    On one thread: how many, a trial would choose by the load of the machine.
    """
    template, settings = RUNS[name]
    sets = [word for each in ("epochs=2", "threads=1", *settings) for word in ("--set", each)]
    before = set(runs.iterdir()) if runs.exists() else set[Path]()
    text = stdout_of("train", str(PROJECTS / f"{template}.loom.json"), "--runs", str(runs),
                     *sets, "--json")  # fmt: skip
    made = set(runs.iterdir()) - before if runs.exists() else set[Path]()
    found = [each for each in made if (each / "metrics.jsonl").exists()]
    if not found:
        return {"said": text}
    folder = found[0].rename(runs / name)
    return {"series": series(folder), **weights(folder / "ckpt" / "last.pt")}


def series(folder: Path) -> dict[str, list[Any]]:
    """All series of a run, however the lines were cut; without what depends on the clock."""
    found: dict[str, list[Any]] = defaultdict(list)
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["kind"] == "pulse":
            continue
        for key, value in record.items():
            if isinstance(value, list) and not TIMES.search(key):
                found[f"{record['kind']}.{key}"] += value
    return dict(found)


def weights(file: Path) -> dict[str, Any]:
    """The hash of all tensors of a model in a checkpoint, in the order of their keys."""
    kept = torch.load(file, map_location="cpu", weights_only=True)["model"]
    digest = hashlib.sha256()
    for key in sorted(kept):
        digest.update(
            key.encode() + kept[key].reshape(-1).contiguous().view(torch.uint8).numpy().tobytes()
        )
    return {"sha256": digest.hexdigest(), "keys": list(kept)}


def command(words: tuple[str, ...], runs: Path) -> Any:
    """The JSON document of a command, without what differs from call to call."""
    out = runs.with_name(f"{runs.name}_out")
    out.mkdir(exist_ok=True)
    files = {each.name.removesuffix(".loom.json"): str(each) for each in PROJECTS.iterdir()}
    places = {**files, "RUNS": str(runs)}
    text = stdout_of(*(places.get(word, word).replace("OUT/", f"{out}/") for word in words))
    try:
        return lasting(json.loads(text))
    except ValueError:
        return {"said": text}


def lasting(value: Any) -> Any:
    """A document without times, places and process numbers."""
    if isinstance(value, dict):
        return {key: lasting(each) for key, each in value.items() if not TIMES.search(key)}
    return [lasting(each) for each in value] if isinstance(value, list) else value


def document(value: Any) -> str:
    """A document with one value a line, so that a diff shows where it differs."""
    return json.dumps(value, indent=1) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    torch.set_num_threads(1)
    sys.exit(write(parser.parse_args().folder))
