// Runs in the page: each move of the pen from its event to the frame with the answer, and an echo.
async ({ moves }) => {
  const find = (id) => {
    const roots = [document];
    for (const root of roots) {
      const found = root.querySelector(`[data-testid="${id}"]`);
      if (found) return found;
      root.querySelectorAll("*").forEach((e) => e.shadowRoot && roots.push(e.shadowRoot));
    }
  };
  const surface = find("sample-surface"), strip = find("sample-strip");
  const painted = () => new Promise((done) => {
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  });
  const answered = () => new Promise((done, fail) => {
    setTimeout(() => fail(new Error("no answer was drawn in 30 s")), 30000);
    const watch = new MutationObserver(() => {
      watch.disconnect();
      painted().then(done);
    });
    watch.observe(strip, { attributes: true, attributeFilter: ["data-answers"] });
  });
  const box = surface.getBoundingClientRect();
  const event = (kind, part) => new PointerEvent(kind, {
    bubbles: true, composed: true, pointerId: 1, pointerType: "mouse", isPrimary: true, buttons: 1,
    clientX: box.left + box.width * (0.5 + 0.3 * Math.sin(7 * part)),
    clientY: box.top + box.height * (0.15 + 0.7 * part),
  });
  surface.setPointerCapture = () => {}; // an event of a script has no pointer to capture
  const echo = new URL("api/ll/sample/echo", document.baseURI);
  let first = answered();
  surface.dispatchEvent(event("pointerdown", 0));
  await first;
  const found = [];
  for (let move = 0; move < moves; move++) {
    await new Promise((go) => setTimeout(go, 30));
    const end = answered(), start = performance.now();
    surface.dispatchEvent(event("pointermove", move / moves));
    const pen = (await end) - start;
    const began = performance.now();
    await (await fetch(echo, { method: "POST", body: "{}", headers: { "x-ll-token": "" } })).text();
    found.push({ pen, echo: (await painted()) - began });
  }
  surface.dispatchEvent(event("pointerup", 1));
  return found;
}
