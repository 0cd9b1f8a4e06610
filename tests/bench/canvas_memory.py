"""Memory after many edits: the page's heap, the server with its workers, the undo history."""

from tests.bench.workbench import Bench, opened, select

BLOCKS = 200
FIRST = 50  # edits before the first reading: caches fill, code is compiled
CLICK = """async ({ field, count }) => {
  const roots = [document];
  const find = (id) => {
    for (const root of roots) {
      const found = root.querySelector(`[data-testid="${id}"]`);
      if (found) return found;
      root.querySelectorAll("*").forEach((e) => e.shadowRoot && roots.push(e.shadowRoot));
    }
  };
  const bench = find("workbench"), input = find(field);
  for (let i = 0; i < count; i++) {
    input.click();
    await new Promise((go) => setTimeout(go, 30));
    for (let n = 0; bench.dataset.status !== "checked" && n < 2000; n++) {
      await new Promise((go) => setTimeout(go, 5));
    }
  }
}"""


def measure(edits: int) -> dict[str, float]:
    """Make the edits and read heap and resident memory before and after."""
    with opened(BLOCKS) as bench:
        select(bench.page, "conv_1", "setting-bias")
        _edit(bench, FIRST)
        found = {"edits": edits, "heap before": bench.heap_mb(), "rss before": bench.rss_mb()}
        _edit(bench, edits)
        return {**found, "heap after": bench.heap_mb(), "rss after": bench.rss_mb()}


def _edit(bench: Bench, count: int) -> None:
    bench.page.evaluate(CLICK, {"field": "setting-bias", "count": count})
    bench.page.wait_for_timeout(1500)


def table(found: dict[str, float]) -> list[str]:
    """Write the memory, if it was measured."""
    if not found:
        return []
    edits = found["edits"]
    heap, rss = (found[f"{what} after"] - found[f"{what} before"] for what in ("heap", "rss"))
    return [
        "",
        f"memory, {BLOCKS} blocks       after {FIRST} edits   after {edits:.0f} more   per edit",
        f"page, heap                 {found['heap before']:8.1f} MB {found['heap after']:14.1f} MB"
        f" {1024 * heap / edits:7.1f} kB (each is an undo step that is kept)",
        f"server and its workers     {found['rss before']:8.1f} MB {found['rss after']:14.1f} MB"
        f" {1024 * rss / edits:7.1f} kB",
    ]
