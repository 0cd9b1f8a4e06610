"""The dispatcher's table of kernels."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.operators.limits import behind_one
from core.wings.cards.sentence import compared

CARD = Card(
    name="dispatcher-table",
    topic="Custom operators and control flow",
    title="The dispatcher: which kernel runs",
    why="Each operation of torch has a table of kernels, one for each key: a device, autograd, "
    "autocast, tracing. A call asks the keys of its tensors from the highest to the lowest.",
    question="A new device uses the key PrivateUse1. For how many operations of this network "
    "would its maker have to write a kernel?",
    numbers=(
        Number("missing", "Operations without a kernel under PrivateUse1"),
        Number("different", "Different operations of the network"),
        Number("kernels", "Keys with a kernel, of this block's operation"),
        Number("passed", "Kernels that a call of it with gradients runs"),
    ),
    pictures=(
        CardPicture(
            "table",
            "The operations of the network",
            ("rows",),
            "As they arrive below autograd. Own: registered for this key. One for all devices: "
            "calls other kernels below autograd. Passed over: the next key is tried.",
            ("operation", "AutocastCPU", "AutogradCPU", "CPU", "Meta", "PrivateUse1"),
        ),
        CardPicture(
            "table",
            "The way of a call with gradients",
            ("way",),
            "The keys of a tensor on the CPU that needs a gradient, the highest first, for the "
            "last operation of this block.",
            ("key", "kernel"),
        ),
        CardPicture(
            "table",
            "All kernels of this block's operation",
            ("full",),
            "The whole table of the dispatcher, with the file that registered each kernel.",
            ("key", "kernel", "registered in"),
        ),
    ),
    references=(
        (
            "Registering a dispatched operator",
            "https://docs.pytorch.org/tutorials/advanced/dispatcher.html",
        ),
        (
            "A new backend by PrivateUse1",
            "https://docs.pytorch.org/tutorials/advanced/privateuseone.html",
        ),
    ),
    findings=(
        *compared(
            ("missing", "different"),
            lambda values: values["missing"] > 0,
            "{missing} of {different} operations have no kernel under PrivateUse1: a new device "
            "registers one for each with torch.library. The kernels of the others call these.",
            "All {different} operations are made of others here, which the device has to have.",
        ),
        *compared(
            ("named", "path", "passed"),
            lambda values: values["passed"] > 1,
            "A call of {named} with gradients runs {path}.",
            "A call of {named} runs {path} only.",
        ),
    ),
    after="PrivateUse1 is a key that torch keeps free: a device that torch does not know uses it "
    "without a change to torch, under a name that torch.utils.rename_privateuse1_backend sets.",
    parts=behind_one,
    without_part="It needs a block that gives one tensor, and there is none.",
    targets=False,
)
