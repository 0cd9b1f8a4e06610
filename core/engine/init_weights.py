"""Initial weights: those of another run, or of a safetensors file beside the project.

Names and sizes are compared before a number is read. A run keeps the weights it begins with
as start.safetensors, under its own keys; its script reads that same file.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from core.analyse import build
from core.common.errors import RunError, TrainingError
from core.engine.ema import weights_of
from core.runs import checkpoint
from core.runs.files import read_json
from core.runs.vocabulary import digest_of, read_vocabulary
from core.settings.init_weights import FILE, PLACE, describe

Size = tuple[int, ...]
SHOWN = 8


@dataclass(frozen=True)
class Fit:
    """The outcome of comparing weights with a network, by key of its state_dict.

    missing: what they lack. other: needs and has, where the sizes differ. left_out: what begins at
    random because it was asked for. unused: keys of theirs that the network does not have.
    """

    loaded: tuple[str, ...]
    missing: tuple[str, ...]
    other: Mapping[str, tuple[Size, Size]]
    left_out: tuple[str, ...]
    unused: tuple[str, ...]

    @property
    def blocks(self) -> list[str]:
        """The outermost blocks that what does not fit belongs to."""
        return list(dict.fromkeys(k.partition(".")[0] for k in (*self.missing, *self.other)))


@dataclass(frozen=True)
class SourceWeights:
    """Weights to start from. name: for display. keys: from keys of the network to their own.
    vocabulary: digest of the tokens they were trained with, "" for none, None where unknown."""

    name: str
    sizes: Mapping[str, Size]
    keys: Mapping[str, str]
    tensors: Mapping[str, Tensor] | Path
    vocabulary: str | None = None


def fit_of(needed: Mapping[str, Size], held: SourceWeights, leave_out: list[str]) -> Fit:
    """Compare names and sizes. Raises TrainingError for a block to leave out that is not there."""
    for block in leave_out:
        if not any(_inside(key, block) for key in needed):
            blocks = ", ".join(dict.fromkeys(key.partition(".")[0] for key in needed))
            message = f"{PLACE}.leave_out names {block}, which has no weights in this network."
            raise TrainingError(f"{PLACE}.leave_out", message, f"It has {blocks}.")
    left = [key for key in needed if any(_inside(key, block) for block in leave_out)]
    required = {key: size for key, size in needed.items() if key not in set(left)}
    sizes_found = {key: held.sizes.get(held.keys.get(key, key)) for key in required}
    other = {
        k: (required[k], size) for k, size in sizes_found.items() if size not in (None, required[k])
    }
    keys_read = {held.keys.get(key, key) for key in needed}
    return Fit(
        loaded=tuple(k for k in required if sizes_found[k] is not None and k not in other),
        missing=tuple(k for k in required if sizes_found[k] is None),
        other={k: (needs, has) for k, (needs, has) in other.items() if has is not None},
        left_out=tuple(left),
        unused=tuple(key for key in held.sizes if key not in keys_read),
    )


def _inside(key: str, block: str) -> bool:
    return key == block or key.startswith(f"{block}.")


def parameter_sizes(source: str, class_name: str) -> dict[str, Size]:
    """Sizes of all that a network's state_dict holds; no memory is taken for them."""
    with torch.device("meta"):
        module = build(source, class_name)
    return {key: tuple(value.shape) for key, value in module.state_dict().items()}


def source_weights(
    setting: Mapping[str, Any], runs_dir: Path, beside: Path | None
) -> SourceWeights:
    """Open what the setting names; a run that is branched off has kept what it began with.

    Raises TrainingError, CheckpointError.
    """
    if beside is not None and (beside / "spec.json").is_file() and (beside / FILE).is_file():
        start = read_json(beside / "spec.json").get("start") or {}
        name, tokens = str(start.get("from", FILE)), start.get("vocabulary")
        return replace(_weights_of_file(beside / FILE), name=name, vocabulary=tokens)
    if "run" in setting:
        return _weights_of_run(runs_dir / setting["run"], setting["which"])
    name = setting["weights"]
    if beside is None:
        message = f"{name} must be in the folder of the project, which has not been saved yet."
        raise TrainingError(PLACE, message, "Save the project first.")
    return _weights_of_file(beside / name)


def _weights_of_run(run_dir: Path, which: str) -> SourceWeights:
    if not (run_dir / "spec.json").is_file():
        message = f"There is no run called {run_dir.name}."
        raise TrainingError(f"{PLACE}.run", message, "Choose another run, or random weights.")
    state = checkpoint.load(run_dir, which)
    tensors = weights_of(state)
    name = f"the {which} weights of {run_dir.name} (epoch {state['epoch']})"
    sizes = {k: tuple(v.shape) for k, v in tensors.items()}
    return SourceWeights(name, sizes, {}, tensors, digest_of(read_vocabulary(run_dir)))


