/** The workbench: toolbar, palette, canvas, inspector. */

import { ReactFlowProvider } from "@xyflow/react";
import { Component, type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import { useStore } from "zustand";
import { onCopy, onPaste } from "../actions/clipboard";
import { forgetSearch, onArrow, onFixed, typing } from "../actions/focus";
import { onEscape, onKeyDown } from "../actions/keyboard";
import { BenchContext, useBench, useEditor } from "../hooks/useEditor";
import { useGlobalKeys } from "../hooks/useGlobalKeys";
import { useLesson } from "../hooks/useLesson";
import { usePanels } from "../hooks/usePanels";
import { useRestoreFocus } from "../hooks/useRestoreFocus";
import { usePlane } from "../hooks/useSample";
import type { Bench } from "../store/bench";
import { preferences } from "../store/preferences";
import { discard, restore } from "../store/rescue";
import { Breadcrumb } from "./Breadcrumb";
import { Canvas } from "./Canvas";
import { HeatLegend } from "./Heat";
import { Inspector } from "./Inspector";
import { Offline } from "./Offline";
import { OtherTab } from "./OtherTab";
import { Overlays } from "./Overlays";
import { Palette } from "./Palette";
import { SampleStrip } from "./SampleStrip";
import { Shortcuts } from "./Shortcuts";
import { sideStyle } from "./Splitter";
import { Toolbar } from "./Toolbar";

export function App({ bench }: { bench: Bench }) {
  return (
    <BenchContext.Provider value={bench}>
      <Boundary>
        <ReactFlowProvider>
          <Workbench />
        </ReactFlowProvider>
      </Boundary>
    </BenchContext.Provider>
  );
}

function Workbench() {
  const bench = useBench();
  const status = useEditor((s) => s.status);
  const help = useEditor((s) => s.help);
  const focus = useLesson((s) => s.focus);
  const { closed } = usePanels();
  const side = useStore(preferences, (s) => s.side);
  const plane = usePlane() !== undefined;
  const root = useRef<HTMLDivElement>(null);
  useRestoreFocus(root, bench.editor);
  useGlobalKeys(root);
  const closeHelp = () => bench.editor.set({ help: false });
  useEffect(() => closeHelp, []);
  return (
    <div
      ref={root}
      className="loom"
      tabIndex={-1}
      data-testid="workbench"
      data-status={status}
      data-palette={closed.palette ? "closed" : "open"}
      data-side={closed.side ? "closed" : "open"}
      data-plane={plane || undefined}
      data-lesson={focus ? true : undefined}
      style={side === null ? undefined : ({ "--side": sideStyle(side) } as CSSProperties)}
      onKeyDown={(e) => onKeyDown(e, bench)}
      onKeyDownCapture={(e) => {
        onEscape(e, bench);
        onArrow(e, bench.editor);
      }}
      onCopy={(e) => onCopy(e, bench, false)}
      onCut={(e) => onCopy(e, bench, true)}
      onPaste={(e) => onPaste(e, bench)}
      onClick={(e) => onFixed(e, bench.editor)}
      onPointerDown={(e) => {
        forgetSearch(e.currentTarget);
        if (!typing(e.target)) e.currentTarget.focus({ preventScroll: true });
      }}
    >
      <Toolbar />
      {!closed.palette && <Palette />}
      <SampleStrip />
      <section className="stage" aria-label="Canvas">
        <Canvas />
        <Breadcrumb />
        <HeatLegend />
        <Overlays />
        <Rescue />
        <OtherTab />
        <Offline />
        <Toast />
      </section>
      {!closed.side && <Inspector />}
      {help && <Shortcuts onClose={closeHelp} />}
    </div>
  );
}

function Rescue() {
  const { editor } = useBench();
  const rescue = useEditor((s) => s.rescue);
  if (!rescue) return null;
  const when = new Date(rescue.when);
  const day = Number.isNaN(when.getTime()) ? "" : ` of ${when.toLocaleString()}`;
  return (
    <div className="banner" role="alert" data-testid="rescue">
      <span>This browser has unsent edits{day}.</span>
      <button
        type="button"
        className="button small outline"
        data-testid="rescue-restore"
        onClick={() => restore(editor)}
      >
        Restore
      </button>
      <button type="button" className="button small" data-testid="rescue-discard" onClick={() => discard(editor)}>
        Discard
      </button>
    </div>
  );
}

const SHOWN_MS = { info: 2600, error: 6000 };

function Toast() {
  const { editor } = useBench();
  const toast = useEditor((s) => s.toast);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => editor.set({ toast: null }), SHOWN_MS[toast.tone]);
    return () => clearTimeout(timer);
  }, [toast, editor]);
  useEffect(() => () => editor.forgetToast(), [editor]); // the drawing outlives its page: what was said does not
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toast && (
        <div key={toast.n} className="toast" data-tone={toast.tone} data-testid="toast">
          {toast.text}
        </div>
      )}
    </div>
  );
}

/** A fault in the drawing code must not take the student's work with it: it is kept and told. */
class Boundary extends Component<{ children: ReactNode }, { message: string }> {
  override state = { message: "" };

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (!this.state.message) return this.props.children;
    return (
      <div className="loom broken" role="alert" data-testid="broken">
        <p>
          <strong>The canvas stopped working.</strong> Your edits are kept.
        </p>
        <p className="muted">{this.state.message}</p>
        <button type="button" className="button outline" onClick={() => this.setState({ message: "" })}>
          Reload the canvas
        </button>
      </div>
    );
  }
}
