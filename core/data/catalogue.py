"""The built-in data sets: metadata, known without reading. Only these names reach a loader."""

from core.data.generated import MADE
from core.data.source import Shape, Source

DIGITS = tuple(str(digit) for digit in range(10))
MB = 1_000_000
IMAGES = ("label", "input", "mask", "pair", "triplet")


def _scikit(name: str, things: str, shape: Shape, samples: int, **facts: object) -> Source:
    kind = "image" if len(shape) == 3 else "table"
    facts = {"targets": IMAGES if kind == "image" else ("label", "input"), **facts}
    return Source(name, "scikit-learn", kind, things, shape, samples, **facts)  # type: ignore[arg-type]


def _torchvision(name: str, things: str, shape: Shape, samples: int, **facts: object) -> Source:
    facts = {"test": 10_000, "targets": IMAGES, **facts}
    return Source(name, "torchvision", "image", things, shape, samples, **facts)  # type: ignore[arg-type]


_ALL = (
    _scikit(
        "digits",
        "handwritten digits",
        (1, 8, 8),
        1797,
        classes=DIGITS,
        about="Grey images of 8x8 pixels, from 0 to 1, of digits written by hand.",
    ),
    _scikit(
        "iris",
        "iris flowers",
        (4,),
        150,
        classes=("setosa", "versicolor", "virginica"),
        about="Length and width of sepal and petal in cm, and the species.",
        columns=("sepal_length", "sepal_width", "petal_length", "petal_width"),
    ),
    _scikit(
        "wine",
        "wines",
        (13,),
        178,
        classes=("class_0", "class_1", "class_2"),
        about="Chemical analysis of wines from three growers.",
        columns=(
            "alcohol",
            "malic_acid",
            "ash",
            "alcalinity_of_ash",
            "magnesium",
            "total_phenols",
            "flavanoids",
            "nonflavanoid_phenols",
            "proanthocyanins",
            "color_intensity",
            "hue",
            "od280/od315_of_diluted_wines",
            "proline",
        ),
    ),
    _scikit(
        "breast_cancer",
        "biopsies",
        (30,),
        569,
        classes=("malignant", "benign"),
        about="Measures of cell nuclei in images of biopsies, and the diagnosis.",
    ),
    _scikit(
        "diabetes",
        "patients",
        (10,),
        442,
        about="Age, sex, body mass index, blood pressure and six serum values of patients.",
        target_name="disease progression after one year",
        columns=("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"),
    ),
    _torchvision(
        "MNIST",
        "handwritten digits",
        (1, 28, 28),
        60_000,
        classes=DIGITS,
        download_bytes=11_594_722,
        about="Grey images of 28x28 pixels, from 0 to 1, of digits.",
    ),
    _torchvision(
        "FashionMNIST",
        "pieces of clothing",
        (1, 28, 28),
        60_000,
        classes=(
            "T-shirt/top",
            "Trouser",
            "Pullover",
            "Dress",
            "Coat",
            "Sandal",
            "Shirt",
            "Sneaker",
            "Bag",
            "Ankle boot",
        ),
        download_bytes=30_878_645,
        about="Grey images of 28x28 pixels, from 0 to 1, of clothes.",
    ),
    _torchvision(
        "CIFAR10",
        "photos",
        (3, 32, 32),
        50_000,
        classes=(
            "airplane",
            "automobile",
            "bird",
            "cat",
            "deer",
            "dog",
            "frog",
            "horse",
            "ship",
            "truck",
        ),
        download_bytes=170_498_071,
        about="Colour images of 32x32 pixels, from 0 to 1, of animals and vehicles.",
    ),
)
SOURCES = {source.name: source for source in (*_ALL, *MADE)}
