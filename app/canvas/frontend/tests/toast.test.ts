/** Toasts are about now: a page that is left takes them along. */

import { expect, it } from "vitest";
import { Editor } from "../src/store/editor";

it("what was said on leaving a page is not said again on coming back", () => {
  const editor = new Editor("doc");
  editor.notify("Starting the training.");
  expect(editor.state.toast?.text).toBe("Starting the training.");
  editor.forgetToast();
  expect(editor.state.toast).toBe(null);
});
