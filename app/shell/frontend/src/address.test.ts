import { expect, it } from "vitest";
import { oneEntryPerPage, staysOnPage } from "./address";

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

it("turning a page that then writes its address makes one entry", () => {
  const entries = ["http://host/build?project=a"];
  const history = {
    pushState: (_: unknown, __: string, url?: string | URL | null) =>
      void entries.push(new URL(url ?? "", entries.at(-1)).href),
    replaceState: (_: unknown, __: string, url?: string | URL | null) =>
      void entries.push(new URL(url ?? "", entries.pop()).href),
  };
  oneEntryPerPage(history, () => entries.at(-1) ?? "");
  history.pushState({}, "", "/train");
  history.pushState({}, "", "/train?project=a&run=a-001");
  expect(entries).toEqual(["http://host/build?project=a", "http://host/train?project=a&run=a-001"]);
});
