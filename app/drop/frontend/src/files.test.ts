import { describe, expect, it } from "vitest";
import { chosen, dropped, holdsFiles, isJunk, message, refusal } from "./files";

const file = (name: string, text = "x"): File => new File([text], name);

/** What a browser gives for a folder: its entries a hundred at a time, then none. */
function folder(name: string, inner: unknown[]): unknown {
  const createReader = () => {
    const left = [inner.slice(0, 2), inner.slice(2), []];
    return { readEntries: (done: (some: unknown[]) => void) => done(left.shift() ?? []) };
  };
  return { name, isDirectory: true, createReader };
}
const entry = (name: string): unknown => ({
  name,
  isDirectory: false,
  file: (done: (file: File) => void) => done(file(name)),
});
const transfer = (...entries: unknown[]): DataTransfer =>
  ({
    items: entries.map((found) => ({ kind: "file", webkitGetAsEntry: () => found })),
    files: [],
  }) as unknown as DataTransfer;

describe("files of a drop", () => {
  it("keep their folders, without what systems hide, however many there are", async () => {
    const cats = folder("cats", ["1.png", "2.png", ".DS_Store", "3.png"].map(entry));
    const found = await dropped(transfer(folder("pets", [cats, folder(".git", [entry("x")])])));
    expect(found.map(({ name }) => name)).toEqual(["pets/cats/1.png", "pets/cats/2.png", "pets/cats/3.png"]);
  });

  it("are those of the transfer where a browser knows no entries", async () => {
    const plain = { items: [{ kind: "file" }], files: [file("a.csv")] } as unknown as DataTransfer;
    expect((await dropped(plain)).map(({ name }) => name)).toEqual(["a.csv"]);
  });

  it("are told from what is dragged within the page", () => {
    expect(holdsFiles(["text/plain", "Files"])).toBe(true);
    expect(holdsFiles(["application/x-layerloom-block"])).toBe(false);
    expect(holdsFiles(undefined)).toBe(false);
  });

  it("that are hidden are left out of a folder", () => {
    expect(["a/.b", "__MACOSX/a", "Thumbs.db"].map(isJunk)).toEqual([true, true, true]);
    expect(isJunk("a/b.png")).toBe(false);
    expect(chosen([file("a.png"), file(".hidden")]).map(({ name }) => name)).toEqual(["a.png"]);
  });

  it("are refused where they are too many or too large, before they are sent", () => {
    const large = { name: "a.zip", file: { size: 2 ** 30 + 1 } as File };
    expect(refusal([large])).toContain("20,000 files and 1,024 MB");
    expect(refusal([])).toBe("There are no files in the drop.");
    expect(refusal([{ name: "a.csv", file: file("a.csv") }])).toBe("");
  });

  it("are a line that names them and then their bytes", async () => {
    const files = [file("a.csv", "1,2"), file("b.csv", "ü")].map((one) => ({ name: one.name, file: one }));
    expect(await message(files).text()).toBe('[{"name":"a.csv","size":3},{"name":"b.csv","size":2}]\n1,2ü');
  });
});
