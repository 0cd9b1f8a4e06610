"""A page says what the data is and how it fits, without torch and without reading it."""

import subprocess
import sys

import pytest

from blocks.signature import Batch, N, Signature
from core.data import DataError, describe, describe_project, ends
from core.project import Project


def test_describing_imports_neither_torch_nor_numpy_nor_sklearn():
    script = (
        "import sys; from core.data import describe;"
        "info = describe({'source': 'digits'}, (1, 28, 28), (10,));"
        "print(info.fit, sorted({'torch', 'numpy', 'sklearn', 'torchvision'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout == "resize 8x8 -> 28x28 []\n", found.stderr


@pytest.mark.parametrize(
    ("source", "shape", "fit"),
    [
        ("digits", (1, 8, 8), "as is"),
        ("digits", (8, 8), "reshape"),
        ("digits", (64,), "reshape"),
        ("digits", (1, 32, 32), "resize 8x8 -> 32x32"),
        ("MNIST", (28, 28), "reshape"),
        ("CIFAR10", (3, 64, 64), "resize 32x32 -> 64x64"),
        ("iris", (4,), "as is"),
        ("breast_cancer", (5, 6), "reshape"),
    ],
)
def test_a_sample_is_fitted_to_the_input(source: str, shape: tuple[int, ...], fit: str):
    assert describe({"source": source}, shape).fit == fit


@pytest.mark.parametrize(
    ("source", "shape", "message", "hint"),
    [
        (
            "iris",
            (1, 28, 28),
            "The Input needs (N, 1, 28, 28) but receives rows of (N, 4) from iris.",
            "Set its shape to [4].",
        ),
        (
            "digits",
            (3, 32, 32),
            "The Input needs (N, 3, 32, 32) but receives images of (N, 1, 8, 8) from digits.",
            "Set its shape to [1, 8, 8], or another height and width.",
        ),
        (
            "CIFAR10",
            (32, 32, 3),
            "The Input needs (N, 32, 32, 3) but receives images of (N, 3, 32, 32) from CIFAR10.",
            "Set its shape to [3, 32, 32], or another height and width.",
        ),
    ],
)
def test_samples_that_cannot_be_fitted_are_refused_with_both_shapes(
    source: str, shape: tuple[int, ...], message: str, hint: str
):
    with pytest.raises(DataError) as error:
        describe({"source": source}, shape)
    assert (error.value.message, error.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("data", "shape", "output", "message"),
    [
        (
            {"source": "digits"},
            (64,),
            (5,),
            "digits needs a score for each of 10 classes, (N, 10), but the network outputs "
            "(N, 5). Set out_features of the last Linear to 10.",
        ),
        (
            {"source": "diabetes"},
            (10,),
            (2,),
            "diabetes needs one number, (N, 1), but the network outputs (N, 2). "
            "Set out_features of the last Linear to 1.",
        ),
        (
            {"source": "digits"},
            (1, 28, 28),
            (1, 28, 10),
            "digits needs a score for each of 10 classes, (N, 10), but the network outputs "
            "(N, 1, 28, 10). Add a Flatten, or a mean, and then a Linear to 10.",
        ),
        (
            {"source": "digits", "target": "input"},
            (1, 28, 28),
            (1, 14, 14),
            "The target is the input, (N, 1, 28, 28), but the network outputs (N, 1, 14, 14). "
            "Make the last block give as many values as the Input takes.",
        ),
        (
            {"source": "digits", "target": "mask"},
            (1, 28, 28),
            (3, 28, 28),
            "A mask of (N, 1, 28, 28) needs 784 values or two scores for each, but the network "
            "outputs (N, 3, 28, 28). Make the last block give one channel of the image's height "
            "and width.",
        ),
        (
            {"source": "CIFAR10", "target": "mask"},
            (3, 32, 32),
            (1, 32, 32),
            "A mask marks the stroke of a grey image, but CIFAR10 has no grey images. "
            "Use digits, MNIST or FashionMNIST, or another target.",
        ),
    ],
)
def test_an_output_that_has_no_target_is_refused(
    data: dict, shape: tuple[int, ...], output: tuple[int, ...], message: str
):
    with pytest.raises(DataError) as error:
        describe(data, shape, output)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "shape", "output", "task", "target", "labels", "loss"),
    [
        ({"source": "iris"}, (4,), (3,), "classification", (), True, "CrossEntropyLoss"),
        (
            {"source": "breast_cancer"},
            (30,),
            (1,),
            "classification",
            (1,),
            False,
            "BCEWithLogitsLoss",
        ),
        ({"source": "diabetes"}, (10,), (1,), "regression", (1,), False, "MSELoss"),
        ({"source": "diabetes"}, (10,), (), "regression", (), False, "MSELoss"),
        (
            {"source": "digits", "target": "input"},
            (1, 8, 8),
            (64,),
            "image",
            (64,),
            False,
            "MSELoss",
        ),
        (
            {"source": "digits", "target": "mask"},
            (1, 8, 8),
            (1, 8, 8),
            "segmentation",
            (1, 8, 8),
            False,
            "BCEWithLogitsLoss",
        ),
        (
            {"source": "digits", "target": "mask"},
            (1, 8, 8),
            (2, 8, 8),
            "segmentation",
            (8, 8),
            True,
            "CrossEntropyLoss",
        ),
    ],
)
def test_task_and_target_follow_from_data_and_output(
    data: dict,
    shape: tuple[int, ...],
    output: tuple[int, ...],
    task: str,
    target: tuple[int, ...],
    labels: bool,
    loss: str,
):
    info = describe(data, shape, output)
    assert (info.task, info.target_shape, info.labels, info.losses[0]) == (
        task,
        target,
        labels,
        loss,
    )


