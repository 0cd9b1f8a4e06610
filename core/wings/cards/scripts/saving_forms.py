"""The network saved in five forms: bytes, time, memory, and what each needs to be loaded."""

import tempfile
import time
from pathlib import Path
from pkgutil import resolve_name
from resource import RUSAGE_SELF, getrusage

import torch.multiprocessing as mp
from safetensors.torch import load_file, save_model


def load_module(at):
    """Load a whole module with weights_only: the classes that its file names are allowed."""
    named = torch.serialization.get_unsafe_globals_in_checkpoint(at)
    with torch.serialization.safe_globals([resolve_name(name) for name in named]):
        return torch.load(at, weights_only=True)


optimiser = torch.optim.AdamW(model.parameters())
loss_function(model(x), y).backward()
optimiser.step()
state, fork, folder = model.state_dict(), mp.get_context("fork"), tempfile.TemporaryDirectory()
both = {"model": state, "optimizer": optimiser.state_dict()}
forms = {
    "pickled.pt": (model, torch.save, load_module),
    "state_dict.pt": (state, torch.save, torch.load),
    "weights.safetensors": (model, save_model, load_file),
    "with_optimiser.pt": (both, torch.save, torch.load),
    "exported.pt2": (torch.export.export(model, (x,)), torch.export.save, torch.export.load),
}


def measure(load, at, answers):
    """Milliseconds to load a file, and the bytes by which the peak memory of a process grows."""
    begin, before = time.perf_counter(), getrusage(RUSAGE_SELF).ru_maxrss
    load(at)
    spent, after = time.perf_counter() - begin, getrusage(RUSAGE_SELF).ru_maxrss
    answers.put((f"{1000 * spent:.1f}", f"{1024 * (after - before):,}"))


def _outcome(load, at):
    try:
        return type(load(at)).__name__
    except Exception as error:  # each form has its own
        return f"refused: {type(error).__name__}"


rows, sizes, names = [], [], list(forms)
for name, (what, save, load) in forms.items():
    at, answers = f"{folder.name}/{name}", fork.SimpleQueue()
    save(what, at)
    sizes.append(Path(at).stat().st_size)
    reader = fork.Process(target=measure, args=(load, at, answers))
    reader.start()
    reader.join()
    rows.append([name, f"{sizes[-1]:,}", *answers.get(), _outcome(torch.load, at)])
del globals()[type(model).__name__]  # as where the source of the network is missing
for row, (_, _, load) in zip(rows, forms.values(), strict=True):
    row.append(_outcome(load, f"{folder.name}/{row[0]}"))
larger, least = sizes[3] / sizes[1], min(sizes)
smallest, refused = names[sizes.index(least)], ", ".join(r[0] for r in rows if "refused" in r[4])
lost = ", ".join(row[0] for row in rows if "refused" in row[5])
print(*(" | ".join(row) for row in rows), sep="\n")
print(f"with the optimiser {larger:.2f} times the bytes; weights_only refuses {refused}")
