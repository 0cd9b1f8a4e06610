"""The network as machine code in one file (AOTInductor), loaded without its Python source."""

import time
import zipfile
from pathlib import Path

import torch._inductor as inductor


def milliseconds(network):
    """The fastest of several passes."""
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        network(x)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


with torch.no_grad():
    program = torch.export.export(model, (x,))
    begin = time.perf_counter()
    path = str(Path("network.pt2").absolute())
    inductor.aoti_compile_and_package(program, package_path=path)
    compiling = time.perf_counter() - begin
    loaded = inductor.aoti_load_package(path)  # as a C++ program would, too
    difference = (loaded(x) - model(x)).abs().max().item()
    names, times = ["in Python", "machine code"], [milliseconds(model), milliseconds(loaded)]

files = [(each.filename, each.file_size) for each in zipfile.ZipFile(path).infolist()]
rows = [[Path(name).name.partition(".")[2] or name, f"{held:,}"] for name, held in files]
size, faster = Path(path).stat().st_size, times[0] / times[1]
weights = sum(w.numel() * w.element_size() for w in model.parameters())
print(*("  ".join(row) for row in rows), sep="\n")
print(f"{size:,} bytes in total, {weights:,} of them weights; compiled in {compiling:.0f} s")
print(f"{times[0]:.2f} ms in Python, {times[1]:.2f} ms loaded; differs by {difference:.1e}")
