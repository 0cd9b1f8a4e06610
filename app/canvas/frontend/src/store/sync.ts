/**
 * The conversation with Python: whole snapshots with revisions, at most one in flight, sent again
 * until acknowledged. An answer never moves or deletes what the user did since.
 */

import type { Drawing } from "../model/drawing";
import { type Action, type ActionName, type Down, type Json, type Up, VERSION } from "../protocol";
import { isEarlier, isUnknownDrawing, applyDrawing, applyHead, statusOf, AnnotationReceiver } from "./applyResponse";
import { Debounce } from "./debounce";
import type { Editor } from "./editor";
import { restoreHistory } from "./history";
import { HttpChannel } from "./httpChannel";
import { unsentOf, keepUnsent, offer, forgetUnsent } from "./rescue";
import type { Pace } from "./slices/sync";
import { snapshot } from "./snapshot";

const WAIT_MS: Record<Pace, number> = { now: 0, typing: 60, layout: 1500 };
const RESEND_MS = [4000, 8000, 15000];
/** Where answers come sooner than this, each letter is asked about at once. */
const QUICK_MS = 80;
/** Of so many drawings that went without an answer it is known that Python may have them. */
const MANY = 8;

export class Sync {
  private bridge: ((up: Up) => void) | null = null;
  private sid = "";
  private epoch = 0;
  private seq = -1;
  private sent: { rev: number; action: string; whole: Drawing } | null = null;
  private tries = 0;
  private action: Action | null = null;
  private readonly debounce = new Debounce(() => this.send());
  private again: ReturnType<typeof setTimeout> | undefined;
  private actions = 0;
  private readonly receiver = new AnnotationReceiver();
  /** Whether the student left this drawing since Python was last heard: what is opened then counts. */
  private left = false;
  private viaHttp = false;
  private looked = "";
  /** The address that Python last drew this canvas at, and whether a link to another was followed since. */
  private drawnAt = "";
  private leaving = false;
  /** Whether the last answer came so soon that nobody need wait for a pause in the typing. */
  private quick = false;

  constructor(
    readonly editor: Editor,
    readonly client: string,
    private readonly channel = new HttpChannel(),
    private readonly address = () => globalThis.location?.pathname ?? "",
  ) {
    editor.onEdit = (pace) => this.edited(pace);
    editor.onAsk = (name, args) => this.act(name, args);
  }

  /** A new closure comes with every call of the component: always use the newest. */
  connect(bridge: (up: Up) => void): void {
    if (!this.bridge) this.drawnAt = this.address();
    this.bridge = bridge;
    if (!this.editor.state.loaded && !this.sent && this.sid) this.send();
  }

  /** The component is gone that connected this closure; one that another has replaced says nothing. */
  disconnect(bridge = this.bridge): void {
    if (this.bridge !== bridge) return;
    this.bridge = null;
    this.leaving = false;
    this.left = true;
  }

  edited(pace: Pace): void {
    keepUnsent(this.editor);
    this.leaving = false;
    this.show();
    const first = pace === "typing" && this.quick && this.channel.open && !this.sent && !this.debounce.pending;
    this.debounce.schedule(first ? 0 : WAIT_MS[pace]);
  }

  /** Ask for something that acts on the drawing as it is now; travels with the snapshot. */
  act(name: ActionName, args: Record<string, Json> = {}): void {
    this.leaving = false;
    this.action = { id: `${this.client}-${++this.actions}`, name, args };
    this.debounce.schedule(0);
  }

  /** Ask for the analysis once more, after it could not be made. */
  retry(): void {
    this.debounce.schedule(0);
  }

  /**
   * Send what is still waiting, now, and by Streamlit's channel: there it comes before whatever is
   * pressed next, which must see it.
   */
  flush(): void {
    if (this.viaHttp && this.bridge) {
      this.sent = null;
      this.send(true);
    } else if (this.debounce.pending) this.send(true);
  }

  /** Tell the page that the drawing was checked: a lesson beside it looks at it again. */
  private announce(): void {
    if (!this.leaving) globalThis.dispatchEvent?.(new Event("layerloom:checked"));
  }

  /** A link was followed, to a page of this address; whoever goes on drawing stayed. */
  leave(address: string): void {
    this.leaving = address !== this.address();
  }

  /** The component is about to go: what waits is sent by the short way, or kept for the next time. */
  depart(): void {
    this.leaving = true;
    if (this.debounce.pending) this.send();
  }

  receive(down: Down): void {
    if (down.v !== VERSION) {
      this.editor.set({ status: "refused", refusal: "This page is out of date: reload it." });
      return;
    }
    const reborn = down.sid !== this.sid;
    if (!reborn && down.seq < this.seq) return;
    if (down.seq !== this.seq && !this.leaving) this.drawnAt = this.address();
    this.seq = down.seq;
    this.channel.setToken(down.channel);
    applyHead(this.editor, down);
    if (reborn) this.meet(down);
    else if (down.epoch !== this.epoch) this.take(down, true);
    this.acknowledge(down);
    this.lookAtWish(down);
    const { annRev } = this.editor.state;
    if (!this.receiver.receive(this.editor, down)) this.debounce.schedule(0);
    if (this.editor.state.annRev !== annRev) this.announce();
    this.show();
    if (!this.sent && this.pending()) this.debounce.schedule(this.debounce.remaining);
  }

