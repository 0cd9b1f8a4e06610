"""The tree of modules, what each holds itself, and what .to(torch.float64) converts."""

tree = []
for path, part in model.named_modules():
    own = [name for name, _ in part.named_parameters(recurse=False)]
    kept = [name for name, _ in part.named_buffers(recurse=False)]
    children = len(list(part.children()))
    tree.append([path or "(the network)", type(part).__name__, str(children),
                 ", ".join(own), ", ".join(kept)])  # fmt: skip
    print(f"{'  ' * path.count('.')}{path:24} {tree[-1][1]:18} {', '.join(own + kept)}")


def state():
    """Every tensor that .to() looks at, by its path: the parameters, then the buffers."""
    return {"parameter": dict(model.named_parameters()), "buffer": dict(model.named_buffers())}


def size():
    """Bytes of the state."""
    return sum(each.nbytes for part in state().values() for each in part.values())


model._loose = torch.ones(3)  # neither a parameter nor a buffer
old, before, loose = state(), size(), model._loose
types = {name: each.dtype for part in old.values() for name, each in part.items()}
model.to(torch.float64)
new, after = state(), size()

rows, same = [], {"parameter": 0, "buffer": 0}
for kind, tensors in new.items():
    for name, tensor in tensors.items():
        alike = tensor is old[kind][name]
        same[kind] += alike
        rows.append([name, kind, str(types[name]), str(tensor.dtype), "yes" if alike else "no"])
rows.append(["_loose", "attribute", str(loose.dtype), str(model._loose.dtype), "yes"])
modules, parameters, buffers = len(tree), len(new["parameter"]), len(new["buffer"])
converted = sum(row[2] != row[3] for row in rows)
whole = sum(not kind.is_floating_point for kind in types.values())
same, renewed = same["parameter"], buffers - same["buffer"]
print(f"{modules} modules; .to converts {converted} tensors, {before:,} bytes become {after:,}")
print(f"{same} of {parameters} parameters are the same objects, {renewed} of {buffers} buffers new")
