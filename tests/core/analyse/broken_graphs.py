"""Small broken graphs: for each code, the fix that mends them and the shape it leads to."""

from dataclasses import dataclass
from typing import Any

from core.graph import Composite, Edge, Graph
from tests.core.drawing import END, IMAGE, chain, draw


@dataclass(frozen=True)
class Case:
    """An error, the title of one offered fix, and what the mended network returns."""

    code: str
    node: str
    fix: str
    result: str
    graph: Graph


def block(name: str, block_name: str, **settings: Any) -> tuple[str, Any]:
    return (name, (block_name, settings))


def data(*shape: int, dtype: str = "float32", name: str = "data") -> tuple[str, Any]:
    return block(name, "Input", shape=shape, dtype=dtype)


def line(code: str, node: str, fix: str, result: str, *nodes: tuple[str, Any]) -> Case:
    """A case in which each node feeds the next, ending in the Output."""
    return Case(code, node, fix, result, chain(*nodes, END))


def wired(
    code: str, node: str, fix: str, result: str, nodes: list[tuple[str, Any]], *edges: str,
    composites: dict[str, Composite] | None = None,
) -> Case:  # fmt: skip
    return Case(code, node, fix, result, draw(dict([*nodes, END]), edges, composites))


def stray(graph: Graph, edge: Edge) -> Graph:
    """Add a wire that no edit would allow, as a file may hold it."""
    return Graph(graph.nodes, (*graph.edges, edge), graph.composites)


TOKENS = data(12, dtype="int64", name="tokens")
STEPS = data(20, 32)
TWICE = Composite({}, chain(("inp", "Input"), ("act", "ReLU"), ("out", "Output")))
OPEN = Composite({}, chain(("inp", "Input"), ("act", "ReLU")))
PAIR = Composite(
    {}, draw({"a": "Input", "b": "Input", "sum": "add", "out": "Output", "rest": "Output"},
             ["a -> sum.input", "b -> sum.other", "sum -> out", "b -> rest"]),
)  # fmt: skip
WRONG_INSIDE = Composite(
    {"channels": 8},
    chain(("inp", "Input"), block("conv1", "Conv2d", out_channels="=chanels", kernel_size=3),
          ("out", "Output")),
)  # fmt: skip
LOOP_INSIDE = Composite(
    {}, draw({"inp": "Input", "mix": ("add", {"other": 1.0}), "act": "ReLU", "out": "Output"},
             ["inp -> mix.input", "mix -> act", "act -> out"]),
)  # fmt: skip
LOOPED = Composite({}, stray(LOOP_INSIDE.graph, Edge("act", "output", "mix", "other")))
MANY = Composite({}, chain(("inp", "Input"), ("act", ("ReLU", {}, {"repeat": 30_000})),
                           ("out", "Output")))  # fmt: skip

