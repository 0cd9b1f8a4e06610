// Runs in the page: each edit from the click to the frame that shows its answer, and an echo.
async ({ field, values }) => {
  const find = (id) => {
    const roots = [document];
    for (const root of roots) {
      const found = root.querySelector(`[data-testid="${id}"]`);
      if (found) return found;
      root.querySelectorAll("*").forEach((e) => e.shadowRoot && roots.push(e.shadowRoot));
    }
  };
  const bench = find("workbench"), input = find(field);
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const painted = () => new Promise((done) => {
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  });
  const drawn = () => new Promise((done, fail) => {
    setTimeout(() => fail(new Error("no answer was drawn in 30 s")), 30000);
    const watch = new MutationObserver(() => {
      if (bench.dataset.status !== "checked") return;
      watch.disconnect();
      painted().then(done);
    });
    watch.observe(bench, { attributes: true, attributeFilter: ["data-status"] });
  });
  const last = (name) => performance.getEntriesByName(name).at(-1)?.startTime ?? NaN;
  const found = [];
  for (const value of values) {
    await new Promise((go) => setTimeout(go, 120));
    const end = drawn(), start = performance.now();
    performance.clearResourceTimings();
    if (input.type === "checkbox") input.click();
    else {
      set.call(input, value);
      input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    }
    const total = (await end) - start, sent = last("loom:sent"), answered = last("loom:answered");
    const posts = performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/api/ll/canvas"));
    const timing = posts.at(-1)?.serverTiming ?? [];
    const server = Object.fromEntries(timing.map((t) => [t.name, t.duration]));
    const [url, init] = window.loomPosts.last;
    const began = performance.now();
    await (await fetch(url, init)).json();
    const echo = (await painted()) - began;
    const inside = timing.reduce((sum, t) => sum + t.duration, 0);
    found.push({
      total, echo, ...server, "to send": sent - start, network: answered - sent - inside,
      "to draw": start + total - answered,
    });
  }
  return found;
}
