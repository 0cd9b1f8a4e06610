"""The network saved in five forms: bytes, time, memory, and what each needs to be loaded."""

import tempfile
import time
from pathlib import Path
from pkgutil import resolve_name
from resource import RUSAGE_SELF, getrusage

import torch.multiprocessing as mp
from safetensors.torch import load_file, save_model


def _load_module(at):
    classes = map(resolve_name, torch.serialization.get_unsafe_globals_in_checkpoint(at))
    torch.serialization.add_safe_globals(list(classes))  # else weights_only refuses them
    return torch.load(at, weights_only=True)


def _measure(load, at):
    begin, before = time.perf_counter(), getrusage(RUSAGE_SELF).ru_maxrss
    load(at)
    more = getrusage(RUSAGE_SELF).ru_maxrss - before
    return f"{1000 * (time.perf_counter() - begin):.1f}", f"{1024 * more:,}"


def _outcome(load, at):
    try:
        return type(load(at)).__name__
    except Exception as error:  # each form has its own
        return f"refused: {type(error).__name__}"


optimiser = torch.optim.AdamW(model.parameters())
loss_function(model(x), y).backward()
optimiser.step()
state, steps = model.state_dict(), optimiser.state_dict()
fork, folder = mp.get_context("fork"), tempfile.TemporaryDirectory()
forms = {
    "pickled.pt": (model, torch.save, _load_module),
    "state_dict.pt": (state, torch.save, torch.load),
    "weights.safetensors": (model, save_model, load_file),
    "with_optimiser.pt": ({"model": state, "optimizer": steps}, torch.save, torch.load),
    "exported.pt2": (torch.export.export(model, (x,)), torch.export.save, torch.export.load),
}
rows, sizes, names = [], [], list(forms)
for name, (what, save, load) in forms.items():
    save(what, at := f"{folder.name}/{name}")
    sizes.append(Path(at).stat().st_size)
    with fork.Pool(1) as reader:  # a process of its own, whose peak of memory is the load's
        rows.append([name, f"{sizes[-1]:,}", *reader.apply(_measure, (load, at))])
    rows[-1].append(_outcome(torch.load, at))
del globals()[type(model).__name__]  # as where the source of the network is missing
for row in rows:
    row.append(_outcome(forms[row[0]][2], f"{folder.name}/{row[0]}"))
larger, least, smallest = sizes[3] / sizes[1], min(sizes), names[sizes.index(min(sizes))]
refused, lost = (", ".join(r[0] for r in rows if "refused" in r[i]) for i in (4, 5))
print(*(" | ".join(row) for row in rows), sep="\n")
print(f"with the optimiser {larger:.2f} times the bytes; weights_only refuses {refused}")
