"""The queue of the autograd engine, one event at a time, held against what the engine did."""

from collections import Counter


def after(node):
    """The nodes that a node passes gradients on to, one for each gradient."""
    return [each for each, _ in node.next_functions if each is not None]


def name_of(node):
    """What a node calculates; for AccumulateGrad, of which weight."""
    weight = getattr(node, "variable", None)
    return f"AccumulateGrad {named[id(weight)]}" if id(weight) in named else node.name()


loss = loss_function(model(x), y)
named = {id(weight): name for name, weight in model.named_parameters()}
root, came, counts = loss.grad_fn, [], Counter()
nodes, waiting = {root: 0}, [root]
while waiting:
    for each in after(waiting.pop()):
        counts[each] += 1  # the engine counts who passes a gradient to a node before it starts
        if each not in nodes:
            nodes[each] = len(nodes)
            waiting.append(each)
for node in nodes:
    node.register_prehook(lambda _grads, node=node: came.append(node))
loss.backward()

left, queue, rows, lengths, wrong = Counter(counts), {root}, [], [], 0
for event, node in enumerate(came, 1):
    lengths.append(len(queue))
    first = max(each._sequence_nr() for each in queue)  # its number of the forward pass
    wrong += node not in queue or node._sequence_nr() < first
    queue.discard(node)
    left.subtract(after(node))
    new = [each for each in dict.fromkeys(after(node)) if left[each] == 0]
    queue.update(new)
    ready = ", ".join(map(name_of, new)) or "nothing"
    rows.append([str(event), name_of(node), str(counts[node]), ready, str(len(queue))])
events, longest, steps = len(came), max(lengths), list(range(1, len(came) + 1))
gathered, at = max((count, name_of(node)) for node, count in (counts + Counter([root])).items())
weights, rows = sum("AccumulateGrad" in row[1] for row in rows), rows[:80]
print(*(f"{a:>3} {b:45} {e:>2} wait after it" for a, b, _, _, e in rows[:12]), sep="\n")
print(f"{events} events, at most {longest} nodes wait at once, {wrong} out of order")
