"""How far apart or how alike vectors are, and products of tensors."""

from blocks.checks.dims import in_range
from blocks.checks.floats import same_floats
from blocks.shared import FROM_2, NN, TORCH, dimension, flag, floats, operation
from blocks.spec import Block, Port, Setting, add

PAIR = (floats("x1", rank=FROM_2, form="(N, D)"), floats("x2", rank=FROM_2, form="(N, D)"))
TERM = r"[A-Za-z. ]{1,24}"
EQUATION = rf"{TERM}(?:,{TERM}){{0,7}}(?:->[A-Za-z. ]{{0,24}})?"

add(
    Block(
        "CosineSimilarity",
        family="arithmetic",
        summary="Compares two vectors by direction: 1 for the same, 0 for none in common.",
        inputs=PAIR,
        settings=(
            dimension("Dimension along which a vector lies.", 1),
            Setting("eps", "float", "Smallest divisor, for numerical safety.", 1e-8, low=0),
        ),
        init="nn.CosineSimilarity",
        shape_in="two tensors of the same shape",
        shape_out="that shape without dimension dim",
        formula=r"y = \frac{a \cdot b}{\max(\lVert a \rVert \lVert b \rVert, \epsilon)}",
        reference=NN + "CosineSimilarity.html",
        keywords=("siamese", "angle", "similar", "retrieval"),
    ),
    Block(
        "PairwiseDistance",
        family="arithmetic",
        summary="Measures how far apart two vectors are.",
        inputs=PAIR,
        settings=(
            Setting("p", "float", "The p of the norm; 2 is the usual length.", 2.0, low=0),
            Setting("eps", "float", "Small number added for numerical safety.", 1e-6, low=0),
            flag("keepdim", "Keep the last dimension with size 1.", False),
        ),
        init="nn.PairwiseDistance",
        shape_in="two tensors (N, D)",
        shape_out="(N,)",
        formula=r"y = \lVert a - b + \epsilon \rVert_p",
        reference=NN + "PairwiseDistance.html",
        keywords=("siamese", "metric", "euclidean", "contrastive"),
    ),
    Block(
        "cdist",
        family="arithmetic",
        summary="Measures the distance of every vector of one set to every one of another.",
        inputs=(floats("x1", rank=FROM_2, form="(N, L, D)"),
                floats("x2", rank=FROM_2, form="(N, S, D)")),
        settings=(Setting("p", "float", "The p of the norm; 2 is the usual length.", 2.0,
                          low=0),),
        forward="torch.cdist({x1}, {x2}{settings})",
        shape_in="(N, L, D) and (N, S, D)",
        shape_out="(N, L, S)",
        formula=r"y_{ij} = \lVert a_i - b_j \rVert_p",
        reference=TORCH + "cdist.html",
        checks=(same_floats,),
        keywords=("metric", "nearest neighbour", "clusters"),
    ),
    Block(
        "einsum",
        family="arithmetic",
        summary="Multiplies and sums tensors as an equation of letters says.",
        inputs=(Port("operands", kind="tensors", dtype="float",
                     help="One wire for every term."),),
        settings=(
            Setting("equation", "text", "Letters for the dimensions of every wire, then of the "
                    "result: 'bij,bjk->bik' multiplies matrices.",
                    start="...i,...i->...", pattern=EQUATION, positional=True),
        ),
        forward="torch.einsum({equation}, {operands})",
        shape_in="as the equation says",
        shape_out="as the equation says",
        formula=r"y_{bik} = \sum_j a_{bij} b_{bjk}",
        reference=TORCH + "einsum.html",
        keywords=("matrix product", "contraction", "einstein", "attention scores"),
    ),
    Block(
        "baddbmm",
        family="arithmetic",
        summary="Multiplies one pair of matrices for each sample and adds a third tensor.",
        inputs=(floats("input"), floats("batch1", rank=(3,), form="(N, L, E)"),
                floats("batch2", rank=(3,), form="(N, E, S)")),
        settings=(Setting("beta", "float", "Factor on the tensor added.", default=1),
                  Setting("alpha", "float", "Factor on the product.", default=1)),
        forward="torch.baddbmm({input}, {batch1}, {batch2}{settings})",
        shape_in="(N, L, S), (N, L, E) and (N, E, S)",
        shape_out="(N, L, S)",
        formula=r"y = \beta c + \alpha\,a b",
        reference=TORCH + "baddbmm.html",
        keywords=("matrix product", "attention scores"),
    ),
    Block(
        "addmm",
        family="arithmetic",
        summary="Multiplies two matrices and adds a third tensor.",
        inputs=(floats("input"), floats("mat1", rank=(2,), form="(N, E)"),
                floats("mat2", rank=(2,), form="(E, S)")),
        settings=(Setting("beta", "float", "Factor on the tensor added.", default=1),
                  Setting("alpha", "float", "Factor on the product.", default=1)),
        forward="torch.addmm({input}, {mat1}, {mat2}{settings})",
        shape_in="(S,), (N, E) and (E, S)",
        shape_out="(N, S)",
        formula=r"y = \beta c + \alpha\,a b",
        reference=TORCH + "addmm.html",
        checks=(same_floats,),
        keywords=("matrix product", "linear"),
    ),
    operation(
        "outer", "arithmetic", "Multiplies every value of one vector with every one of another.",
        "torch.outer({input}, {vec2})", r"y_{ij} = a_i b_j",
        inputs=(Port("input", rank=(1,), form="(L,)"), Port("vec2", rank=(1,), form="(S,)")),
        shape_in="(L,) and (S,)", shape_out="(L, S)", keywords=("product", "rotary", "table"),
    ),
    operation(
        "cumsum", "arithmetic", "Adds up values along a dimension, keeping every sum so far.",
        "torch.cumsum({input}{settings})", r"y_i = \sum_{j \le i} x_j",
        settings=(Setting("dim", "int", "Dimension to run along; -1 is the last.", start=-1),),
        checks=(in_range("dim"),), keywords=("running total", "integral", "prefix sum"),
    ),
    operation(
        "cumprod", "arithmetic", "Multiplies values along a dimension, keeping every product.",
        "torch.cumprod({input}{settings})", r"y_i = \prod_{j \le i} x_j",
        settings=(Setting("dim", "int", "Dimension to run along; -1 is the last.", start=-1),),
        checks=(in_range("dim"),), keywords=("running product",),
    ),
)  # fmt: skip
