"""The built-in data sets: metadata, known without reading. Only these names reach a loader."""

from core.data.builtin.generated import MADE
from core.data.builtin.picture_sets import PICTURE_SETS
from core.data.sources.source import Shape, Source

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


CIFAR100 = (
    "apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge "
    "bus butterfly camel can castle caterpillar cattle chair chimpanzee clock cloud "
    "cockroach couch crab crocodile cup dinosaur dolphin elephant flatfish forest fox "
    "girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster man "
    "maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree "
    "pear pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray "
    "road rocket rose sea seal shark shrew skunk skyscraper snail snake spider squirrel "
    "streetcar sunflower sweet_pepper table tank telephone television tiger tractor train "
    "trout tulip turtle wardrobe whale willow_tree wolf woman worm "
).split()
HIRAGANA = ("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo")
CAPITALS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
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
    _torchvision(
        "KMNIST",
        "handwritten hiragana",
        (1, 28, 28),
        60_000,
        classes=HIRAGANA,
        download_bytes=21_240_000,
        about="Grey images of 28x28 pixels of ten Japanese letters in old cursive writing "
        "(Kuzushiji): as large as MNIST, and harder.",
    ),
    _torchvision(
        "QMNIST",
        "handwritten digits",
        (1, 28, 28),
        60_000,
        classes=DIGITS,
        test=60_000,
        download_bytes=20_000_000,
        about="MNIST rebuilt from NIST's files, with all 60,000 test digits.",
    ),
    _torchvision(
        "EMNIST",
        "handwritten letters and digits",
        (1, 28, 28),
        112_800,
        classes=(*DIGITS, *CAPITALS, *"abdefghnqrt"),
        test=18_800,
        download_bytes=561_750_000,
        about="Its balanced split: digits, capitals, and the small letters that do not look like "
        "their capitals. The original images are transposed: columns are rows.",
    ),
    _torchvision(
        "USPS",
        "digits of postal codes",
        (1, 16, 16),
        7291,
        classes=DIGITS,
        test=2007,
        download_bytes=8_400_000,
        about="Grey images of 16x16 pixels, scanned from envelopes.",
    ),
    _torchvision(
        "SVHN",
        "house numbers",
        (3, 32, 32),
        73_257,
        classes=DIGITS,
        test=26_032,
        download_bytes=246_316_178,
        about="Colour images of 32x32 pixels from street views; the class is the digit in the "
        "middle.",
    ),
    _torchvision(
        "CIFAR100",
        "photos",
        (3, 32, 32),
        50_000,
        classes=tuple(CIFAR100),
        download_bytes=169_001_437,
        about="Colour images of 32x32 pixels in 100 classes of 500 each.",
    ),
    _torchvision(
        "STL10",
        "photos",
        (3, 96, 96),
        5000,
        classes=(
            "airplane",
            "bird",
            "car",
            "cat",
            "deer",
            "dog",
            "horse",
            "monkey",
            "ship",
            "truck",
        ),
        test=8000,
        download_bytes=2_640_397_119,
        about="Colour images of 96x96 pixels, few of them with a class; the archive holds 100,000 "
        "more without one, which are not read.",
    ),
)
_FILES = tuple(each.source for each in PICTURE_SETS.values())
SOURCES = {source.name: source for source in (*_ALL, *_FILES, *MADE)}
