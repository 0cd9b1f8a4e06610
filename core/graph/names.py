"""Node ids: a node's only name, so it must be safe as attribute, variable and state_dict key."""

import builtins
import functools
import keyword
import re

from blocks import CATALOGUE, declaration
from blocks.parametrize import CLASSES, FUNCTION_NAMES

ID = re.compile(r"\A[A-Za-z][A-Za-z0-9_]{0,39}\Z")

# Non-dunder attributes of torch.nn.Module; a test compares the list with torch itself.
MODULE_ATTRIBUTES = frozenset(
    """T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda
    double dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter
    get_submodule half ipu load_state_dict modules mtia named_buffers named_children named_modules
    named_parameters parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
    register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
    zero_grad""".split()
)
SOURCE_NAMES = frozenset("torch torchvision nn F self Tensor OrderedDict super range".split())
RESERVED = MODULE_ATTRIBUTES | SOURCE_NAMES | frozenset(dir(builtins)) | frozenset(keyword.kwlist)
ALLOWED_BUILTINS = frozenset({"input", "sum", "pow", "abs", "max", "min", "map", "filter", "bin"})
"""Builtins that no generated source calls, so a node may bear their name."""

CLASSES_TAKEN = (
    RESERVED
    | frozenset(
        """Callable DataLoader Dataset EpochBatches FORMATS Image Iterator RandomSampler
    SampledBatches Sampler Samples SequentialSampler TensorDataset WeightedRandomSampler""".split()
    )
    | FUNCTION_NAMES
    | frozenset(CLASSES)
)
"""What a class of the source may not be called: training files import or define the names below."""

BASES = {
    "convolution": "conv",
    "linear": "fc",
    "normalisation": "norm",
    "pooling": "pool",
    "dropout": "drop",
    "embedding": "embed",
}


def check_id(name: str) -> str | None:
    """Explain why `name` cannot be a node id; None if it can."""
    if not ID.match(name):
        return (
            "must start with a letter a-z or A-Z, then letters, digits or _, at most 40 characters"
        )
    if taken := reserved().get(name):
        return f"is {taken} ({name}); choose another"
    return None


@functools.cache
def reserved() -> dict[str, str]:
    """Reserved names, each with a description of its use."""
    return {name: _taken_by(name) for name in sorted(RESERVED - ALLOWED_BUILTINS)}


def _taken_by(name: str) -> str:
    if keyword.iskeyword(name):
        return "a keyword of Python"
    if name in SOURCE_NAMES:
        return "used by the generated code"
    if name in MODULE_ATTRIBUTES:
        return "an attribute that every nn.Module has"
    return "a built-in name of Python"


def default_base(block: str, family: str = "") -> str:
    """Choose the stem of ids for a block: conv for Conv2d, relu for ReLU."""
    stem = (
        declaration(block).stem or BASES.get(family) or re.sub(r"[^A-Za-z0-9_]", "", block).lower()
    )
    return stem[:30] or "node"


@functools.cache
def short_stems() -> frozenset[str]:
    """The stems that blocks declare: the first node with one has no number."""
    return frozenset(block.stem for block in CATALOGUE.values() if block.stem)


def fresh_id(base: str, taken: frozenset[str] | set[str]) -> str:
    """Find the first free id base1, base2, ... (or base itself where that is legal and free)."""
    if base not in taken and check_id(base) is None and base in short_stems():
        return base
    number = 1
    while f"{base}{number}" in taken or check_id(f"{base}{number}"):
        number += 1
    return f"{base}{number}"


def camel_case(name: str) -> str:
    """Write a name as a class's: inverted_residual becomes InvertedResidual; Block without one."""
    parts = re.findall(r"[A-Za-z0-9]+", name)
    joined = "".join(part[:1].upper() + part[1:] for part in parts).lstrip("0123456789")
    return joined or "Block"
