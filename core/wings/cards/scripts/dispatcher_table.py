"""Which kernel runs for which key: the dispatcher's table of each operation of the drawing."""

from torch.utils._python_dispatch import TorchDispatchMode

SAID = {"kernel": "its own", "autograd kernel": "its own", "backend fallback": "that of all",
        "default backend kernel": "one for all devices",
        "math kernel": "other operations"}  # fmt: skip
KEYS = "AutocastCPU", "AutogradCPU", "CPU", "Meta", "PrivateUse1"
calls, span, layer = [], [], model.get_submodule(BLOCK)


class Noted(TorchDispatchMode):
    """Notes each operation that arrives below autograd."""

    def __torch_dispatch__(self, operation, types, given=(), options=None):
        calls.append(operation.name())
        return operation(*given, **(options or {}))


def table(operation):
    """What the dispatcher runs for each key, and the file where that was registered."""
    found = {}
    for line in torch._C._dispatch_dump_table(operation).splitlines():
        key, _, rest = line.partition(": ")
        place, _, kind = rest.rpartition(" [")
        passed = rest.startswith("fallthrough")
        found[key] = ("passed over" if passed else SAID[kind[:-1]], place.rpartition("/")[2])
    return found


layer.register_forward_pre_hook(lambda *_: span.append(len(calls)))
layer.register_forward_hook(lambda *_: span.append(len(calls)))
with Noted():
    model(x)
here = calls[span[0] : span[1]] or calls
named, operations = here[-1], list(dict.fromkeys(calls))
whole = {operation: table(operation) for operation in operations}
rows = [[name, *(found.get(key, ("none", ""))[0] for key in KEYS)] for name, found in whole.items()]
full = [[key, *entry] for key, entry in whole[named].items()]
kernels, different, missing = len(full), len(rows), sum(row[-1] == "none" for row in rows)

set_of = torch._C._dispatch_keys(torch.zeros(1, requires_grad=True))
keys = str(set_of).partition("(")[2][:-1].split(", ")[::-1]  # the highest is asked first
off = {key: torch._C._dispatch_tls_is_dispatch_key_excluded(torch._C._dispatch_key_parse(key))
       for key in keys}  # fmt: skip
way = [[key, "switched off" if off[key] else whole[named].get(key, ("none",))[0]] for key in keys]
ran = [key for key, said in way if said not in ("switched off", "passed over")]
passed, path = len(ran), ", then ".join(ran)
print(*(f"{key:16} {said}" for key, said in way), sep="\n")
print(f"{named}: {kernels} keys have a kernel; a call with gradients runs {path}")
print(f"{missing} of {different} operations of the network have no kernel under PrivateUse1")
