/** Files of a drop or a choice, with their folders, without those that systems hide. */

export interface Named {
  name: string; // with its folders: pets/cats/1.png
  file: File;
}

const JUNK = /^(\..*|__MACOSX|Thumbs\.db|desktop\.ini)$/;
export const MOST = 20_000;
export const LARGEST = 2 ** 30;

export function isJunk(name: string): boolean {
  return name.split("/").some((part) => JUNK.test(part));
}

/** Whether files are dragged, rather than a block, a text or a picture of the page. */
export function holdsFiles(types: readonly string[] | undefined): boolean {
  return types?.includes("Files") ?? false;
}

/** The files of what was dropped. The entries must be asked for before anything is awaited. */
export async function dropped(transfer: DataTransfer): Promise<Named[]> {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.every((entry) => entry === null)) return chosen([...transfer.files]);
  const found: Named[] = [];
  for (const entry of entries) if (entry) await collect(entry, "", found);
  return found;
}

/** The files of an input, which knows the folders of a chosen folder. */
export function chosen(files: readonly File[]): Named[] {
  const named = files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));
  return named.length > 1 ? named.filter(({ name }) => !isJunk(name)) : named;
}

async function collect(entry: FileSystemEntry, folder: string, into: Named[]): Promise<void> {
  const name = folder + entry.name;
  if (isJunk(entry.name) || into.length > MOST) return;
  if (entry.isDirectory) {
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const inner of some) await collect(inner, `${name}/`, into);
    }
  }
  const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
  into.push({ name, file });
}

/** Why these files are not sent at all, "" if they are. */
export function refusal(files: readonly Named[]): string {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (!files.length) return "There are no files in the drop.";
  if (files.length > MOST || bytes > LARGEST) {
    return "An upload can have at most 20,000 files and 1,024 MB. Copy a larger folder into the workspace yourself.";
  }
  return "";
}

/** The message: one line that names the files and their sizes, then their bytes. */
export function message(files: readonly Named[]): Blob {
  const listed = files.map(({ name, file }) => ({ name, size: file.size }));
  return new Blob([`${JSON.stringify(listed)}\n`, ...files.map(({ file }) => file)]);
}
