import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Annotations, AnnotationDelta, Down, Up } from "../src/protocol";
import { applyDelta } from "../src/store/annotationDelta";
import { Editor } from "../src/store/editor";
import { HttpChannel } from "../src/store/httpChannel";
import { Sync } from "../src/store/sync";
import { addAt, setSetting } from "../src/store/editCommands";
import { Python, tensor } from "./shared";

type Fate = "answer" | "lose the answer" | "refuse" | "unreachable";

/** A server behind a network: each message waits until the test says what becomes of it. */
class Network {
  waiting: { up: Up; token: string; settle: (fate: Fate) => void }[] = [];
  page: Up[] = [];

  constructor(readonly python: Python) {}

  fetch = (_: string, init: RequestInit): Promise<Response> =>
    new Promise((done, fail) => {
      const up = JSON.parse(init.body as string) as Up;
      const token = (init.headers as Record<string, string>)["X-LL-Token"] ?? "";
      const settle = (fate: Fate) => {
        if (fate === "unreachable") return fail(new TypeError("no network"));
        if (fate === "refuse") return done(new Response("{}", { status: 403 }));
        this.python.take(up);
        if (fate === "lose the answer") return fail(new TypeError("cut off"));
        done(new Response(JSON.stringify(this.python.down({ channel: token }))));
      };
      this.waiting.push({ up, token, settle });
    });

  /** Decide about the oldest message, or the one at `index`. */
  async settle(fate: Fate, index = 0): Promise<void> {
    this.waiting.splice(index, 1)[0]?.settle(fate);
    await vi.advanceTimersByTimeAsync(0);
  }
}

function bench(channel = "token") {
  const network = new Network(new Python());
  const editor = new Editor("d");
  const sync = new Sync(editor, "tab", new HttpChannel(network.fetch as never, () => "http://here/"));
  sync.connect((up) => network.page.push(structuredClone(up)));
  sync.receive(network.python.down({ channel }));
  const throughThePage = () => {
    network.python.take(network.page[network.page.length - 1]);
    sync.receive(network.python.down({ channel }));
  };
  return { network, editor, sync, throughThePage };
}