  /**
   * A Python session met for the first time: the page is new, Python was started again, or Streamlit
   * made another session for this page. That one may have begun before our last edits were kept.
   */
  private meet(down: Down): void {
    const { state } = this.editor;
    const edited = state.loaded && state.rev > state.ackRev,
      strange = edited && isUnknownDrawing(this.editor, down);
    const unsaid = edited ? !strange : state.loaded && !this.left && isEarlier(this.editor, down);
    this.left = false;
    this.sid = down.sid;
    this.sent = null;
    this.viaHttp = false;
    this.receiver.have = 0;
    this.editor.set({ ackRev: down.ackRev, annRev: -1 });
    if (unsaid) {
      this.epoch = down.epoch;
      const rev = Math.max(state.rev, down.ackRev + 1);
      this.editor.set({ rev, semRev: rev });
    } else this.take(down, state.loaded);
    if (strange) offer(this.editor, state.whole);
  }

  /** Show the drawing of Python: a first one, or one that replaces ours. */
  private take(down: Down, replaces: boolean): void {
    if (!down.graph || !this.editor.state.catalogue.json.families.length) {
      if (!replaces) this.debounce.schedule(0);
      return;
    }
    this.epoch = down.epoch;
    applyDrawing(this.editor, down, replaces);
    this.sent = null;
    this.debounce.cancel();
    const rev = down.ackRev;
    this.editor.set({ rev, ackRev: rev, semRev: down.annRev < 0 ? rev : down.annRev, annRev: -1 });
    if (!replaces) {
      this.editor.set({ rescue: unsentOf(this.editor) });
      restoreHistory(this.editor);
    }
  }

  /** Select the block that another page asked for, once. */
  private lookAtWish({ look }: Down): void {
    if (!look || look.n === this.looked || !this.editor.state.loaded) return;
    this.looked = look.n;
    this.editor.show(look.node);
    this.editor.set({ tab: "block" });
  }

  private acknowledge(down: Down): void {
    const { state } = this.editor,
      { ackRev, rev } = state;
    if (down.refused && down.refused.rev >= (this.sent?.rev ?? rev)) {
      this.sent = null;
      this.editor.set({ refusal: down.refused.message, ackRev: Math.max(ackRev, down.refused.rev) });
    } else if (!down.refused) this.editor.set({ refusal: "" });
    if (down.ackRev > ackRev) this.editor.set({ ackRev: down.ackRev });
    if (this.action && down.ackAction === this.action.id) this.action = null;
    const done =
      this.sent && down.ackRev >= this.sent.rev && (!this.sent.action || down.ackAction === this.sent.action);
    if (done && this.sent && state.loaded) this.editor.set({ sentDrawings: [this.sent.whole] });
    if (done) this.sent = null;
    if (!this.sent) {
      this.viaHttp = false;
      clearTimeout(this.again);
      this.tries = 0;
    }
    if (this.editor.state.ackRev >= rev && !down.refused) forgetUnsent(this.editor);
  }

  private pending(): boolean {
    const { rev, ackRev, loaded } = this.editor.state;
    return this.action !== null || rev > ackRev || !loaded;
  }

  private send(page = false): void {
    this.debounce.cancel();
    if (this.sent || !this.bridge) return;
    const {
      client,
      sid,
      epoch,
      action,
      receiver: { have },
    } = this;
    const up = snapshot(this.editor, { client, sid, epoch, action, have });
    const { whole, sentDrawings } = this.editor.state;
    this.sent = { rev: up.rev, action: up.action?.id ?? "", whole };
    if (up.graph && !sentDrawings.includes(whole))
      this.editor.set({ sentDrawings: [...sentDrawings, whole].slice(-MANY) });
    clearTimeout(this.again);
    const wait = RESEND_MS[Math.min(this.tries, RESEND_MS.length - 1)];
    this.again = setTimeout(() => this.resend(), wait);
    this.viaHttp = !page && this.channel.open && up.graph !== null && !up.action && this.tries === 0;
    performance.mark("loom:sent");
    if (this.viaHttp) void this.post(up);
    else this.say(up);
  }

  /**
   * Send by Streamlit's channel, unless the student is on the way to another page: there it would cut
   * that page's script off and leave it empty. What is not said is kept, and said on coming back.
   */
  private say(up: Up): void {
    const here = !this.drawnAt || this.address() === this.drawnAt;
    if (here && !this.leaving) this.bridge?.(up);
  }

  /** Send by the short way; what fails there goes by Streamlit's channel. */
  private async post(up: Up): Promise<void> {
    const { sent } = this;
    const began = performance.now();
    try {
      const down = await this.channel.post(up);
      this.quick = performance.now() - began < QUICK_MS;
      performance.mark("loom:answered");
      if (down.sid === this.sid) this.receive(down);
    } catch {
      if (this.sent !== sent || !this.viaHttp) return; // sent anew, or answered, in the meantime
      this.viaHttp = false;
      this.say(up);
    }
  }

  private resend(): void {
    this.sent = null;
    this.tries += 1;
    this.show();
    this.send();
  }

  /** Where the short way has not failed, Python may just be slow: the first network it sees takes it seconds. */
  private get lost(): boolean {
    return this.tries > (this.channel.open ? 1 : 0);
  }

  private show(): void {
    this.editor.set({ status: statusOf(this.editor, this.sent !== null, this.lost) });
  }
}
