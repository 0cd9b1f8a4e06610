import { expect, it } from "vitest";
import { oneEntryPerPage, Passed, staysOnPage } from "./address";

const HERE = "http://127.0.0.1:8501/train";

it("what the page writes of project and run takes the place of its address", () => {
  expect(staysOnPage(HERE, "/train?project=a.loom.json")).toBe(true);
  expect(staysOnPage(`${HERE}?project=a`, "/train?project=a&run=a-002")).toBe(true);
});

it("another page, the same address and no address are left to the browser", () => {
  expect(staysOnPage(HERE, "/inside?project=a")).toBe(false);
  expect(staysOnPage(HERE, "/train")).toBe(false);
  expect(staysOnPage(HERE, undefined)).toBe(false);
});

function browser(...entries: string[]) {
  const history = {
    pushState: (_: unknown, __: string, url?: string | URL | null) =>
      void entries.push(new URL(url ?? "", entries.at(-1)).href),
    replaceState: (_: unknown, __: string, url?: string | URL | null) =>
      void entries.push(new URL(url ?? "", entries.pop()).href),
  };
  const passed = new Passed();
  oneEntryPerPage(history, () => entries.at(-1) ?? "", passed);
  return { entries, history, passed };
}

it("turning a page that then writes its address makes one entry", () => {
  const { entries, history } = browser("http://host/build?project=a");
  history.pushState({}, "", "/train");
  history.pushState({}, "", "/train?project=a&run=a-001");
  expect(entries).toEqual(["http://host/build?project=a", "http://host/train?project=a&run=a-001"]);
});

it("a page that begins after Back led on from it makes no entry; turned to by a hand it does", () => {
  const { entries, history, passed } = browser("http://host/?project=b");
  passed.came("/build");
  passed.came("/");
  history.pushState({}, "", "/build?project=b");
  expect(entries).toEqual(["http://host/?project=b"]);
  passed.forget();
  history.pushState({}, "", "/build?project=b");
  expect(entries).toEqual(["http://host/?project=b", "http://host/build?project=b"]);
});
