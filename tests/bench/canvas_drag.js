// Runs in the page: moves the pointer once in each frame and counts the frames.
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
  // A block out of sight is not in the page, so after panning only the drawing as a whole is there.
  const place = () => {
    const seen = kind === "drag" ? node.getBoundingClientRect() : view.getBoundingClientRect();
    return [seen.left, seen.top, view.style.transform].join();
  };
  const begin = place();
  const held = kind === "drag" || kind === "pan", target = kind === "drag" ? node : pane;
  const box = target.getBoundingClientRect();
  const x = box.left + box.width * (kind === "drag" ? 0.5 : 0.08), y = box.top + box.height / 2;
  const at = (dx, dy, more = {}) => ({
    bubbles: true, composed: true, cancelable: true, view: window, clientX: x + dx, clientY: y + dy, buttons: 1, ...more,
  });
  const sent = window.loomPosts.count;
  if (held) target.dispatchEvent(new MouseEvent("mousedown", at(0, 0, { button: 0 })));
  const stamps = [];
  await new Promise((done) => {
    const frame = (now) => {
      stamps.push(now);
      const t = (now - stamps[0]) / 1000;
      if (t > seconds) return done();
      if (held) window.dispatchEvent(new MouseEvent("mousemove", at(160 * Math.sin(3 * t), 120 * Math.sin(2 * t))));
      if (kind === "zoom") {
        const deltaY = 24 * Math.sin(3 * t);
        pane.dispatchEvent(new WheelEvent("wheel", at(0, 0, { buttons: 0, deltaY })));
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const moved = kind === "idle" || place() !== begin;
  const messages = window.loomPosts.count - sent;
  if (held) window.dispatchEvent(new MouseEvent("mouseup", at(0, 0, { button: 0, buttons: 0 })));
  const gaps = stamps.slice(1).map((s, i) => s - stamps[i]).sort((a, b) => a - b);
  const fps = (1000 * gaps.length) / (stamps.at(-1) - stamps[0]);
  return { frames: gaps.length, fps, p95: gaps[Math.floor(gaps.length * 0.95)], messages, moved };
}
