"""Traits: what a block does, in a word that other code may ask for, declared beside the block.

What treats several blocks alike asks for a trait and never lists their names, so that a new block
is known everywhere by its declaration. A test runs the blocks to check the traits.
"""

from blocks.spec import CATALOGUE, TRAITS, Block


def having(*traits: str) -> frozenset[str]:
    """Name the blocks with any of these traits. Raises KeyError for one that is not declared."""
    wanted = _declared(traits)
    return frozenset(block.name for block in CATALOGUE.values() if block.traits & wanted)


def has(block: str, *traits: str) -> bool:
    """Whether a block, by name, has any of these traits; a composite has none.

    Raises KeyError for a trait that is not declared.
    """
    known = CATALOGUE.get(block)
    return bool(_declared(traits) and known and known.traits & set(traits))


def of_family(block: str, *families: str) -> bool:
    """Whether a block, by name, is of one of these families; a composite is of none."""
    known = CATALOGUE.get(block)
    return known is not None and known.family in families


def declaration(block: str) -> Block:
    """The declaration of a block by name; an empty one for a composite, which has no trait."""
    return CATALOGUE.get(block, _NONE)


def _declared(traits: tuple[str, ...]) -> frozenset[str]:
    for trait in traits:
        if trait not in TRAITS:
            raise KeyError(f"There is no trait {trait!r}; blocks/spec.py has {', '.join(TRAITS)}.")
    return frozenset(traits)


_NONE = Block("", family="", summary="")
