"""The network that texts with a class get by default, beside a linear model on their word counts.

Run: python -m tests.bench.texts [SEEDS]; kept in texts.md. Both learn from the same rows and are
judged on the same: accuracy of validation in percent, mean of the seeds, each with its own split.
The network is the one of "Make a network for this data", with the settings suggested for it; the
linear model is scikit-learn's logistic regression on CountVectorizer.
"""

import csv
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from app.process import pool
from app.services import documents, first_network
from core.data import load, read_settings
from core.data.facts.metadata import read_own
from core.data.sources.io_spec import End
from core.project import Project
from core.project.values import frozen
from tests.bench.first_networks import trained

FIGURES = Path(__file__).with_name("texts.md")
Rows = list[tuple[str, str]]
CLASSES, WORDS, TEXTS = 4, 1200, 2000  # of the generated topics


def messages() -> Rows:
    """60 short messages whose class stands in two words, with numbers that say nothing."""
    kinds = (("ham", "see you"), ("spam", "win cash"))
    rng = random.Random(0)
    return [(*kinds[i % 2][:1], f"{kinds[i % 2][1]} {i} {rng.randrange(9000)}") for i in range(60)]


def topics(order: bool = False) -> Rows:
    """Texts of 5 to 40 words of four topics that share most words, rare ones many.

    order: of two classes that have the same words, one before the other.
    """
    rng, found = random.Random(1), Rows()
    for number in range(TEXTS):
        label = number % (2 if order else CLASSES)
        words = [f"w{_place(rng, 0 if order else label)}" for _ in range(rng.randrange(5, 41))]
        if order:
            pair = ["before", "after"] if label else ["after", "before"]
            at = rng.randrange(len(words))
            words[at:at] = pair
        found.append((f"c{label}", " ".join(words)))
    return found


def _place(rng: random.Random, label: int) -> int:
    """The place of a word: the frequent ones come first; one of seven is of the topic."""
    place = int(rng.paretovariate(0.7)) % WORDS
    return WORDS + place * CLASSES + label if rng.random() < 1 / 7 else place


SETS = {"messages (60)": messages(), "topics (2,000)": topics(), "order of words": topics(True)}


def linear(data: dict[str, str], rows: Rows, seed: int) -> float:
    """Accuracy of logistic regression on word counts, on the rows of a run with this seed."""
    settings = read_settings(data)
    ends = (End("text", settings.source.shape, "int64"),), (len(settings.source.classes),)
    parts = load(data, *ends, seed=seed)
    texts, labels = [text for _, text in rows], [label for label, _ in rows]
    train, validation = parts.train_indices.tolist(), parts.validation_indices.tolist()
    counts = CountVectorizer(token_pattern=r"(?u)\w+|[^\w\s]").fit([texts[i] for i in train])
    model = LogisticRegression(max_iter=2000)
    model.fit(counts.transform([texts[i] for i in train]), [labels[i] for i in train])
    given = counts.transform([texts[i] for i in validation])
    return 100 * float(model.score(given, [labels[i] for i in validation]))


def network(data: dict[str, str]) -> Project:
    """The default network of a file, with the suggested settings."""
    document = documents.empty()
    document.change(data=frozen(data))
    first_network.make(document)
    return document.project


@contextmanager
def workspace() -> Iterator[Path]:
    """An empty folder that data is read from."""
    names = ("LAYERLOOM_WORKSPACE", "LAYERLOOM_HOME")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= dict.fromkeys(names, folder)
        try:
            yield Path(folder)
        finally:
            pool.close()
            for name, value in before.items():
                os.environ.pop(name, None)
                os.environ |= {} if value is None else {name: value}


def line(name: str, rows: Rows, seeds: range) -> str:
    """A row of the table."""
    with workspace() as folder:
        with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("label", "text"), *rows])
        data = {"source": "TextCSV", "file": "texts.csv", "target_column": "label"}
        read_own(data)
        simple = [linear(data, rows, seed) for seed in seeds]
        found = trained(network(data), seeds)
    mine, theirs = found["figure"], statistics.mean(simple)
    return f"| {name} | {len(rows):,} | {mine:.1f} | {theirs:.1f} | {found['seconds']:.1f} |"


def main(words: list[str]) -> None:
    """Measure all sets and keep the table."""
    seeds = range(int(words[0]) if words else 2)
    lines = [
        "# Texts with a class",
        "",
        "Measured by `python -m tests.bench.texts`, which says what it is: accuracy of validation "
        f"in percent, mean of {len(seeds)} seeds. The last set differs in the order of words only, "
        "which neither sees.",
        "",
        "| set | texts | our default network | linear model on counts | seconds of a run |",
        "|---|---|---|---|---|",
    ]
    for name, rows in SETS.items():
        lines.append(line(name, rows, seeds))
        sys.stderr.write(lines[-1] + "\n")
    FIGURES.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
