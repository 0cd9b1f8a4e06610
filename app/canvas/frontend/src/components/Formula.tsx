/** A formula in TeX as MathML, which browsers draw by themselves: no fonts, no style sheet. */

import { useEffect, useRef, useState } from "react";
import temml from "temml";

export function Formula({ tex }: { tex: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [plain, setPlain] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    try {
      temml.render(tex, place.current, { displayMode: true, throwOnError: true });
    } catch {
      setPlain(true); // What cannot be typeset is shown as it is written.
    }
  }, [tex]);
  return plain ? (
    <code className="formula" tabIndex={0}>
      {tex}
    </code>
  ) : (
    <div ref={place} className="formula" data-testid="formula" tabIndex={0} />
  );
}