def _weights_of_file(path: Path) -> SourceWeights:
    if not path.is_file() or path.is_symlink():
        message = f"There is no {path.name} in the folder of the project."
        raise TrainingError(f"{PLACE}.weights", message, "Copy it there, or choose other weights.")
    try:
        with safe_open(path, "pt") as file:
            header = file.metadata() or {}
            names: list[str] = list(file.keys())
            sizes = {key: tuple(file.get_slice(key).get_shape()) for key in names}
    except (SafetensorError, OSError) as error:
        message = f"{path.name} cannot be read as safetensors: {str(error)[:200]}"
        raise TrainingError(f"{PLACE}.weights", message, "Export it again.") from error
    keys = {k.removeprefix("key:"): v for k, v in header.items() if k.startswith("key:")}
    return SourceWeights(path.name, sizes, keys, path, header.get("vocabulary"))


def refuse(fit: Fit, held: SourceWeights) -> None:
    """Raise TrainingError with the sizes unless all weights that are not left out fit."""
    if not fit.missing and not fit.other:
        return
    count = len(fit.missing) + len(fit.other)
    if fit.other:
        key, (needs, has) = next(iter(fit.other.items()))
        first = f"{key} needs {needs} but has {has} in {held.name}"
    else:
        first = f"{fit.missing[0]} is not in {held.name}"
    more = f", and {count - 1} more of {len(fit.loaded) + count} do not fit" if count > 1 else ""
    listed = ", ".join(fit.blocks[:SHOWN]) + (", ..." if len(fit.blocks) > SHOWN else "")
    hint = f"Leave out {listed} to start with random weights there, or choose other weights."
    if not fit.loaded:
        hint = "Nothing fits. Choose the weights of a similar network."
    raise TrainingError(PLACE, f"{first}{more}.", hint)


def collect_weights(
    setting: Mapping[str, Any], network: tuple[str, str], runs_dir: Path, beside: Path | None
) -> tuple[bytes, dict[str, Any]]:
    """The bytes of start.safetensors, and what the run notes of them.

    network: source and class name. Raises RunError when they do not fit as asked.
    """
    held = source_weights(setting, runs_dir, beside)
    fit = fit_of(parameter_sizes(*network), held, setting["leave_out"])
    refuse(fit, held)
    if isinstance(held.tensors, Path):
        with safe_open(held.tensors, "pt") as file:
            chosen = {key: file.get_tensor(held.keys.get(key, key)) for key in fit.loaded}
    else:
        chosen = {key: held.tensors[key].detach().cpu().clone() for key in fit.loaded}
    content = save({key: tensor.contiguous() for key, tensor in chosen.items()})
    return content, {
        "from": held.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "loaded": len(fit.loaded),
        "left_out": list(setting["leave_out"]),
        "unused": len(fit.unused),
        **({} if held.vocabulary is None else {"vocabulary": held.vocabulary}),
    }


def load_initial_weights(run_dir: Path, module: nn.Module, spec: Mapping[str, Any]) -> str:
    """Load the weights a run begins with; returns what happened, "" where they are random.

    Raises RunError when the file is not the one the run was prepared with.
    """
    start = spec.get("start")
    if not start:
        return ""
    path = run_dir / FILE
    if not path.is_file() or checkpoint.hash_of(path) != start["sha256"]:
        message = f"{FILE} of {run_dir.name} was changed after the run was created."
        raise RunError(run_dir.name, message, "Start a new run.")
    load_into(module, load_file(path), bool(start["left_out"]))
    return describe(start)


def load_into(module: nn.Module, tensors: Mapping[str, Tensor], some: bool) -> None:
    """Put weights into a module, all that it has or only some."""
    with torch.no_grad():
        module.load_state_dict(tensors, strict=not some)


def try_weights(text: str, runs_dir: str, beside: str) -> dict[str, Any]:
    """How the weights that a project's text names fit, for its page: Fit as JSON, and "problem"."""
    from core.analyse import analyse_project
    from core.project import read_text
    from core.settings.init_weights import read_init_weights

    project = read_text(text)
    report = analyse_project(project)
    setting = read_init_weights(project.training.get("start_from"))
    if setting is None or report.source is None:
        return {}
    needed = parameter_sizes(report.source, report.class_name)
    held = source_weights(setting, Path(runs_dir), Path(beside) if beside else None)
    fit = fit_of(needed, held, setting["leave_out"])
    problem, hint = "", ""
    try:
        refuse(fit, held)
    except TrainingError as error:
        problem, hint = error.message, error.hint
    return {
        "name": held.name,
        "loaded": len(fit.loaded),
        "missing": list(fit.missing),
        "other": [[key, list(needs), list(has)] for key, (needs, has) in fit.other.items()],
        "left_out": list(fit.left_out),
        "unused": list(fit.unused),
        "blocks": fit.blocks if fit.loaded else [],
        "all": list(dict.fromkeys(key.partition(".")[0] for key in needed)),
        "problem": problem,
        "hint": hint,
    }