CASES: tuple[Case, ...] = (
    wired("start_values", "mask", "Fill it with zeros", "(N, 4)",
          [data(4), block("mask", "Buffer", shape=(4,), init="tril"), ("join", "add")],
          "data -> join.input", "mask -> join.other", "join -> logits"),
    wired("start_values", "mask", "Make it float32", "(N, 4, 4)",
          [data(4, 4), block("mask", "Buffer", shape=(4, 4), init="causal", dtype="int64"),
           ("join", "add")],
          "data -> join.input", "mask -> join.other", "join -> logits"),
    line("channel_mismatch", "conv1", "Remove in_channels: the wire decides it",
         "(N, 8, 26, 26)", IMAGE,
         block("conv1", "Conv2d", in_channels=3, out_channels=8, kernel_size=3)),
    line("channel_mismatch", "conv1",
         "Insert Conv2d(out_channels=3, kernel_size=1) before it", "(N, 8, 26, 26)", IMAGE,
         block("conv1", "Conv2d", in_channels=3, out_channels=8, kernel_size=3)),
    line("feature_mismatch", "fc1", "Set in_features to 4", "(N, 3)", data(4),
         block("fc1", "Linear", in_features=5, out_features=3)),
    line("feature_mismatch", "fc1", "Insert Linear(out_features=5) before it", "(N, 3)", data(4),
         block("fc1", "Linear", in_features=5, out_features=3)),
    line("missing_flatten", "fc1", "Insert flatten(start_dim=1) before it", "(N, 10)", IMAGE,
         block("fc1", "Linear", in_features=784, out_features=10)),
    line("inferred_contradicts", "depth1", "Remove rank: the wire decides it", "(N, 4)", data(4),
         block("depth1", "StochasticDepth", p=0.5, mode="row", rank=3)),
    line("image_too_small", "conv1", "Set kernel_size to 4", "(N, 8, 1, 1)", data(3, 4, 4),
         block("conv1", "Conv2d", out_channels=8, kernel_size=5)),
    line("image_too_small", "conv1", "Set padding to 1", "(N, 8, 2, 2)", data(3, 4, 4),
         block("conv1", "Conv2d", out_channels=8, kernel_size=5)),
    line("wrong_rank", "conv1", "Insert unflatten(dim=1, sizes=[1, 28, 28]) before it",
         "(N, 8, 26, 26)", data(784), block("conv1", "Conv2d", out_channels=8, kernel_size=3)),
    line("wrong_rank", "conv1", "Use Conv1d(out_channels=8, kernel_size=3) instead",
         "(N, 8, 98)", data(3, 100), block("conv1", "Conv2d", out_channels=8, kernel_size=3)),
    wired("unequal_shapes", "join", "Insert Conv2d(out_channels=16, kernel_size=1, stride=2) "
          "before it", "(N, 16, 14, 14)",
          [IMAGE, block("conv1", "Conv2d", out_channels=16, kernel_size=3, stride=2, padding=1),
           ("join", "add")],
          "image -> conv1", "conv1 -> join.input", "image -> join.other", "join -> logits"),
    wired("unequal_shapes", "join", "Insert AdaptiveAvgPool2d(output_size=14) before it",
          "(N, 2, 14, 14)", [IMAGE, block("pool1", "MaxPool2d", kernel_size=2),
                             block("join", "cat", dim=1)],
          "image -> pool1", "pool1 -> join.tensors.0", "image -> join.tensors.1",
          "join -> logits"),
    wired("unequal_shapes", "attn1", "Connect the input of key to value, too", "(N, 20, 32)",
          [STEPS, data(9, 32, name="other"), block("attn1", "MultiheadAttention", num_heads=4,
                                                   batch_first=True)],
          "data -> attn1.query", "data -> attn1.key", "other -> attn1.value",
          "attn1 -> logits"),
    line("groups_divide", "conv1", "Set groups to 2", "(N, 8, 26, 26)", data(2, 28, 28),
         block("conv1", "Conv2d", out_channels=8, kernel_size=3, groups=4)),
    line("heads_divide", "enc1", "Set nhead to 4", "(N, 20, 32)", STEPS,
         block("enc1", "TransformerEncoderLayer", nhead=5, batch_first=True)),
    line("needs_integers", "emb1", "Set the Input's dtype to int64", "(N, 12, 8)", data(12),
         block("emb1", "Embedding", num_embeddings=50, embedding_dim=8)),
    line("needs_floats", "fc1", "Insert to(dtype='float32') before it", "(N, 3)", TOKENS,
         block("fc1", "Linear", out_features=3)),
    line("needs_floats", "gru1", "Insert Embedding(num_embeddings=1000, embedding_dim=64) "
         "before it", "(N, 12, 16)", TOKENS,
         block("gru1", "GRU", hidden_size=16, batch_first=True)),
    line("other_floats", "fc1", "Insert to(dtype='float32') before it", "(N, 3)",
         data(4), block("to1", "to", dtype="float64"), block("fc1", "Linear", out_features=3)),
    line("batch_dim", "take1", "Set dim to 1", "(N, 4)", data(3, 4),
         block("take1", "select", dim=0, index=0)),
    line("batch_first", "lstm1", "Set batch_first to true", "(N, 20, 16)", STEPS,
         block("lstm1", "LSTM", hidden_size=16)),
    line("dim_range", "soft1", "Set dim to 1", "(N, 4)", data(4),
         block("soft1", "Softmax", dim=3)),
    line("bad_setting", "drop1", "Set p to 1", "(N, 4)", data(4), block("drop1", "Dropout", p=1.5)),
    line("bad_setting", "conv1", "Set stride to 1", "(N, 8, 28, 28)", IMAGE,
         block("conv1", "Conv2d", out_channels=8, kernel_size=3, padding="same", stride=2)),
    line("bad_setting", "fc1", "Set out_features to 10", "(N, 10)", data(4),
         block("fc1", "Linear", out_features="=wide")),
    wired("bad_setting", "stage1.conv1", "Set out_channels to '=channels'", "(N, 8, 26, 26)",
          [IMAGE, ("stage1", "Stage")], "image -> stage1", "stage1 -> logits",
          composites={"Stage": WRONG_INSIDE}),
    line("unknown_setting", "fc1", "Remove 'out_feature'", "(N, 3)", data(4),
         block("fc1", "Linear", out_features=3, out_feature=4)),
    wired("unknown_setting", "stage1", "Remove 'depth'", "(N, 4)",
          [data(4), block("stage1", "Twice", depth=3)], "data -> stage1", "stage1 -> logits",
          composites={"Twice": TWICE}),
    line("unknown_block", "act", "Make act a ReLU", "(N, 4)", data(4), ("act", "Relu")),
    line("unknown_block", "odd", "Remove odd and join its wires", "(N, 4)", data(4),
         ("odd", "Frobnicate")),
    wired("unconnected", "join", "Connect data", "(N, 4)", [data(4), ("act", "ReLU"),
                                                            ("join", "add")],
          "data -> act", "act -> join.input", "join -> logits"),
    Case("cycle", "mix", "Remove act -> mix.other", "(N, 4)",
         stray(draw(dict([data(4), block("mix", "add", other=1.0), ("act", "ReLU"), END]),
                    ["data -> mix.input", "mix -> act", "act -> logits"]),
               Edge("act", "output", "mix", "other"))),
    Case("no_input", "", "Add an Input", "(N, 1, 28, 10)",
         chain(block("fc1", "Linear", out_features=10), END)),
    Case("no_output", "", "Add an Output", "(N, 3)",
         chain(data(4), block("fc1", "Linear", out_features=3))),
    wired("no_output", "stage1", "Add an Output inside Open, behind act", "(N, 4)",
          [data(4), ("stage1", "Open")], "data -> stage1", composites={"Open": OPEN}),
    wired("no_value", "logits", "Set need_weights of attn1 to true", "(N, 20, 20)",
          [STEPS, block("attn1", "MultiheadAttention", num_heads=4, batch_first=True,
                        need_weights=False)],
          "data -> attn1.query", "data -> attn1.key", "data -> attn1.value",
          "attn1.attn_output_weights -> logits"),
    wired("no_value", "logits", "Connect attn_output of attn1 instead", "(N, 20, 32)",
          [STEPS, block("attn1", "MultiheadAttention", num_heads=4, batch_first=True,
                        need_weights=False)],
          "data -> attn1.query", "data -> attn1.key", "data -> attn1.value",
          "attn1.attn_output_weights -> logits"),
    Case("unknown_port", "fc1", "Connect it to input", "(N, 3)",
         stray(draw(dict([data(4), block("fc1", "Linear", out_features=3), END]),
                    ["fc1 -> logits"]), Edge("data", "output", "fc1", "inputs"))),
    wired("wrong_kind", "logits", "Connect act to it instead", "(N, 4)",
          [data(4), ("act", "ReLU"), block("size1", "size", dim=1)],
          "data -> act", "act -> size1", "size1 -> logits"),
    wired("wrong_kind", "mix", "Connect act to it instead", "(N, 4)",
          [data(4), ("act", "ReLU"), block("size1", "size", dim=1), block("mix", "Tanh")],
          "data -> act", "act -> size1", "size1 -> mix", "mix -> logits"),
    wired("wrong_kind", "take1", "Insert size(dim=-1) before it", "(N, 1)",
          [data(4), block("take1", "narrow", dim=1, start=0, length=1), block("one", "Linear",
                                                                            out_features=3)],
          "data -> one", "data -> take1.input", "one -> take1.start", "take1 -> logits"),
    wired("weights_of", "fc2", "Share the weights of fc1", "(N, 4)",
          [data(4), block("fc1", "Linear", out_features=4),
           ("fc2", ("", {}, {"weights_of": "fc9"}))],
          "data -> fc1", "fc1 -> fc2.input", "fc2.output -> logits"),
    wired("weights_of", "fc2", "Give fc2 its own weights", "(N, 3)",
          [data(4), block("fc1", "Linear", out_features=3),
           ("fc2", ("", {}, {"weights_of": "fc1"}))],
          "data -> fc1", "fc1 -> fc2.input", "fc2.output -> logits"),
    line("bad_repeat", "join", "Set repeat of join to 1", "(N, 4)", data(4),
         ("join", ("add", {"other": 1.0}, {"repeat": 3}))),
    wired("bad_repeat", "pair", "Set repeat of pair to 1", "(N, 4)",
          [data(4), ("pair", ("Pair", {}, {"repeat": 2}))],
          "data -> pair.a", "data -> pair.b", "pair -> logits", composites={"Pair": PAIR}),
    wired("cycle", "stage1.mix", "Remove act -> mix.other", "(N, 4)",
          [data(4), ("stage1", "Looped")], "data -> stage1", "stage1 -> logits",
          composites={"Looped": LOOPED}),
    line("too_large", "fc1", "Set out_features to 268435456", "(N, 268435456)", data(1000),
         block("fc1", "Linear", out_features=2**30)),
    line("too_large", "act", "Set repeat of act to 17998", "(N, 4)", data(4),
         ("act", ("ReLU", {}, {"repeat": 20_020}))),
    wired("too_large", "stage1", "Set repeat of act in Many to 17997", "(N, 4)",
          [data(4), ("stage1", "Many")], "data -> stage1", "stage1 -> logits",
          composites={"Many": MANY}),
    line("torch", "odd", "Remove odd and join its wires", "(N, 4)", data(4),
         block("odd", "getitem", index="[:, 0, 0, 0]")),
)  # fmt: skip

