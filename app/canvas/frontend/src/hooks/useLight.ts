/** The light of a wire, and where its threads run, for what draws the light that moves. */

import { createContext, useContext, useLayoutEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { Strength, Way } from "../model/light";
import { asPath, threads, type Track, trackOf } from "../model/strand";
import { lineOf, type WirePath } from "../model/wirePath";
import { lightStore } from "../store/light";
import { useBench, useEditor } from "./useEditor";

/** The threads of the wires that are drawn now, by wire. */
export type Tracks = Map<string, Readonly<Record<Way, Track>>>;

export const TracksContext = createContext<Tracks | null>(null);

export interface Threads extends Strength {
  paths: Readonly<Record<Way, string>>;
}

/** The numbers of a wire, in words; "" while it has none. */
export const useLightWords = (id: string): string =>
  useStore(lightStore(useBench().editor), (s) => s.words.get(id) ?? "");

/** The threads of a wire; null while it has no light. */
export function useThreads(id: string, wire: WirePath): Threads | null {
  const strength = useStore(lightStore(useBench().editor), (s) => s.wires.get(id));
  const down = useEditor((s) => s.direction === "down");
  const tracks = useContext(TracksContext);
  const lit = strength !== undefined,
    both = strength?.backward !== undefined && strength.forward !== undefined;
  const lines = useMemo(() => (lit ? threads(lineOf(wire, down), both) : null), [lit, both, wire, down]);
  useLayoutEffect(() => {
    if (!lines || !tracks) return;
    tracks.set(id, { forward: trackOf(lines.forward), backward: trackOf(lines.backward) });
    return () => void tracks.delete(id);
  }, [id, lines, tracks]);
  return useMemo(
    () =>
      lines && strength
        ? { ...strength, paths: { forward: asPath(lines.forward), backward: asPath(lines.backward) } }
        : null,
    [lines, strength],
  );
}