const channels = (up?: Up) => up?.graph?.nodes.conv1?.settings?.out_channels;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the short way", () => {
  test("an edit goes over the route with the token, and its answer is drawn", async () => {
    const { network, editor } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "now");
    expect(network.waiting).toHaveLength(1);
    expect(network.waiting[0]?.token).toBe("token");
    await network.settle("answer");
    expect(editor.state).toMatchObject({ ackRev: 1, annRev: 1, status: "checked" });
    expect(network.page).toHaveLength(0);
  });

  test("a first answer that takes seconds is no lost connection", async () => {
    const { network, editor, throughThePage } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "now");
    await vi.advanceTimersByTimeAsync(5000);
    expect(editor.state.status).toBe("checking");
    await vi.advanceTimersByTimeAsync(8000);
    expect(editor.state.status).toBe("offline");
    throughThePage();
    expect(editor.state.status).toBe("checked");
    setSetting(editor, "conv1", "out_channels", 9, "now");
    await network.settle("unreachable", 1);
    await vi.advanceTimersByTimeAsync(4000);
    expect(editor.state.status).toBe("offline");
  });

  test("one message at a time: what is drawn meanwhile follows as one", async () => {
    const { network, editor } = bench();
    for (const n of [5, 6, 7]) setSetting(editor, "conv1", "out_channels", n, "now");
    expect(network.waiting).toHaveLength(1);
    await network.settle("answer");
    expect(network.waiting.map((w) => channels(w.up))).toEqual([7]);
    await network.settle("answer");
    expect(network.python.rev).toBe(3);
  });

  test.each<Fate>(["unreachable", "refuse", "lose the answer"])(
    "%s: the same edit goes through the page at once",
    async (fate) => {
      const { network, editor, throughThePage } = bench();
      setSetting(editor, "conv1", "out_channels", 8, "now");
      await network.settle(fate);
      expect(network.page.map(channels)).toEqual([8]);
      throughThePage();
      expect(editor.state).toMatchObject({ ackRev: 1, status: "checked" });
      setSetting(editor, "conv1", "out_channels", 9, "now");
      expect(network.waiting).toHaveLength(0); // closed for a while
      expect(network.page.map(channels)).toEqual([8, 9]);
    },
  );

  test("after a rest, or with the token of another server, the short way is open again", async () => {
    const { network, editor, sync, throughThePage } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "now");
    await network.settle("unreachable");
    throughThePage();
    await vi.advanceTimersByTimeAsync(10_000);
    setSetting(editor, "conv1", "out_channels", 9, "now");
    await network.settle("refuse");
    network.python.take(network.page[network.page.length - 1]);
    sync.receive(network.python.down({ channel: "another" }));
    setSetting(editor, "conv1", "out_channels", 10, "now");
    expect(network.waiting[0]?.token).toBe("another");
  });

  test("what is slow is sent again through the page, and the late answer changes nothing", async () => {
    const { network, editor, throughThePage } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "now");
    await vi.advanceTimersByTimeAsync(4000);
    expect(network.page.map(channels)).toEqual([8]);
    throughThePage();
    setSetting(editor, "conv1", "out_channels", 9, "now");
    expect(network.waiting).toHaveLength(2);
    await network.settle("answer", 1);
    expect(editor.state).toMatchObject({ ackRev: 2, status: "checked" });
    await network.settle("answer", 0);
    expect(editor.state).toMatchObject({ ackRev: 2, status: "checked" });
    expect(editor.state.drawing.graph.nodes.conv1?.settings?.out_channels).toBe(9);
    expect(channels({ graph: network.python.graph } as Up)).toBe(9);
  });

  test("an answer of a server that was stopped is not taken for news of a new one", async () => {
    const { network, editor, sync } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "now");
    const old = network.waiting[0];
    const reborn = new Python("second");
    sync.receive(reborn.down({ channel: "new" }));
    old?.settle("answer");
    await vi.advanceTimersByTimeAsync(0);
    expect(network.waiting.at(-1)?.up).toMatchObject({ sid: "second", have: 0 });
    expect(editor.state.drawing.graph.nodes.conv1?.settings?.out_channels).toBe(8);
    expect(editor.state.ackRev).toBe(0);
  });

  test("where answers come soon, each letter is asked about at once, one question at a time", async () => {
    const { network, editor } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "typing");
    expect(network.waiting).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(60);
    await network.settle("answer");
    setSetting(editor, "conv1", "out_channels", 9, "typing");
    setSetting(editor, "conv1", "out_channels", 91, "typing");
    expect(network.waiting.map(({ up }) => channels(up))).toEqual([9]);
    await network.settle("answer");
    await vi.advanceTimersByTimeAsync(60);
    expect(network.waiting.map(({ up }) => channels(up))).toEqual([91]);
  });

  test("what acts on the page, and what waits when something else is pressed, goes through the page", () => {
    const { network, editor, sync } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "typing");
    sync.flush();
    expect(network.page.map(channels)).toEqual([8]);
    expect(network.waiting).toHaveLength(0);
    const other = bench();
    other.sync.act("train");
    expect(other.network.page[0]?.action?.name).toBe("train");
    expect(other.network.waiting).toHaveLength(0);
  });

  test("an edit on its way is told to the page too before something else is pressed there", async () => {
    const { network, editor, sync, throughThePage } = bench();
    setSetting(editor, "conv1", "out_channels", 8, "now");
    sync.flush();
    expect(network.page.map(channels)).toEqual([8]);
    throughThePage();
    await network.settle("answer");
    expect(editor.state).toMatchObject({ ackRev: 1, status: "checked" });
    expect(network.python.rev).toBe(1);
  });
});

