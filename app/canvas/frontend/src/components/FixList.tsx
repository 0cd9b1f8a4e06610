/** The fixes of a finding: looked at with the pointer or the focus, carried out with a click. */

import { type FocusEvent, useEffect, useId, useRef } from "react";
import { useBench } from "../hooks/useEditor";
import { useFixPreview } from "../hooks/useFixPreview";
import { reasonFor } from "../model/editPreview";
import { blockName } from "../model/graph";
import { labels } from "../model/signature";
import type { After, Finding, Fix } from "../protocol";
import { applyFix } from "../store/editCommands";
import { lookAtFix } from "../store/fixPreview";
import { Icon } from "./icons";

interface Props {
  finding: Finding;
  /** Test id of the button of fix `i`. */
  testid: (i: number) => string;
  /** Beside a block: say little, and above the buttons where the list grows upwards. */
  beside?: "above" | "below";
}

/** Findings that no edit mends: what is asked of Python instead, and what the button says. */
const ELSEWHERE = new Map<string, readonly ["review" | "data" | "training", string]>([
  ["untrusted", ["review", "Read the code…"]],
  ["missing_data", ["data", "Open the Data page"]],
  ["missing_weights", ["training", "Open the Train page"]],
  ["missing_run", ["training", "Open the Train page"]],
]);

export function FixList({ finding, testid, beside }: Props) {
  const { editor } = useBench();
  const id = useId();
  const { fix: looked, list } = useFixPreview(editor);
  const shown = list === id ? looked : null;
  const touched = useRef(false);
  const mine = finding.fixes.find((fix) => fix === shown);
  useEffect(() => () => lookAtFix(editor, null), [editor, finding]);
  const elsewhere = ELSEWHERE.get(finding.code);
  if (elsewhere) {
    const [ask, title] = elsewhere;
    return (
      <div className="fixes">
        <button type="button" className="button fix" data-testid={testid(0)} onClick={() => editor.onAsk(ask, {})}>
          {title}
        </button>
      </div>
    );
  }
  if (!finding.fixes.length) return null;
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) lookAtFix(editor, null);
  };
  const carryOut = (fix: Fix) => {
    const first = touched.current && shown !== fix; // a finger cannot hover: its first tap looks
    touched.current = false;
    if (first) return lookAtFix(editor, fix, id);
    lookAtFix(editor, null);
    applyFix(editor, fix);
  };
  return (
    <div className="fix-list" onMouseLeave={() => lookAtFix(editor, null)} onBlur={leave}>
      {mine && beside === "above" && <FixPreview id={id} fix={mine} finding={finding} brief />}
      <div className="fixes" role="group" aria-label="Fixes">
        {finding.fixes.map((fix, i) => (
          <button
            key={fix.title}
            type="button"
            className="button fix"
            data-testid={testid(i)}
            aria-describedby={fix === mine ? id : undefined}
            onPointerDown={(e) => {
              touched.current = e.pointerType === "touch";
            }}
            onMouseEnter={() => !touched.current && lookAtFix(editor, fix, id)}
            onFocus={() => !touched.current && lookAtFix(editor, fix, id)}
            onClick={() => carryOut(fix)}
          >
            {fix.title}
          </button>
        ))}
      </div>
      {mine && beside !== "above" && <FixPreview id={id} fix={mine} finding={finding} brief={beside !== undefined} />}
    </div>
  );
}

interface PreviewProps {
  id: string;
  fix: Fix;
  finding: Finding;
  brief: boolean;
}

function FixPreview({ id, fix, finding, brief }: PreviewProps) {
  const { editor } = useBench();
  const { preview, after, trouble } = useFixPreview(editor);
  const { catalogue, whole } = editor.state;
  const reason = reasonFor(fix, finding, catalogue, (node) => blockName(whole.graph, node));
  return (
    <div className="fix-preview" id={id} data-testid="fix-preview">
      {reason && !brief && <p>{reason}</p>}
      <ul>
        {preview?.list.map((change) => (
          <li key={change.sign + change.text} data-sign={change.sign}>
            <b aria-hidden="true">{change.sign}</b>{" "}
            <span>
              <span className="hidden-text">{SPOKEN[change.sign]}: </span>
              {change.text}
            </span>
          </li>
        ))}
      </ul>
      <div role="status" className="fix-after">
        {after ? (
          <Outcome after={after} most={brief ? 1 : 4} />
        ) : (
          <span className="muted">{trouble || "Checking the result…"}</span>
        )}
      </div>
    </div>
  );
}

const SPOKEN = { "+": "adds", "−": "removes", "→": "changes" };

function Outcome({ after: { errors, first, changed, more }, most }: { after: After; most: number }) {
  return (
    <>
      {changed.slice(0, most).map(({ node, before, after }) => (
        <p key={node} className="mono">
          <span className="muted">{node}</span> {labels(before) && <s>{labels(before)}</s>} {labels(after)}
        </p>
      ))}
      {changed.length + more > most && most > 1 && <p className="muted">and {changed.length + more - most} more</p>}
      <p className={errors ? "left" : "good"}>
        <Icon name={errors ? "waiting" : "check"} size={13} />{" "}
        {errors
          ? `Then ${errors === 1 ? "one problem is" : `${errors} problems are`} left: ${first}`
          : "Then no errors are left."}
      </p>
    </>
  );
}