@pytest.mark.parametrize(
    ("data", "train", "validation"),
    [
        ({"source": "digits"}, 1438, 359),
        ({"source": "iris", "validation": 0.3}, 105, 45),
        ({"source": "MNIST"}, 60_000, 10_000),
        ({"source": "MNIST", "validation": 0.1}, 54_000, 6_000),
        ({"source": "MNIST", "limit": 1000}, 1_000, 10_000),
    ],
)
def test_sizes_of_the_parts(data: dict, train: int, validation: int):
    shape = {"digits": (64,), "iris": (4,), "MNIST": (784,)}[data["source"]]
    info = describe(data, shape)
    assert (info.train_size, info.validation_size) == (train, validation)


def test_the_summary_is_a_sentence_for_people():
    assert describe({"source": "digits"}, (1, 28, 28)).summary == (
        "1,797 handwritten digits in 10 classes, resized from 8x8 to 28x28 pixels: "
        "1,438 training samples, 359 validation samples."
    )
    noisy = {"source": "digits", "target": "input", "noise": 0.3}
    assert describe(noisy, (1, 8, 8)).summary == (
        "1,797 handwritten digits to be reconstructed, with noise of 0.3: "
        "1,438 training samples, 359 validation samples."
    )
    assert describe({"source": "diabetes"}, (10,)).summary == (
        "442 patients with their disease progression after one year: "
        "354 training samples, 88 validation samples."
    )


def test_data_on_this_machine_is_distinguished_from_data_to_download(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path))
    assert describe({"source": "digits"}, (64,)).here is True
    mnist = describe({"source": "MNIST"}, (784,))
    assert (mnist.here, mnist.download_bytes) == (False, 11_594_722)


def test_ends_are_the_shapes_without_the_batch():
    inputs = [("image", Signature((N, 1, 28, 28)))]
    found = ends(inputs, [("logits", Signature((N, 10)))])
    assert [(end.name, end.shape) for side in found for end in side] == [
        ("image", (1, 28, 28)),
        ("logits", (10,)),
    ]


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (
            [("left", Signature((N, 4))), ("right", Signature((N, 4)))],
            [("y", Signature((N, 3)))],
            "Training needs one Input for each of input but the network has 2 (left, right). "
            'Keep as many, or set in data.inputs what each receives, such as {"right": "noise"}.',
        ),
        (
            [("x", Signature((N, 4)))],
            [],
            "Training needs an Output but the network has none. Add an Output.",
        ),
        (
            [("tokens", Signature((N, 12), "int64"))],
            [("y", Signature((N, 3)))],
            "tokens needs int64 but receives float32 from the data (iris). "
            "Set the dtype of tokens to float32.",
        ),
        (
            [("x", Signature((N, 4)))],
            [("y", Signature((Batch(4), 3)))],
            "y has the shape (4*N, 3), which is not one result for each sample. "
            "Keep the batch, N, as the first dimension.",
        ),
    ],
)
def test_a_network_that_data_cannot_meet_is_refused(inputs: list, outputs: list, message: str):
    with pytest.raises(DataError) as error:
        describe({"source": "iris"}, *ends(inputs, outputs))
    assert str(error.value) == message


@pytest.mark.parametrize("given", [None, [], {}, 1, "x", [1], [{}], [{"loss": None}]])
def test_what_is_no_list_of_losses_is_refused(given: object):
    project = Project(name="n", data={"source": "iris"}, training={"losses": given})
    with pytest.raises(DataError, match=r"training\.losses"):
        describe_project(project, (4,), (3,))
