"""The data settings of a project file are read strictly and explained when wrong."""

import pickle

import pytest

from core.data import DataError, read_settings


def test_what_is_left_out_takes_its_default():
    digits = read_settings({"source": "digits"})
    assert (digits.target, digits.noise, digits.validation) == ("label", 0.0, 0.2)
    assert (digits.normalize, digits.limit) == (False, None)
    assert read_settings({"source": "iris"}).normalize is True
    assert read_settings({"source": "MNIST"}).validation is None  # its own test part validates
    assert read_settings({"source": "MNIST", "validation": 0.1}).validation == 0.1


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (
            {},
            "The project has no data yet.",
            "Choose some on the Data page, or set data.source to a data set such as digits or "
            "iris, or to ImageFolder, MaskFolder, SoundFolder, CSV, NPZ, text, TextCSV, "
            "TextFolder, Dataset or "
            "SeriesCSV for your own.",
        ),
        (
            {"source": "mnist"},
            "There is no data set 'mnist'.",
            "Did you mean 'MNIST'? Choose digits, iris, wine, breast_cancer, diabetes, MNIST, "
            "FashionMNIST, CIFAR10, KMNIST, QMNIST, EMNIST, USPS, SVHN, CIFAR100, STL10, "
            "Flowers102, OxfordIIITPet, Food101, FGVCAircraft, DTD, EuroSAT, GTSRB, Imagenette, "
            "Caltech101, RenderedSST2, "
            "python_docs, letter_names, dates, waves, rides, digit_pairs, digit_rows, moons, "
            "circles, spirals, XOR, blobs, ImageFolder, MaskFolder, SoundFolder, CSV, NPZ, text, "
            "TextCSV, TextFolder, Dataset or SeriesCSV.",
        ),
        (
            {"source": "digits", "nois": 0.1},
            "data has no setting 'nois'.",
            "Did you mean 'noise'? Choose source, made, target, inputs, transform, noise, "
            "validation, "
            "normalize, limit, test, stratify, folds, fold, split, split_by, split_until, gap, "
            "split_seed or split_values.",
        ),
        (
            {"source": "digits", "target": "labels"},
            "data.target is 'labels'.",
            "Did you mean 'label'? Choose label, input, mask, pair or triplet.",
        ),
        (
            {"source": "digits", "validation": 1},
            "data.validation is 1.",
            "Use a number from 0.01 to 0.99.",
        ),
        (
            {"source": "digits", "noise": float("nan")},
            "data.noise is NaN.",
            "Use a number from 0 to 10.",
        ),
        ({"source": "digits", "noise": True}, "data.noise is true.", "Use a number from 0 to 10."),
        ({"source": "digits", "normalize": 1}, "data.normalize is 1.", "Use true or false."),
        (
            {"source": "digits", "limit": 32.0},
            "data.limit is 32.0.",
            "Use a whole number of samples, 2 or more.",
        ),
    ],
)
def test_a_wrong_setting_is_named_with_what_exists(data: dict, message: str, hint: str):
    with pytest.raises(DataError) as error:
        read_settings(data)
    assert (error.value.message, error.value.hint) == (message, hint)


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../../secrets", "http://example.org/x.gz", "__init__", ["digits"], 7, None],
)
def test_no_path_address_or_other_value_is_a_source(name: object):
    with pytest.raises(DataError, match="no data"):
        read_settings({"source": name})


@pytest.mark.parametrize("value", [10**400, -1, float("nan"), float("inf"), True, "0.1", None])
def test_a_noise_that_is_no_number_or_too_large_is_refused(value: object):
    with pytest.raises(DataError, match=r"data\.noise is") as caught:
        read_settings({"source": "digits", "noise": value})
    assert len(caught.value.message) < 100


def test_an_error_crosses_processes_whole():
    error = pickle.loads(pickle.dumps(DataError("It is not here.", "Fetch it.")))
    assert (error.message, error.hint, str(error)) == (
        "It is not here.",
        "Fetch it.",
        "It is not here. Fetch it.",
    )
