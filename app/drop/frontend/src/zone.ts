/** The place that says what can be dropped, with buttons for those who rather choose. */

import type { Data } from "./protocol";

export function zone(kinds: Data["kinds"], take: (files: File[]) => void): HTMLElement {
  const root = document.createElement("div");
  root.className = "zone";
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Open your own data");
  const title = document.createElement("strong");
  title.textContent = "Drop your files anywhere on the page";
  const list = document.createElement("ul");
  for (const [name, what] of kinds) {
    const item = document.createElement("li");
    const bold = document.createElement("b");
    bold.textContent = name;
    item.append(bold, ` ${what}`);
    list.append(item);
  }
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  buttons.append(...chooser("Choose files", false, take), ...chooser("Choose a folder", true, take));
  root.append(title, list, buttons);
  const place = document.createElement("div");
  place.className = "place";
  place.append(root);
  return place;
}

function chooser(words: string, folder: boolean, take: (files: File[]) => void): HTMLElement[] {
  const input = document.createElement("input");
  const button = document.createElement("button");
  input.type = "file";
  input.multiple = true;
  input.hidden = true;
  input.webkitdirectory = folder;
  input.dataset.testid = folder ? "choose-folder" : "choose-files";
  input.onchange = () => {
    take([...(input.files ?? [])]);
    input.value = ""; // so that the same file may be chosen again
  };
  button.type = "button";
  button.textContent = words;
  button.onclick = () => input.click();
  return [input, button];
}
