/** Tabs of one browser tell each other that a project changed; Python then says whether it differs. */

import type { Editor } from "./editor";
import type { Sync } from "./sync";

const NAME = "layerloom";

/** Tell the other tabs what Python took from this one, and ask Python when they tell, or on return. */
export function watchOtherTabs(editor: Editor, sync: Sync): void {
  const ask = () => {
    if (editor.state.loaded) sync.retry();
  };
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(NAME);
  channel?.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.data === editor.doc) ask();
  });
  editor.store.subscribe(({ ackRev, loaded, elsewhere }, before) => {
    const chosen = before.elsewhere && !elsewhere;
    if (loaded && (ackRev > before.ackRev || chosen)) channel?.postMessage(editor.doc);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") ask();
  });
}
