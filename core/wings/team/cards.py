"""Two versions of a graph as one: cards and wires, each with what happened to it. No torch.

What did not change and is far from all that did is one card: "34 unchanged blocks".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.graph import Edge, Graph, Node
from core.graph.difference import Change, ends
from core.graph.ports import resolve
from core.project.base_names import path, scopes
from core.project.changes import shown
from core.wings.team.compared import TwoVersions
from core.wings.team.lanes import in_lanes

Kind = Literal["added", "removed", "changed", "renamed", "moved", "same"]
KINDS: tuple[Kind, ...] = ("added", "removed", "changed", "renamed", "moved", "same")
"""What may happen to a block. Where several did, a card has the colour of the first."""
MOST_LINES = 8
SETTINGS_SHOWN = 3
FEWEST_FOLDED = 3
LONGEST = 160
"""Characters of a line before it is measured."""


@dataclass(frozen=True)
class DiffCard:
    """A block. about: what it is. lines: what changed. name: its key in its graph."""

    name: str
    kind: Kind
    title: str
    about: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class CardWire:
    """A wire between two cards. label: the port it ends at, where that is not the only one."""

    source: str
    target: str
    kind: Kind
    label: str = ""


@dataclass(frozen=True)
class Section:
    """The main graph, scope "", or one composite."""

    scope: str
    cards: tuple[DiffCard, ...]
    links: tuple[CardWire, ...]


def sections(compared: TwoVersions, notes: Mapping[str, str] | None = None) -> list[Section]:
    """The graphs in which something differs, the main one first.

    notes: a further line for blocks of the main graph, such as their shapes.
    """
    before, after = scopes(compared.before), scopes(compared.new)
    touched = _touched(compared, {**before, **after})
    found: list[Section] = []
    for scope in dict.fromkeys((*after, *before)):
        if scope not in touched:
            continue
        pair = before.get(scope, Graph()), after.get(scope, Graph())
        section = _Drawer(compared, scope, *pair, touched, notes or {}).section()
        if section.cards:
            found.append(_folded(section))
    return found


def _touched(compared: TwoVersions, graphs: Mapping[str, Graph]) -> set[str]:
    """The graphs in which something differs, and those that use one of them."""
    graph = compared.graph
    paths = [*graph.added, *graph.removed, *graph.changed, *graph.renamed.values()]
    paths += [*compared.moved]
    names = {scope for name in paths if (scope := name.rpartition(".")[0]) in graphs}
    names |= {name for name in graph.changed if name in graphs}
    for key, drawn in graphs.items():
        wires = {ends(edge, f"{key}." if key else "") for edge in drawn.edges}
        if wires & {*graph.wires_added, *graph.wires_removed}:
            names.add(key)
    while more := {
        key
        for key, drawn in graphs.items()
        if key not in names and any(node.block in names for node in drawn.nodes.values())
    }:
        names |= more
    return names


@dataclass(frozen=True)
class _Drawer:
    compared: TwoVersions
    scope: str
    before: Graph
    after: Graph
    touched: set[str]
    notes: Mapping[str, str]

    def section(self) -> Section:
        names = dict.fromkeys((*self.after.nodes, *self.before.nodes))
        cards = tuple(self._card(name) for name in names)
        links = (self._link(edge) for edge in dict.fromkeys((*self.after.edges, *self._gone())))
        known = [link for link in links if link.source in names and link.target in names]
        return Section(self.scope, cards, tuple(known))

    def _gone(self) -> Iterator[Edge]:
        removed = set(self.compared.graph.wires_removed)
        return (edge for edge in self.before.edges if self._ends(edge) in removed)

    def _ends(self, edge: Edge) -> tuple[str, str]:
        return ends(edge, f"{self.scope}." if self.scope else "")

    def _link(self, edge: Edge) -> CardWire:
        graph, wire = self.compared.graph, self._ends(edge)
        kind: Kind = "added" if wire in graph.wires_added else "same"
        kind = "removed" if wire in graph.wires_removed else kind
        drawn = self.before if kind == "removed" else self.after
        several = len({e.target_port for e in drawn.into(edge.target)}) > 1
        return CardWire(edge.source, edge.target, kind, edge.target_port if several else "")

    def _card(self, name: str) -> DiffCard:
        where, graph = path(self.scope, name), self.compared.graph
        drawn = self.after if name in self.after.nodes else self.before
        node = resolve(drawn.nodes[name], drawn.nodes)
        changes = graph.changed.get(where, {})
        former = next((old for old, new in graph.renamed.items() if new == where), "")
        inside = node.block in self.touched
        kind = self._kind(where, bool(changes) or inside, bool(former))
        lines = [_line(setting, pair) for setting, pair in changes.items()]
        lines += ["changed inside"] if inside and kind not in ("added", "removed") else []
        lines += [f"was called {former.rpartition('.')[2]}"] if former else []
        lines += ["moved"] if where in self.compared.moved else []
        lines += _settings(node) if kind in ("added", "removed") else []
        note = "" if self.scope else self.notes.get(name, "")
        return DiffCard(name, kind, name, about_node(node), _few(lines, note))

    def _kind(self, where: str, changed: bool, renamed: bool) -> Kind:
        graph = self.compared.graph
        happened: dict[Kind, bool] = {
            "added": where in graph.added,
            "removed": where in graph.removed,
            "changed": changed,
            "renamed": renamed,
            "moved": where in self.compared.moved,
        }
        found: list[Kind] = [kind for kind in KINDS if happened.get(kind)]
        return found[0] if found else "same"


def about_node(node: Node) -> str:
    """What a block is: its kind, how often it repeats, and its label."""
    times = f" \u00d7{node.repeat}" if node.repeat > 1 else ""
    return f"{node.block}{times}{f' · {node.label}' if node.label else ''}"[:LONGEST]


def _line(setting: str, pair: Change) -> str:
    was, is_ = (shown(value)[:LONGEST] for value in pair)
    return f"{setting} {was} → {is_}"


def _settings(node: Node) -> list[str]:
    rows = [f"{name} {shown(value)}"[:LONGEST] for name, value in node.settings.items()]
    rest = len(rows) - SETTINGS_SHOWN
    return rows[:SETTINGS_SHOWN] + ([f"and {rest} more"] if rest > 0 else [])


def _few(lines: Sequence[str], note: str) -> tuple[str, ...]:
    rest = len(lines) - MOST_LINES
    kept = [*lines[:MOST_LINES], *([f"and {rest} more"] if rest > 0 else [])]
    return (*kept, *([note] if note else []))


def _folded(section: Section) -> Section:
    """The section with rows of nothing but unchanged blocks, two away from any change, as one."""
    rows = in_lanes(
        [card.name for card in section.cards], [(k.source, k.target) for k in section.links]
    ).rows
    kept = _near(section)
    full = {rows[name] for name in kept}
    fold_of: dict[str, str] = {}
    for card in section.cards:
        if rows[card.name] not in full:
            above = sum(row < rows[card.name] for row in full)
            fold_of[card.name] = f"\0{above}"
    counts = {fold: list(fold_of.values()).count(fold) for fold in fold_of.values()}
    fold_of = {k: fold for k, fold in fold_of.items() if counts[fold] >= FEWEST_FOLDED}
    return _under(section, fold_of, counts) if kept else replace(section, cards=(), links=())


def _near(section: Section) -> set[str]:
    """Cards that something happened to, and their neighbours."""
    kept = {card.name for card in section.cards if card.kind != "same"}
    for link in section.links:
        if link.kind != "same":
            kept |= {link.source, link.target}
    around = [link for link in section.links if {link.source, link.target} & kept]
    return kept | {end for link in around for end in (link.source, link.target)}


def _under(section: Section, fold_of: Mapping[str, str], counts: Mapping[str, int]) -> Section:
    cards: dict[str, DiffCard] = {}
    for card in section.cards:
        name = fold_of.get(card.name, card.name)
        known = name == card.name
        cards[name] = (
            card if known else DiffCard(name, "same", f"{counts[name]:,} unchanged blocks")
        )
    links: dict[CardWire, None] = {}
    for link in section.links:
        ends_ = [fold_of.get(end, end) for end in (link.source, link.target)]
        if ends_[0] != ends_[1]:
            label = link.label if ends_[1] == link.target else ""
            links[CardWire(ends_[0], ends_[1], link.kind, label)] = None
    return Section(section.scope, tuple(cards.values()), tuple(links))
