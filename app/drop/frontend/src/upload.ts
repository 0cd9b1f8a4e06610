/** Sending a drop to the server, with its progress. */

import { message, type Named } from "./files";

export interface Sending {
  done: Promise<string>; // the name of what it became
  cancel: () => void;
}

/** told: hears the part that was sent, 0 to 1; at 1 the server reads it. */
export function send(files: readonly Named[], token: string, told: (part: number) => void): Sending {
  const request = new XMLHttpRequest();
  const done = new Promise<string>((resolve, reject) => {
    request.upload.onprogress = (event) => event.lengthComputable && told(event.loaded / event.total);
    request.upload.onload = () => told(1);
    request.onload = () => {
      const answer = request.response as { drop?: string; error?: string } | null;
      if (request.status === 200 && answer?.drop) resolve(answer.drop);
      else reject(new Error(answer?.error ?? "The server could not read the upload. Reload the page."));
    };
    request.onerror = () => reject(new Error("The upload failed: the server cannot be reached, or a file changed."));
    request.onabort = () => reject(new Error(""));
    request.open("POST", new URL("api/ll/drop", document.baseURI));
    request.responseType = "json";
    request.setRequestHeader("X-LL-Token", token);
    request.setRequestHeader("Content-Type", "application/x-layerloom-drop");
    request.send(message(files));
  });
  return { done, cancel: () => request.abort() };
}
