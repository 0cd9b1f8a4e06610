"""Fully connected layers."""

from blocks.checks.products import leading_sizes
from blocks.checks.sizes import flatten_first
from blocks.shared import FROM_2, NN, flag, floats
from blocks.spec import Block, Infer, Port, Setting, add

add(
    Block(
        "Linear",
        family="linear",
        summary="Makes every output a weighted sum of all inputs, plus a bias.",
        inputs=(floats(rank=FROM_2, form="(N, *, in_features)"),),
        settings=(
            Setting(
                "in_features",
                "int",
                "Number of inputs: the last size of the input.",
                low=1,
                positional=True,
                infer=Infer("input", -1),
            ),
            Setting(
                "out_features",
                "int",
                "Number of outputs, such as the number of classes.",
                start=10,
                low=1,
                positional=True,
            ),
            flag("bias", "Add a learned constant to each output.", True),
        ),
        init="nn.Linear",
        shape_in="(N, *, in_features)",
        shape_out="(N, *, out_features)",
        formula=r"y = x W^\mathsf{T} + b",
        reference=NN + "Linear.html",
        warnings=(flatten_first,),
        keywords=("dense", "fully connected", "fc", "perceptron", "mlp", "classifier"),
        traits=frozenset({"learns", "weighted", "dense"}),
        network="MLP",
    ),
    Block(
        "Bilinear",
        family="linear",
        summary="Combines two inputs: every output is a weighted sum of all products of"
        " their values.",
        inputs=(
            floats("input1", rank=FROM_2, form="(N, *, in1_features)"),
            floats("input2", rank=FROM_2, form="(N, *, in2_features)"),
        ),
        settings=(
            Setting(
                "in1_features",
                "int",
                "Number of values of the first input.",
                low=1,
                positional=True,
                infer=Infer("input1", -1),
            ),
            Setting(
                "in2_features",
                "int",
                "Number of values of the second input.",
                low=1,
                positional=True,
                infer=Infer("input2", -1),
            ),
            Setting(
                "out_features",
                "int",
                "Number of outputs.",
                start=10,
                low=1,
                positional=True,
            ),
            flag("bias", "Add a learned constant to each output.", True),
        ),
        init="nn.Bilinear",
        shape_in="(N, *, in1_features) and (N, *, in2_features)",
        shape_out="(N, *, out_features)",
        formula=r"y = x_1^\mathsf{T} W x_2 + b",
        reference=NN + "Bilinear.html",
        checks=(leading_sizes,),
        keywords=("two inputs", "interaction", "product"),
        traits=frozenset({"learns", "weighted", "uncounted"}),
    ),
    Block(
        "Identity",
        family="linear",
        summary="Passes its input on unchanged: a placeholder to swap for another block later.",
        inputs=(Port("input"),),
        init="nn.Identity",
        shape_in="any",
        shape_out="the same",
        formula=r"y = x",
        reference=NN + "Identity.html",
        keywords=("pass", "placeholder", "skip", "nothing"),
        traits=frozenset({"elementwise", "identity", "views"}),
    ),
)
