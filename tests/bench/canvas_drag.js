// Runs in the page: moves the pointer once in each frame and counts the frames that show it: those
// in which what is moved stands elsewhere than in the frame before. A frame too late counts as none.
async ({ kind, seconds }) => {
  const roots = [document];
  let flow;
  for (const root of roots) {
    flow ??= root.querySelector(".canvas .react-flow");
    root.querySelectorAll("*").forEach((e) => e.shadowRoot && roots.push(e.shadowRoot));
  }
  const node = flow.querySelector('.react-flow__node[data-id="conv_1"]');
  const pane = flow.querySelector(".react-flow__pane");
  const view = flow.querySelector(".react-flow__viewport");
  const held = kind === "drag" || kind === "pan", target = kind === "drag" ? node : pane;
  const box = target.getBoundingClientRect();
  const x = box.left + box.width * (kind === "drag" ? 0.5 : 0.08), y = box.top + box.height / 2;
  const at = (dx, dy, more = {}) => ({
    bubbles: true, composed: true, cancelable: true, view: window, clientX: x + dx, clientY: y + dy, buttons: 1, ...more,
  });
  // To and fro at one speed: a turn that slows down would not leave a cell of the grid in each frame.
  const STEP = 24, HALF = 8, TURN = 4 * HALF;
  const zigzag = (n) => STEP * (HALF - Math.abs(((n + HALF) % TURN) - 2 * HALF));
  // Written, not measured: to ask where a thing stands would lay the page out once more.
  const shown = () => (kind === "drag" ? node : view).style.transform;
  let last = shown(), followed = 0;
  const sent = window.loomPosts.count;
  if (held) target.dispatchEvent(new MouseEvent("mousedown", at(0, 0, { button: 0 })));
  const stamps = [];
  await new Promise((done) => {
    const frame = (now) => {
      stamps.push(now);
      const t = (now - stamps[0]) / 1000, here = shown();
      if (stamps.length > 1 && (kind === "idle" || here !== last)) followed += 1;
      last = here;
      if (t > seconds) return done();
      if (held) window.dispatchEvent(new MouseEvent("mousemove", at(zigzag(stamps.length), 0)));
      if (kind === "zoom") {
        const deltaY = 24 * Math.sin(3 * t);
        pane.dispatchEvent(new WheelEvent("wheel", at(0, 0, { buttons: 0, deltaY, ctrlKey: true }))); // as a pinch does
      }
      if (kind === "scroll") {
        const deltaX = zigzag(stamps.length + 1) - zigzag(stamps.length);
        pane.dispatchEvent(new WheelEvent("wheel", at(0, 0, { buttons: 0, deltaX, deltaY: 0 })));
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const moved = followed > 0;
  const messages = window.loomPosts.count - sent;
  if (held) window.dispatchEvent(new MouseEvent("mouseup", at(0, 0, { button: 0, buttons: 0 })));
  const gaps = stamps.slice(1).map((s, i) => s - stamps[i]).sort((a, b) => a - b);
  const fps = (1000 * followed) / (stamps.at(-1) - stamps[0]);
  return { frames: gaps.length, fps, p95: gaps[Math.floor(gaps.length * 0.95)], messages, moved };
}
