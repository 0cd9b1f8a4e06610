"""What the results of a run were judged on: data, samples, target, measure. Only alike compare.

The worker writes down which samples validated, as the split depends on seeds and on what lies in
the file; of older runs it is derived from their settings as far as those say. No torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.common.json_types import is_array, is_object
from core.data.builtin.catalogue import SOURCES
from core.data.facts.settings import VALIDATION
from core.data.sources.label_settings import KEYS as LABELS
from core.data.sources.split_by import KEYS as SPLIT_BY
from core.data.sources.table_settings import KEYS as TABLE

KEY = "judged_on"  # of baseline.json
SEED = "split_seed"
TARGET = ("target", "target_column", *LABELS)
SPLIT = ("test", "stratify", "folds", "fold", *(key for key in SPLIT_BY if key != SEED))
LEARNING = ("transform", "limit", "summary")
"""Settings of the data that change only what is learned from."""
READ = ("inputs", "columns", "categories", "normalize", "skip_corrupt", "loader_workers", *TABLE)
"""Settings of how samples are read, which does not make them other samples."""
MEASURE = ("loss", "loss_settings", "losses", "class_weights")
"""Settings of training that a validation loss depends on; other metrics do not."""


@dataclass(frozen=True)
class JudgedOn:
    """source: what names the data. read: how it is read. split: the settings that part it.

    content, samples: digests of the data and of what validates, "" where a run is older than they
    are. noise: on the inputs. measure: what a loss depends on.
    """

    source: str = ""
    read: str = ""
    split: str = ""
    target: str = ""
    noise: str = ""
    measure: str = ""
    content: str = ""
    samples: str = ""


def judged_on(spec: Mapping[str, Any], baseline: Mapping[str, Any]) -> JudgedOn:
    """What a run is judged on, by its spec.json and baseline.json. Raises for malformed ones."""
    data: Mapping[str, Any] = spec.get("data", {})
    training: Mapping[str, Any] = spec.get("training", {})
    kept = baseline.get(KEY)
    digests: Mapping[str, Any] = kept if is_object(kept) else {}
    apart = (*TARGET, "noise", "validation", SEED, *SPLIT, *LEARNING, *READ)
    normalize = data.get("normalize", False)
    return JudgedOn(
        _text({name: value for name, value in data.items() if name not in apart}),
        _text({name: data.get(name) for name in READ}),
        _text([*(data.get(name) for name in SPLIT), *_share_and_seed(data, training)]),
        _text([data.get(name) for name in TARGET if name in data or name not in LABELS]),
        _text(data.get("noise") or 0),
        _text([normalize, *(training.get(name) for name in MEASURE)]),
        str(digests.get("data", "")),
        str(digests.get("samples", "")),
    )


def _share_and_seed(data: Mapping[str, Any], training: Mapping[str, Any]) -> list[Any]:
    """The share that validates and the seed that chose it; a part of the makers' needs neither."""
    found = SOURCES.get(str(data.get("source", "")))
    makers = found is not None and (
        found.validation or (found.test and data.get("test") != "makers")
    )
    if makers and "validation" not in data and not data.get("folds"):
        return ["makers"]
    share = None if data.get("folds") else data.get("validation", VALIDATION)
    seed = training.get("seed", 0) if data.get(SEED) is None else data[SEED]
    return [share, None if data.get("split") == "time" else seed]


def _text(value: Any) -> str:
    """A value as a text to compare; settings in any order."""
    if is_object(value):
        return "{" + ", ".join(f"{key}: {_text(value[key])}" for key in sorted(value)) + "}"
    if is_array(value):
        return "[" + ", ".join(map(_text, value)) + "]"
    return repr(float(value)) if isinstance(value, int) else repr(value)


def difference(first: JudgedOn, second: JudgedOn, metric: str) -> str:
    """Why the results of two runs do not compare, "" where they do. metric: that judges them."""
    if not _same_data(first, second):
        return "on different data"
    if first.target != second.target:
        return "by different targets"
    if not _same_samples(first, second):
        apart = first.split != second.split
        return "on different splits of the data" if apart else "on different samples"
    if first.noise != second.noise:
        return "with different noise on the inputs"
    if metric.endswith("loss") and first.measure != second.measure:
        return "by different losses"
    return ""


def _same_data(first: JudgedOn, second: JudgedOn) -> bool:
    known = bool(first.content and second.content)
    if known and first.content == second.content:
        return True
    return first.source == second.source and (not known or first.read != second.read)


def _same_samples(first: JudgedOn, second: JudgedOn) -> bool:
    if first.samples and second.samples:
        return first.samples == second.samples
    return first.split == second.split


def groups(judged: Sequence[tuple[JudgedOn, str]]) -> list[int]:
    """The number of the group of each run, from 0: runs of one group compare.

    judged: what each is judged on, and its metric.
    """
    found: list[list[tuple[JudgedOn, str]]] = []
    numbers: list[int] = []
    for one in judged:
        fitting = (
            i for i, group in enumerate(found) if all(compares(one, other) for other in group)
        )
        number = next(fitting, len(found))
        if number == len(found):
            found.append([])
        if one not in found[number]:
            found[number].append(one)
        numbers.append(number)
    return numbers


def compares(first: tuple[JudgedOn, str], second: tuple[JudgedOn, str]) -> bool:
    """Whether two results compare: the same metric, judged on the same."""
    return first[1] == second[1] and not difference(first[0], second[0], first[1])
