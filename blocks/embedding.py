"""Tables of learned vectors, looked up by number."""

from dataclasses import replace

from blocks.checks.sizes import bag_weights, counts, padding_index
from blocks.shape import DTYPES, dtype_setting
from blocks.shared import NN, TORCH, flag, floats, whole
from blocks.spec import Block, Infer, Port, Setting, Settings, add

TOKENS = Port("input", dtype="int", rank=(1, 2, 3, 4), form="(N, *)", help="Indices of rows.")
PADDING = Setting(
    "padding_idx",
    "int",
    "Index of the padding token; its vector is not trained.",
    default=None,
    optional=True,
)
TABLE = (
    Setting(
        "num_embeddings",
        "int",
        "Number of different tokens; every input must be smaller.",
        start=1000,
        low=1,
        positional=True,
    ),
    Setting(
        "embedding_dim",
        "int",
        "Number of values in the vector of a token.",
        start=64,
        low=1,
        positional=True,
    ),
)
LIMITS = (
    Setting(
        "max_norm",
        "float",
        "Rescale vectors that are longer than this; leave empty for no limit.",
        default=None,
        low=0,
        optional=True,
    ),
    Setting("norm_type", "float", "The p of the norm for max_norm.", default=2.0, low=1),
    flag(
        "scale_grad_by_freq",
        "Divide the gradient of a token by how often it is in the batch.",
        False,
    ),
)
SPARSE = flag(
    "sparse",
    "Use sparse gradients, for very large tables; few optimisers support them.",
    False,
)


def call_arange(settings: Settings, ports: frozenset[str]) -> str:
    """Write the numbers of every sample's steps, or those up to an end."""
    dtype = "" if settings["dtype"] is None else ", dtype={dtype}"
    if settings["end"] is None and "end" not in ports:
        steps = "torch.arange({input}.size(1), device={input}.device" + dtype + ")"
        return steps + ".expand({input}.size(0), -1)"
    plain = settings["start"] == 0 and settings["step"] == 1
    numbers = "{end}" if plain else "{start}, {end}" + ", {step}" * (settings["step"] != 1)
    return f"torch.arange({numbers}, device={{input}}.device{dtype})"


PAPER = "Bengio, Ducharme, Vincent, Jauvin. A neural probabilistic language model. 2003"

add(
    Block(
        "Embedding",
        family="embedding",
        summary="Looks up a learned vector for every token number.",
        inputs=(TOKENS,),
        settings=(*TABLE, PADDING, *LIMITS, SPARSE),
        init="nn.Embedding",
        shape_in="(N, *) of integers",
        shape_out="(N, *, embedding_dim)",
        formula=r"y = W_{x}",
        reference=NN + "Embedding.html",
        paper=PAPER,
        checks=(padding_index,),
        keywords=("tokens", "words", "lookup", "vocabulary", "text", "category"),
        traits=frozenset({"learns"}),
    ),
    Block(
        "EmbeddingBag",
        family="embedding",
        summary="Looks up a vector for every token and combines those of a sample into one.",
        inputs=(
            replace(TOKENS, rank=(2,), form="(N, L)"),
            Port(
                "per_sample_weights",
                rank=(2,),
                dtype="float",
                form="(N, L)",
                optional=True,
                help="Weight of every token, with mode 'sum'.",
            ),
        ),
        settings=(
            *TABLE,
            *LIMITS,
            Setting(
                "mode",
                "choice",
                "How to combine the vectors.",
                default="mean",
                choices=("sum", "mean", "max"),
            ),
            SPARSE,
            flag("include_last_offset", "Only for offsets, which are not used here.", False),
            PADDING,
        ),
        init="nn.EmbeddingBag",
        shape_in="(N, L) of integers",
        shape_out="(N, embedding_dim)",
        formula=r"y = \frac{1}{L}\sum_{t=1}^{L} W_{x_t}",
        reference=NN + "EmbeddingBag.html",
        paper="Joulin, Grave, Bojanowski, Mikolov. "
        "Bag of tricks for efficient text classification. 2016",
        checks=(padding_index, bag_weights),
        keywords=("bag of words", "text", "fasttext", "tokens"),
        traits=frozenset({"learns"}),
    ),
    Block(
        "PositionEmbedding",
        family="embedding",
        summary="Gives a learned vector for every position of a sequence; "
        "add it to the sequence, since attention alone does not see the order.",
        inputs=(floats(rank=(3,), form="(N, L, features)"),),
        settings=(
            Setting(
                "num_embeddings",
                "int",
                "Number of positions: the length of the sequence.",
                low=1,
                positional=True,
                infer=Infer("input", 1),
            ),
            Setting(
                "embedding_dim",
                "int",
                "Number of features of each step.",
                low=1,
                positional=True,
                infer=Infer("input", -1),
            ),
        ),
        init="nn.Embedding",
        forward="{module}(torch.arange({input}.size(1), device={input}.device)"
        ".expand({input}.size(0), -1))",
        shape_in="(N, L, features)",
        shape_out="(N, L, features)",
        formula=r"y_t = W_t",
        reference=NN + "Embedding.html",
        paper="Gehring, Auli, Grangier, Yarats, Dauphin. "
        "Convolutional sequence to sequence learning. 2017",
        keywords=("position", "positional encoding", "transformer", "order", "learned"),
        traits=frozenset({"learns"}),
    ),
    Block(
        "arange",
        family="embedding",
        summary="Numbers the steps of a sequence 0, 1, 2, ... for every sample, or counts to end.",
        inputs=(
            Port("input", rank=(1, 2, 3, 4, 5, 6), form="(N, L, *)", help="Only its sizes count."),
            whole("end"),
        ),
        settings=(
            Setting("start", "int", "First number, if end is set.", default=0),
            Setting(
                "end",
                "int",
                "End of the count, excluded; leave empty to number the steps of every sample.",
                default=None,
                optional=True,
            ),
            Setting("step", "int", "Step between the numbers, if end is set.", default=1),
            replace(dtype_setting(None), choices=tuple(d for d in DTYPES if d != "bool")),
        ),
        forward=call_arange,
        writes=("torch.arange", "size", "expand", "device"),
        shape_in="(N, L, *)",
        shape_out="(N, L) of integers; with an end a vector",
        formula=r"y_t = t",
        reference=TORCH + "arange.html",
        checks=(counts,),
        keywords=("positions", "index", "count", "range"),
        traits=frozenset({"fresh"}),
    ),
)
