/** What Python tells of one wire for the sample that is shown; asked anew for each sample and page. */

import { useEffect, useRef, useState } from "react";
import type { Probed, Spot } from "../model/sample";
import { sampleStore } from "../store/oneSample";
import { askOfSample } from "../store/queries";
import { useBench } from "./useEditor";
import { useSample } from "./useSample";

export interface Probing {
  probed: Probed | null;
  trouble: string;
}

export function useProbe({ path, port }: Spot, page: number): Probing {
  const { editor } = useBench();
  const looked = useSample((s) => s.looked);
  const [found, setFound] = useState<Probing>({ probed: null, trouble: "" });
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    if (!looked) return;
    const { wanted, epoch } = sampleStore(editor).getState();
    askOfSample(editor, "probe", { sample: wanted, epoch, path, port, page }).then(
      (probed) => mine === turn.current && setFound({ probed, trouble: "" }),
      (error: unknown) =>
        mine === turn.current &&
        setFound({ probed: null, trouble: error instanceof Error ? error.message : String(error) }),
    );
  }, [editor, looked, path, port, page]);
  return found;
}
