/** Entry of the Streamlit component; called again on every change of data or theme. */

import flowCss from "@xyflow/react/dist/base.css?inline";
import { createRoot, type Root } from "react-dom/client";
import baseCss from "./css/base.css?inline";
import canvasCss from "./css/canvas.css?inline";
import composeCss from "./css/compose.css?inline";
import familiesCss from "./css/families.css?inline";
import frameCss from "./css/frame.css?inline";
import heatCss from "./css/heat.css?inline";
import inspectCss from "./css/inspect.css?inline";
import lightCss from "./css/light.css?inline";
import narrowCss from "./css/narrow.css?inline";
import notesCss from "./css/notes.css?inline";
import planeCss from "./css/plane.css?inline";
import sampleCss from "./css/sample.css?inline";
import sideCss from "./css/side.css?inline";
import { ending } from "../../../frontend_shared/life";
import type { Down, Up } from "./protocol";
import type { Bench } from "./store/bench";
import { setQueryContext } from "./store/queries";
import { Editor } from "./store/editor";
import { saveHistory } from "./store/history";
import { watchOtherTabs } from "./store/otherTabs";
import { warnOfLoss, writeUnsent } from "./store/rescue";
import { Sync } from "./store/sync";
import { tabName } from "./store/tabId";
import { App } from "./components/App";
import { fillHeight, applyTheme } from "./host";

interface Args {
  data: Down;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: unknown) => void;
}

interface Mounted {
  host: HTMLElement;
  bench: Bench;
  root: Root;
  stop: () => void;
}

const mounted = new WeakMap<Node, Mounted>();
/** Documents outlive their component: a remount or a change of page loses nothing. */
const documents = new Map<string, Bench>();
const client = tabName();

function open(doc: string): Bench {
  let bench = documents.get(doc);
  if (!bench) {
    const editor = new Editor(doc);
    bench = { editor, sync: new Sync(editor, client) };
    documents.set(doc, bench);
    watchOtherTabs(editor, bench.sync);
  }
  return bench;
}

function mount(parent: HTMLElement | ShadowRoot, bench: Bench): Mounted {
  const style = document.createElement("style"),
    host = document.createElement("div");
  style.textContent = [
    flowCss,
    baseCss,
    familiesCss,
    frameCss,
    canvasCss,
    heatCss,
    sideCss,
    inspectCss,
    composeCss,
    notesCss,
    sampleCss,
    planeCss,
    lightCss,
    narrowCss,
  ].join("\n");
  host.className = "loom-host";
  parent.append(style, host);
  const root = createRoot(host);
  root.render(<App bench={bench} />);
  return { host, bench, root, stop: watch(host, bench) };
}

/** Send what waits before anything outside is pressed, and keep it when the tab goes away. */
function watch(host: HTMLElement, { editor, sync }: Bench): () => void {
  const outside = (event: Event) => {
    if (!event.composedPath().includes(host)) sync.flush();
  };
  const followed = (event: Event) => {
    const link = event
      .composedPath()
      .find((e) => e instanceof HTMLAnchorElement && e.target !== "_blank" && !e.download);
    if (link instanceof HTMLAnchorElement && link.origin === location.origin) sync.leave(link.pathname);
  };
  const leave = () => {
    sync.flush();
    writeUnsent(editor);
    saveHistory(editor);
  };
  const asked = (event: BeforeUnloadEvent) => warnOfLoss(editor, event);
  addEventListener("pointerdown", outside, true);
  addEventListener("keydown", outside, true);
  addEventListener("click", followed, true);
  addEventListener("pagehide", leave);
  addEventListener("beforeunload", asked);
  const stopFilling = fillHeight(host, () => editor.state.height);
  return () => {
    removeEventListener("pointerdown", outside, true);
    removeEventListener("keydown", outside, true);
    removeEventListener("click", followed, true);
    removeEventListener("pagehide", leave);
    removeEventListener("beforeunload", asked);
    stopFilling();
  };
}

export default function component({ data, parentElement, setTriggerValue }: Args): () => void {
  const bench = open(data.doc);
  let here = mounted.get(parentElement);
  if (here && here.bench !== bench) {
    close(here);
    here = undefined;
  }
  if (!here) {
    here = mount(parentElement, bench);
    mounted.set(parentElement, here);
  }
  const bridge = (up: Up) => setTriggerValue("sync", up);
  bench.sync.connect(bridge);
  setQueryContext(bench.editor, data);
  bench.sync.receive(data);
  applyTheme(here.host);
  const mine = here;
  return ending(parentElement, () => {
    if (mounted.get(parentElement) !== mine) return;
    mine.bench.sync.depart();
    mine.bench.sync.disconnect(bridge);
    mounted.delete(parentElement);
    setTimeout(() => close(mine));
  });
}

function close(here: Mounted): void {
  here.stop();
  here.root.unmount();
  here.host.previousSibling?.remove();
  here.host.remove();
}
