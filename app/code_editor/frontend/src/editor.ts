/** CodeMirror on one piece of code. The browser owns the text; the page hears of it when it rests. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage, python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { torchNames } from "./names";
import type { Data, Fault } from "./protocol";

const REST_MS = 300;
const SILENT = ["Tab", "Shift", "Control", "Alt", "Meta"];

/** Faults as marks on their lines; a line that is gone meanwhile is the last one. */
export function diagnostics(doc: Text, faults: readonly Fault[]): Diagnostic[] {
  return faults.map(({ line, message }) => {
    const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return { from, to, severity: "error", message };
  });
}

export class Editor {
  private view: EditorView;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sent: string;

  /** send: tells the page the text. */
  constructor(
    host: HTMLElement,
    data: Data,
    private send: (code: string) => void,
  ) {
    this.sent = data.code;
    this.view = new EditorView({
      parent: host,
      root: host.getRootNode() as ShadowRoot | Document,
      state: EditorState.create({ doc: data.code, extensions: this.extensions(data.label) }),
    });
    host.addEventListener("keydown", stopKeys);
    window.addEventListener("pointerdown", this.flush, true);
    window.addEventListener("keydown", this.leaving, true);
    this.update(data);
  }

  private extensions(label: string) {
    return [
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion(),
      highlightActiveLine(),
      lintGutter(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      python(),
      pythonLanguage.data.of({ autocomplete: torchNames }),
      syntaxHighlighting(classHighlighter),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "tab-help" }),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.domEventObservers({ keydown: escaping, blur: (_, view) => view.setTabFocusMode(false) }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.later();
        if (update.focusChanged && !update.view.hasFocus) this.flush();
      }),
    ];
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.flush, REST_MS);
  }

  /** Tell the page what it does not know yet. */
  flush = (): void => {
    clearTimeout(this.timer);
    const code = this.view.state.doc.toString();
    if (code === this.sent) return;
    this.sent = code;
    this.send(code);
  };

  private leaving = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !this.view.hasFocus) this.flush();
  };

  /** Mark what is wrong with the text that the page knows; a newer text waits for its own answer. */
  update(data: Data): void {
    const { state } = this.view;
    if (state.doc.toString() !== this.sent) return;
    this.view.dispatch(setDiagnostics(state, diagnostics(state.doc, data.faults)));
  }

  destroy(): void {
    this.flush();
    window.removeEventListener("pointerdown", this.flush, true);
    window.removeEventListener("keydown", this.leaving, true);
    this.view.destroy();
  }
}

/** After Escape, Tab leaves the editor until another key is typed, however long that takes. */
function escaping(event: KeyboardEvent, view: EditorView): void {
  if (event.key === "Escape") view.setTabFocusMode(true);
  else if (!SILENT.includes(event.key)) view.setTabFocusMode(false);
}

/** Keys that are typed here are no shortcuts of the page, and Escape does not close its dialog. */
function stopKeys(event: KeyboardEvent): void {
  event.stopPropagation();
}
