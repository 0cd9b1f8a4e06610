"""Fusion: node patterns of exporters that are one torch layer (MatMul and Add, transposed LSTM)."""

import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np

from core.wings.importing.onnx.call import is_generated_name
from core.wings.importing.onnx.constant_folding import used
from core.wings.importing.onnx.reader import OnnxFile, OnnxNode


def fuse(file: OnnxFile) -> OnnxFile:
    """Fuse MatMul and Add into a linear layer, and transposes around a recurrent layer into it."""
    fuser = Fuser(_shared(file))
    fuser.linear()
    fuser.zero_states()
    fuser.recurrent()
    nodes = used([n for n in fuser.nodes if n is not None], file.outputs)
    made = {name for node in nodes for name in node.outputs}
    made |= {*file.constants, *(entry.name for entry in file.inputs), ""}
    whole = all(name in made for node in nodes for name in node.inputs)
    return replace(file, nodes=nodes) if whole else file


def _shared(file: OnnxFile) -> OnnxFile:
    """Tie copies of one matrix again: an exporter that transposes it writes a copy for each use.

    Only of generated names, and no matrix of a single number, as untrained layers have them.
    """
    first: dict[tuple[tuple[int, ...], bytes], str] = {}
    same: dict[str, str] = {}
    for name in dict.fromkeys(n for node in file.nodes for n in node.inputs):
        values = (
            file.constants.get(name) if name in file.weights and is_generated_name(name) else None
        )
        if values is not None and values.ndim > 1 and np.ptp(values) > 0:
            digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()
            same[name] = first.setdefault((values.shape, digest), name)
    nodes = (replace(n, inputs=tuple(same.get(i, i) for i in n.inputs)) for n in file.nodes)
    return replace(file, nodes=tuple(nodes))


PASSING = frozenset("Slice Identity Cast Squeeze Unsqueeze Transpose Reshape".split())


class Fuser:
    """Replaces nodes in a list; None stands for a node that was fused into another."""

    def __init__(self, file: OnnxFile) -> None:
        self.file, self.constants = file, file.constants
        self.nodes: list[OnnxNode | None] = list(file.nodes)
        self.uses = Counter(n for node in file.nodes for n in node.inputs)
        self.uses.update(file.outputs)
        self.maker = {o: i for i, node in enumerate(file.nodes) for o in node.outputs if o}
        self.reader = {n: i for i, node in enumerate(file.nodes) for n in node.inputs}

    def next_of(self, node: OnnxNode, op: str) -> int | None:
        """The only node that reads the first output, if it is of this op."""
        name = node.outputs[0]
        place = self.reader.get(name)
        reader = None if place is None or self.uses[name] != 1 else self.nodes[place]
        return place if reader is not None and reader.op == op else None

    def linear(self) -> None:
        """MatMul by a matrix, then Add of a vector."""
        for i, node in enumerate(self.nodes):
            if node is None or node.op != "MatMul" or node.inputs[1] not in self.constants:
                continue
            weight = self.constants[node.inputs[1]]
            place = self.next_of(node, "Add")
            add = self.nodes[place] if place is not None else None
            if add is None or place is None or weight.ndim != 2:
                continue
            (other,) = [n for n in add.inputs if n != node.outputs[0]] or [""]
            bias = self.constants.get(other)
            if bias is not None and bias.shape == weight.shape[1:]:
                named = _scopes(node, add)
                self.nodes[i] = None
                self.nodes[place] = replace(
                    node, inputs=(*node.inputs, other), outputs=add.outputs, scopes=named
                )

    def zero_states(self) -> None:
        """Drop an initial state of zeros, which is torch's default."""
        for i, node in enumerate(self.nodes):
            if node is None or node.op not in ("LSTM", "GRU", "RNN"):
                continue
            places = [p for p in (5, 6) if len(node.inputs) > p and node.inputs[p]]
            if places and all(self._is_zero(node.inputs[p]) for p in places):
                inputs = ("" if p in places else n for p, n in enumerate(node.inputs))
                self.nodes[i] = replace(node, inputs=tuple(inputs))

    def _is_zero(self, name: str) -> bool:
        while name in self.maker and self.file.nodes[self.maker[name]].op in PASSING:
            name = self.file.nodes[self.maker[name]].inputs[0]
        if name in self.maker:
            node = self.file.nodes[self.maker[name]]
            if node.op == "ConstantOfShape":
                return not np.any(node.attributes.get("value", 0))
            if node.op == "Expand":
                name = node.inputs[0]
        values = self.constants.get(name)
        return values is not None and not np.any(values)

    def recurrent(self) -> None:
        """Transpose, recurrent layer, its directions joined, transpose back."""
        for i, node in enumerate(self.nodes):
            if (
                node is None
                or node.op not in ("LSTM", "GRU", "RNN")
                or node.attributes.get("layout")
            ):
                continue
            if node.attributes.get("direction") == "reverse":
                continue
            self._joined(i, node)

    def _joined(self, i: int, node: OnnxNode) -> None:
        chain = self._directions(node)
        if chain is None:
            return
        attributes = {**node.attributes, "plain": 1}
        inputs = node.inputs
        before = self.maker.get(inputs[0])
        turn = self.nodes[before] if before is not None else None
        end = self.nodes[chain[-1]]
        assert end is not None
        after = self.next_of(end, "Transpose")
        back = self.nodes[after] if after is not None else None
        if before is not None and after is not None and _swaps(turn) and _swaps(back):
            assert turn is not None
            attributes["batch_first"] = 1
            inputs = (turn.inputs[0], *inputs[1:])
            chain = [*chain, after]
            if self.uses[turn.outputs[0]] == 1:
                self.nodes[before] = None
        last = self.nodes[chain[-1]]
        assert last is not None
        for place in chain:
            self.nodes[place] = None
        self.nodes[i] = replace(
            node, inputs=inputs, outputs=(last.outputs[0], *node.outputs[1:]), attributes=attributes
        )

    def _directions(self, node: OnnxNode) -> list[int] | None:
        """Squeeze of the directions, or Transpose and Reshape that join them."""
        if not node.outputs[0]:
            return None
        squeeze = self.next_of(node, "Squeeze")
        if squeeze is not None and node.attributes.get("direction") != "bidirectional":
            return [squeeze]
        turn = self.next_of(node, "Transpose")
        found = self.nodes[turn] if turn is not None else None
        if found is None or turn is None or found.attributes.get("perm") != [0, 2, 1, 3]:
            return None
        place = self.next_of(found, "Reshape") or self._reshape(found)
        return None if place is None else [turn, place]

    def _reshape(self, node: OnnxNode) -> int | None:
        """The Reshape of a result whose sizes are also read."""
        readers = [i for i, n in enumerate(self.nodes) if n and node.outputs[0] in n.inputs]
        shaped = [i for i in readers if (n := self.nodes[i]) and n.op == "Reshape"]
        others = [n.op for i in readers if (n := self.nodes[i]) and i not in shaped]
        if len(shaped) != 1 or set(others) - {"Shape"}:
            return None
        return shaped[0]


def _swaps(node: OnnxNode | None) -> bool:
    if node is None or node.op != "Transpose":
        return False
    return node.attributes.get("perm") == [1, 0, 2]


def _scopes(first: OnnxNode, second: OnnxNode) -> tuple[tuple[str, str], ...]:
    return first.scopes if len(first.scopes) >= len(second.scopes) else second.scopes
