/** Handlers that keep their identity from one drawing to the next: what is given them is not drawn anew. */

import { useRef, useState } from "react";

type Handlers = Record<string, (...args: never[]) => unknown>;

/** The same functions at each call; they do what those given last do. */
export function useStableHandlers<T extends Handlers>(now: T): T {
  const latest = useRef(now);
  latest.current = now;
  const [same] = useState(
    () =>
      Object.fromEntries(
        Object.keys(now).map((name) => [name, (...args: never[]) => latest.current[name]?.(...args)]),
      ) as T,
  );
  return same;
}
