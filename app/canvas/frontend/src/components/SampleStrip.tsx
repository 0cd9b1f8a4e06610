/** The strip above the drawing: which sample goes through it, what is right, what the network says. */

import { useSample } from "../hooks/useSample";
import { useBench } from "../hooks/useEditor";
import { useTrainedValues } from "../hooks/useTrainedValues";
import { hasRun, type Looked, type Part, percent, type Wanted } from "../model/sample";
import { choose, lookAtPlane, make, partOf, random, step, toggleSample } from "../store/oneSample";
import { showRun } from "../store/overTime";
import { Icon, type IconName } from "./icons";
import { SampleOwn } from "./SampleOwn";
import { Scores } from "./Scores";
import { StepBar } from "./Steps";
import { TimeBar } from "./TimeBar";

export function SampleStrip() {
  const open = useSample((s) => s.open);
  useTrainedValues();
  return open ? <Strip /> : null;
}

function Strip() {
  const { editor } = useBench();
  const wanted = useSample((s) => s.wanted);
  const looked = useSample((s) => s.looked);
  const trouble = useSample((s) => s.trouble);
  const mend = useSample((s) => s.mend);
  const making = useSample((s) => s.making);
  const plane = useSample((s) => "plane" in s.wanted);
  const answers = useSample((s) => s.answers);
  const stepping = useSample((s) => s.steps !== null);
  const answered = useSample((s) => hasRun(s.steps, s.looked?.output ?? ""));
  const count = looked?.count ?? 0;
  return (
    <section
      className="sample-strip"
      aria-label="One sample"
      data-testid="sample-strip"
      data-making={making || undefined}
      data-answers={answers}
    >
      <div className="sample-row">
        {making ? (
          <button
            type="button"
            className="button small outline"
            data-testid="sample-back"
            onClick={() => make(editor, false)}
          >
            Samples of the data
          </button>
        ) : plane ? (
          <button
            type="button"
            className="button small outline"
            data-testid="sample-back"
            onClick={() => lookAtPlane(editor, false)}
          >
            Samples of the data
          </button>
        ) : (
          !mend && <Ways wanted={wanted} count={count} />
        )}
        {!making && !plane && looked?.ways.plane && (
          <button
            type="button"
            className="button small outline"
            title="The output of the network and of each unit for every pair of inputs"
            data-testid="sample-plane"
            onClick={() => lookAtPlane(editor, true)}
          >
            <Icon name="plane" size={13} /> The plane
          </button>
        )}
        {!making && !plane && looked && looked.ways.kind !== "" && (
          <button
            type="button"
            className="button small outline"
            data-testid="sample-own"
            onClick={() => make(editor, true)}
          >
            <Icon name="pen" size={13} /> Your own
          </button>
        )}
        {!making && !plane && looked && !stepping && <StepBar />}
        <div className="sample-answer">
          <p className="sample-told" role="status" data-testid="sample-told">
            {trouble ? (
              <span className="bad">{trouble}</span>
            ) : looked ? (
              result(looked, making, answered)
            ) : (
              "Running the sample…"
            )}
          </p>
          {mend && (
            <button
              type="button"
              className="button small outline"
              data-testid="sample-mend"
              onClick={() => editor.onAsk(mend, {})}
            >
              Choose the data
            </button>
          )}
          {looked && (making || !looked.time) && <Weights looked={looked} />}
        </div>
        <Small icon="cross" title="Close the sample (V)" id="sample-close" press={() => toggleSample(editor)} />
      </div>
      {making && looked && (
        <div className="sample-making">
          <SampleOwn ways={looked.ways} />
          {looked.part === "" && looked.prediction.scores.length > 0 && (
            <Scores scores={looked.prediction.scores} most={6} />
          )}
        </div>
      )}
      {!making && <TimeBar>{looked && <Weights looked={looked} />}</TimeBar>}
      {looked && !making && stepping && (
        <div className="sample-row">
          <StepBar />
        </div>
      )}
      {looked?.fault && (
        <p className="sample-began">
          <Icon name="error" size={13} /> Values up to{" "}
          <button type="button" className="linked" onClick={() => editor.show(looked.fault)}>
            {looked.fault}
          </button>
          , which has an error.
        </p>
      )}
      {looked?.began && (
        <p className="sample-began bad">
          <Icon name="diverged" size={13} /> The first value that is not finite is in the output of{" "}
          <button type="button" className="linked" onClick={() => editor.show(looked.began)}>
            {looked.began}
          </button>
          .
        </p>
      )}
    </section>
  );
}