AUX = block("aux", "Linear", in_features=7, out_features=4)[1]
KEPT = {"unused": True}


def kept(code: str, fix: str, entry: Any, *edges: str, node: str = "aux") -> Case:
    """A case of a node that forward does not call, beside a network of one layer."""
    nodes = [
        data(4),
        block("fc1", "Linear", out_features=4),
        ("aux", entry),
        block("join", "cat", dim=1),
    ]
    wires = ("data -> fc1", "fc1 -> join.tensors.0", "join -> logits", *edges)
    return wired(code, node, fix, "(N, 4)", nodes, *wires, composites={"Twice": TWICE})


CASES = (
    *CASES,
    kept("unused_operation", "Remove aux", ("add", {}, KEPT)),
    kept("unused_size", "Remove aux", ("Linear", {"out_features": 4}, KEPT)),
    kept("unused_composite", "Remove aux", ("Twice", {}, KEPT)),
    kept("unused_source", "Remove aux -> join.tensors.1", (*AUX, KEPT), "aux -> join.tensors.1",
         node="join"),
)  # fmt: skip
WARNED: tuple[Case, ...] = (
    kept("unused_layer", "Remove aux", (*AUX, KEPT)),
    line("batch_mixed", "mean1", "Set dim to [1]", "(N,)", data(4), block("mean1", "mean", dim=0)),
    line("in_place", "drop1", "Set inplace to false", "(N, 4)", data(4),
         block("fc1", "Linear", out_features=4), ("act", "Sigmoid"),
         block("drop1", "Dropout", inplace=True)),
    line("no_effect", "squeeze1", "Use Identity instead", "(N, 4)", data(4),
         block("squeeze1", "squeeze", dim=1)),
    line("missing_flatten", "fc1", "Insert flatten(start_dim=1) before it", "(N, 10)", IMAGE,
         block("fc1", "Linear", out_features=10)),
    line("batch_of_one", "bn1", "Use Identity instead", "(N, 8, 1, 1)", data(8, 1, 1),
         ("bn1", "BatchNorm2d")),
    wired("unused_result", "act", "Remove act", "(N, 3)",
          [data(4), block("fc1", "Linear", out_features=3), ("act", "ReLU")],
          "data -> fc1", "fc1 -> act", "fc1 -> logits"),
    wired("unused_input", "more", "Remove more", "(N, 3)",
          [data(4), data(4, name="more"), block("fc1", "Linear", out_features=3)],
          "data -> fc1", "fc1 -> logits"),
    line("slow_parametrization", "fc1", "Remove the parametrization", "(N, 2048)", data(4),
         block("fc1", "Linear", out_features=2048, parametrize="orthogonal")),
)  # fmt: skip
