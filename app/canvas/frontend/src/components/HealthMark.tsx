/** What is sick about a block while it trains: a mark on it with words, and what helps. */

import { Fragment } from "react";
import { useBench } from "../hooks/useEditor";
import { useMark, useSample, useVitals } from "../hooks/useSample";
import { told } from "../model/health";
import { take } from "../store/overTime";
import { Icon } from "./icons";

/** On the card; pressed, it selects the block, whose panel explains. */
export function HealthMark({ id }: { id: string }) {
  const { editor } = useBench();
  const mark = useMark(id);
  if (!mark) return null;
  const show = () => editor.set({ selectedNodes: new Set([id]), selectedEdges: new Set(), tab: "block" });
  return (
    <button
      type="button"
      className="block-sick nodrag"
      title={mark.text}
      data-kind={mark.kind}
      data-testid={`mark-${id}`}
      onClick={show}
    >
      <Icon name="pulse" size={12} /> <span className="hidden-text">{mark.path}: </span>
      {mark.words}
    </button>
  );
}

/** In the panel of the block: the mark explained, what helps, and all measures. */
export function HealthNote({ id }: { id: string }) {
  const { editor } = useBench();
  const mark = useMark(id),
    vitals = useVitals(id);
  const step = useSample((s) => s.health.step),
    samples = useSample((s) => s.health.samples);
  const rows = vitals ? told(vitals) : [];
  if (!mark && !rows.length) return null;
  return (
    <section className="health" aria-label="Health" data-testid="health">
      {mark && (
        <div className="finding" data-level="warning" data-testid="health-note">
          <p>
            <Icon name="pulse" size={14} /> <span>{mark.text}</span>
          </p>
          {mark.remedies.length > 0 && (
            <div className="fixes">
              {mark.remedies.map((remedy, i) => (
                <button
                  key={remedy.title}
                  type="button"
                  className="button fix"
                  data-testid={`remedy-${i}`}
                  title={`Changes ${Object.keys(remedy.changes).join(", ")} and starts a new run; this run is kept`}
                  onClick={() => take(editor, mark, remedy)}
                >
                  <Icon name="play" size={12} /> {remedy.title}, and train
                </button>
              ))}
            </div>
          )}
        </div>
      )}
      {rows.length > 0 && (
        <>
          <h3>
            Health{" "}
            <span className="muted">
              {samples} validation samples{step !== null && `, step ${step.toLocaleString("en")}`}
            </span>
          </h3>
          <dl className="facts">
            {rows.map(([name, value, about]) => (
              <Fragment key={name}>
                <dt title={about}>{name}</dt>
                <dd className="mono" title={about}>
                  {value}
                </dd>
              </Fragment>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}