/** Whose weights are shown; a choice where several runs have some of this drawing. */
function Weights({ looked: { weights, run, runs } }: { looked: Looked }) {
  const { editor } = useBench();
  const next = useSample((s) => s.nextRun);
  const [before = "", after = ""] = weights.split(run);
  if (!run || runs.length < 2)
    return (
      <span className="muted cut sample-weights" title={weights} data-testid="sample-weights">
        {weights}
      </span>
    );
  return (
    <label className="muted sample-weights" title="All pages then show this run" data-testid="sample-weights">
      {before}
      <select
        className="field sample-run"
        aria-label="Run whose weights are shown"
        value={next || run}
        data-testid="sample-run"
        onChange={(e) => showRun(editor, e.target.value)}
      >
        {[...new Set([...runs, run])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {after}
    </label>
  );
}

/** Which sample of which part of the data, and the ways to others. */
function Ways({ wanted, count }: { wanted: Wanted; count: number }) {
  const { editor } = useBench();
  const part = partOf(wanted),
    index = "index" in wanted ? wanted.index : 0;
  const typed = (text: string) => {
    if (/^\d{1,9}$/.test(text)) choose(editor, part, Number(text));
  };
  return (
    <>
      <select
        className="field sample-part"
        aria-label="Part of the data"
        title="Validation or training samples"
        value={part}
        data-testid="sample-part"
        onChange={(e) => choose(editor, e.target.value as Part, 0)}
      >
        <option value="validation">Validation</option>
        <option value="training">Training</option>
      </select>
      <Small icon="left" title="Previous sample" id="sample-previous" press={() => step(editor, -1)} />
      <label className="sample-index" title="Samples count from 0, as in Python">
        <span className="hidden-text">Index of the sample</span>
        <input
          key={index}
          className="field"
          inputMode="numeric"
          defaultValue={index}
          data-testid="sample-index"
          onBlur={(e) => typed(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter") typed(e.currentTarget.value);
          }}
        />
        <span className="muted">of {count.toLocaleString("en")}</span>
      </label>
      <Small icon="chevron" title="Next sample" id="sample-next" press={() => step(editor, 1)} />
      <Small icon="dice" title="Random sample" id="sample-random" press={() => random(editor)} />
    </>
  );
}

interface SmallProps {
  icon: IconName;
  title: string;
  id: string;
  press: () => void;
}

function Small({ icon, title, id, press }: SmallProps) {
  return (
    <button
      type="button"
      className="button small icon"
      title={title}
      aria-label={title}
      data-testid={id}
      onClick={press}
    >
      <Icon name={icon} size={14} />
    </button>
  );
}

const BEGIN = {
  "": "",
  image: "Draw something.",
  sound: "Choose a sound.",
  table: "Type a row.",
  series: "Type a row.",
  text: "Type a text.",
};

/** "Target 7 · prediction 7 (98 %)", as far as there are words for them. answered: whether the network has come to its output. */
function result(
  { target, prediction: { words, scores, why, error }, part, ways, plane }: Looked,
  making: boolean,
  answered: boolean,
) {
  if (plane) return <Right {...plane.accuracy} />;
  if (making && part !== "") return <span className="muted">{BEGIN[ways.kind]}</span>;
  const sure = scores.find((s) => s.predicted);
  const right = target !== "" && words !== "" && !error ? (target === words ? "good" : "wrong") : undefined;
  return (
    <>
      {part !== "" && target && (
        <span className="cut sample-target">
          Target <strong>{target}</strong>
        </span>
      )}
      {words && answered && (
        <span className="cut sample-said" data-right={right}>
          Prediction <strong>{words}</strong>
          {sure && ` (${percent(sure.value)})`}
          {error && ` (error ${error})`}
          {right && <span className="hidden-text">{right === "good" ? ", right" : ", wrong"}</span>}
        </span>
      )}
      {why && answered && <span className="cut muted">{why}</span>}
    </>
  );
}

/** How many samples of both parts are right with the weights that are shown. */
function Right({ training, validation }: { training?: number; validation?: number }) {
  if (validation === undefined || training === undefined)
    return <span className="muted">The plane of two columns</span>;
  return (
    <>
      <span data-testid="plane-accuracy">
        Validation accuracy <strong>{tenths(validation)}</strong>
      </span>
      <span className="muted">training {tenths(training)}</span>
    </>
  );
}

const tenths = (share: number): string => `${(100 * share).toFixed(1)}\u00a0%`;
