"""Checks of scaled_dot_product_attention."""

from collections.abc import Iterator

from blocks.checks.attention import equal_sizes, mask_dtype, wrong_mask
from blocks.checks.fixes import disconnect, insert, same_as, set_to
from blocks.checks.joins import differ
from blocks.signature import Dim, Signature
from blocks.spec import Inputs, Problem, Settings


def products_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check query, key and value of scaled_dot_product_attention."""
    query, key, value = (inputs[name] for name in ("query", "key", "value"))
    if not query.rank == key.rank == value.rank:
        yield Problem(
            "wrong_rank",
            "needs query, key and value with the same number of dimensions "
            f"but receives {query}, {key} and {value}.",
            "Give all three the form (N, heads, L, E) or (N, L, E).",
            (
                *((same_as("value", "key"),) if value.rank != key.rank else ()),
                *((same_as("key", "query"),) if key.rank != query.rank else ()),
                disconnect("value"),
            ),
        )
        return
    if differ(query.shape[-1], key.shape[-1]):
        width = key.shape[-1]
        yield Problem(
            "feature_mismatch",
            f"needs query and key with equal last sizes but receives {query} and {key}.",
            "Bring the query to the features of the key.",
            (insert("query", "Linear", out_features=width), disconnect("key")),
        )
    yield from equal_sizes("query", "key", query, key, (0,))
    yield from equal_sizes("key", "value", key, value, (0, -2))
    if query.rank == 4:
        yield from heads_fit(settings, query, key, value)


def heads_fit(
    settings: Settings, query: Signature, key: Signature, value: Signature
) -> Iterator[Problem]:
    """Check the head dimension: equal, one for all, or a divisor with enable_gqa."""
    of_query, of_key, of_value = query.shape[1], key.shape[1], value.shape[1]
    fits = not differ(of_query, of_key)
    if settings["enable_gqa"] and isinstance(of_query, int):
        fits = shareable(of_query, of_key)
    if of_key == of_value == 1:
        return  # torch repeats one head for all of the query's
    if differ(of_key, of_value) or not fits:
        share = of_key == of_value and shareable(of_query, of_key)
        yield Problem(
            "heads_divide" if differ(of_query, of_key) else "unequal_shapes",
            f"has {of_query} query heads but receives {of_key} heads of keys and {of_value} "
            "of values.",
            "Use as many heads everywhere, or a divisor with enable_gqa.",
            (
                *((set_to(enable_gqa=True),) if share else ()),
                same_as("value", "key")
                if not differ(of_query, of_key)
                else same_as("key", "query"),
                disconnect("key"),
            ),
        )


def product_mask_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check the mask of scaled_dot_product_attention, which may repeat sizes of 1."""
    mask = inputs.get("attn_mask")
    if not isinstance(mask, Signature):
        return
    yield from mask_dtype("attn_mask", mask)
    query, key = inputs["query"], inputs["key"]
    wanted = (*query.shape[:-1], key.shape[-2])
    tail = wanted[len(wanted) - mask.rank :] if mask.rank <= len(wanted) else ()
    if not tail or any(differ(a, b) and a != 1 for a, b in zip(mask.shape, tail, strict=True)):
        yield wrong_mask("attn_mask", wanted, mask)
    if settings["is_causal"]:
        yield Problem(
            "bad_setting",
            "has is_causal=True but receives a mask too.",
            "Use one of the two: is_causal makes its own mask.",
            (set_to(is_causal=False), disconnect("attn_mask")),
        )


def shareable(of_query: Dim, of_key: Dim) -> bool:
    """Whether the query's heads can share those of the keys."""
    return isinstance(of_query, int) and isinstance(of_key, int) and of_query % of_key == 0