describe("200 edits over a network that delays, loses and reorders", () => {
  const fates: Fate[] = ["answer", "answer", "answer", "lose the answer", "unreachable", "refuse"];
  test.each([1, 2, 3, 4, 5, 6])("none is lost (%i)", async (seed) => {
    let state = seed;
    const dice = (n: number) => (state = (state * 48271) % 2147483647) % n;
    const { network, editor, throughThePage } = bench();
    for (let i = 1; i <= 200; i++) {
      if (dice(5) === 0) addAt(editor, "ReLU", [0, i]);
      else setSetting(editor, "conv1", "out_channels", i, dice(3) ? "now" : "typing");
      await vi.advanceTimersByTimeAsync(dice(8) === 0 ? 4500 : dice(200));
      while (network.waiting.length && dice(3)) {
        await network.settle(fates[dice(fates.length)] as Fate, dice(network.waiting.length));
      }
      if (network.page.length && dice(2)) throughThePage();
    }
    for (let i = 0; i < 30 && editor.state.ackRev < editor.state.rev; i++) {
      await vi.advanceTimersByTimeAsync(16_000);
      while (network.waiting.length) await network.settle("answer");
      if (network.page.length) throughThePage();
    }
    expect(editor.state.status).toBe("checked");
    expect(network.python.rev).toBe(editor.state.rev);
    expect(network.python.graph.nodes).toEqual(editor.state.whole.graph.nodes);
  });
});

const none: Annotations = {
  nodes: {},
  errors: [],
  warnings: [],
  source: "a\nb\nc\n",
  className: "Net",
  params: 1,
  trainable: 1,
  multAdds: 0,
  failed: "",
};

describe("annotations by what changed", () => {
  const old: Annotations = {
    ...none,
    nodes: {
      above: { lines: [1] },
      here: { params: 1, lines: [2], outputs: { output: tensor(["N", 1]) } },
      below: { lines: [3], outputs: { output: tensor(["N", 2]) } },
      gone: {},
    },
  };
  const change: AnnotationDelta = {
    base: 1,
    nodes: { here: { params: 2, lines: [2, 3], outputs: { output: tensor(["N", 1]) } }, gone: null },
    source: [1, 1, ["B", "B2"]],
    set: { params: 2 },
  };

  test("the source is spliced, notes below follow it, the rest keeps its objects", () => {
    const next = applyDelta(old, change);
    expect(next.source).toBe("a\nB\nB2\nc\n");
    expect(next.params).toBe(2);
    expect(next.nodes).toEqual({
      above: { lines: [1] },
      here: { params: 2, lines: [2, 3], outputs: { output: tensor(["N", 1]) } },
      below: { lines: [4], outputs: { output: tensor(["N", 2]) } },
    });
    expect(next.nodes.above).toBe(old.nodes.above);
    expect(next.nodes.below?.outputs).toBe(old.nodes.below?.outputs);
    expect(next.nodes.here?.outputs).toBe(old.nodes.here?.outputs);
  });

  test("changes to other annotations than those held are not applied: all are asked for", () => {
    const { network, sync, editor } = bench();
    sync.receive(network.python.down({ channel: "token", seq: 1, told: 1, annotations: old, changes: null }));
    expect(editor.state.annotations.nodes.gone).toEqual({});
    const stray: Partial<Down> = {
      channel: "token",
      seq: 2,
      told: 5,
      annotations: null,
      changes: { ...change, base: 4 },
    };
    sync.receive(network.python.down(stray));
    expect(editor.state.annotations.nodes.gone).toEqual({});
    expect(network.waiting[0]?.up.have).toBe(0);
  });

  test("changes to those that are held are applied, once", () => {
    const { network, sync, editor } = bench();
    sync.receive(network.python.down({ seq: 1, told: 1, annotations: old, changes: null }));
    const down = { seq: 2, told: 2, annotations: null, changes: change };
    sync.receive(network.python.down(down));
    sync.receive(network.python.down({ ...down, seq: 3 }));
    expect(editor.state.annotations.source).toBe("a\nB\nB2\nc\n");
    expect(editor.state.annotations.nodes.below?.lines).toEqual([4]);
  });
});
