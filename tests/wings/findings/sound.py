"""Sound data: what scikit-learn has, what comes with Layerloom, and tables that a formula makes."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.data import SOURCES
from tests.wings.findings.planted import CITIES, KINDS, Rows, ordered, people, put


def tables() -> Iterator[tuple[str, Rows]]:
    """Sound tables; the last column is the target."""
    yield from _of_scikit_learn()
    rng = np.random.default_rng(5)
    for count in (60, 240, 1000):
        for classes in (2, 3, 5):
            yield f"people, {classes} classes, {count} rows", people(rng, count, classes)
        yield f"people, amount, {count} rows", people(rng, count, numbers=True)
    yield from _as_people_have_them(rng)


def embedded() -> Iterator[tuple[str, dict[str, Any]]]:
    """Tables that come with Layerloom, as data settings."""
    for name, source in SOURCES.items():
        if source.kind == "table" and source.embedded:
            yield name, {"source": name}


def _of_scikit_learn() -> Iterator[tuple[str, Rows]]:
    from sklearn import datasets as of

    for name in ("iris", "wine", "breast_cancer", "diabetes", "linnerud"):
        found: Any = getattr(of, f"load_{name}")()
        answers = found.target if found.target.ndim == 1 else found.target[:, 0]
        names = [str(n) for n in getattr(found, "target_names", ())]
        words = [names[i] for i in answers] if found.target.dtype.kind == "i" else answers
        yield f"scikit-learn's {name}", _rows(found.data, words)
    for name, made in (
        ("moons", of.make_moons(300, noise=0.2, random_state=1)),
        ("circles", of.make_circles(300, noise=0.1, factor=0.5, random_state=1)),
        ("blobs", of.make_blobs(300, 4, centers=4, random_state=1)[:2]),
        ("blobs far apart", of.make_blobs(300, 3, centers=3, cluster_std=0.3, random_state=2)[:2]),
        ("classification", of.make_classification(400, 12, random_state=1)),
        (
            "three classes",
            of.make_classification(400, 10, n_informative=5, n_classes=3, random_state=1),
        ),
        ("rare classes", of.make_classification(600, 8, weights=[0.95], random_state=1)),
        ("quantiles", of.make_gaussian_quantiles(n_samples=300, n_features=3, random_state=1)),
        ("Hastie", of.make_hastie_10_2(500, random_state=1)),
    ):
        yield f"scikit-learn's {name}", _rows(made[0], [f"c{int(i)}" for i in made[1]])
    for name, made in (
        ("regression", of.make_regression(300, 8, n_informative=4, noise=10, random_state=1)),
        (
            "regression, one strong",
            of.make_regression(300, 5, n_informative=1, noise=5, random_state=1),
        ),
        ("Friedman 1", of.make_friedman1(400, noise=1, random_state=1)),
        ("Friedman 2", of.make_friedman2(400, noise=20, random_state=1)),
        ("Friedman 3", of.make_friedman3(400, noise=0.1, random_state=1)),
        ("Swiss roll", of.make_swiss_roll(400, noise=0.3, random_state=1)),
        ("S curve", of.make_s_curve(400, noise=0.1, random_state=1)),
        ("sparse", of.make_sparse_uncorrelated(300, random_state=1)),
    ):
        yield f"scikit-learn's {name}", _rows(made[0], made[1])


def _rows(values: Any, answers: Any) -> Rows:
    columns = {f"x{i}": values[:, i].round(4).tolist() for i in range(values.shape[1])}
    return {**columns, "y": [a if isinstance(a, str) else round(float(a), 4) for a in answers]}


def _as_people_have_them(rng: Any) -> Iterator[tuple[str, Rows]]:
    """What looks like a fault and is none."""
    table = people(rng, 300)
    yield "numbered in any order", put(table, "nr", rng.permutation(300) + 1)
    yield "long tails", put(table, "views", np.exp(rng.normal(5, 2, 300)).round())
    yield (
        "a date of birth",
        put(
            table,
            "born",
            [f"{y}-{m:02d}-11" for y, m in rng.integers([1950, 1], [2005, 13], (300, 2))],
        ),
    )
    yield "a site of twelve", put(table, "site", [f"s{i}" for i in rng.integers(0, 12, 300)])
    yield "grades with -1", put(table, "grade", rng.integers(-1, 4, 300))
    yield "sorted by class", ordered(table, np.argsort(table["label"], kind="stable"))
    yield (
        "gaps",
        put(
            table,
            "lab",
            ["" if rng.uniform() < 0.1 else round(rng.normal(), 2) for _ in range(300)],
        ),
    )
    yield "mostly zeros", put(table, "claims", rng.poisson(0.1, 300))
    yes = [KINDS[int(a)] for a in rng.integers(0, 2, 400)]
    marks: Rows = {
        f"q{i}": [int(rng.uniform() < 0.3 + 0.4 * (y == "ash")) for y in yes] for i in range(5)
    }
    yield "questions with yes and no", {**marks, "label": yes}
    yield (
        "categories only",
        {
            "city": [CITIES[i] for i in rng.integers(0, 5, 500)],
            "size": [("s", "m", "l")[i] for i in rng.integers(0, 3, 500)],
            "sold": [("yes", "no")[i] for i in rng.integers(0, 2, 500)],
        },
    )
