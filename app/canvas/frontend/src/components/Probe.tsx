/** What travels on a wire for the sample that is looked at: facts, histogram, the numbers themselves, and the gradient beside. */

import { Fragment, useState } from "react";
import { useBench } from "../hooks/useEditor";
import { useProbe } from "../hooks/useProbe";
import { useSample } from "../hooks/useSample";
import { type Facts, type Hook, type Probed, sameSpot, short, type Spot } from "../model/sample";
import { shapeText } from "../model/signature";
import { grouped } from "../model/values";
import { copyLines, copyNumbers, pin, unpin } from "../store/probes";
import { Icon } from "./icons";

/** forward: whether no gradient has come back yet. */
export function Probe({ spot, to, forward }: { spot: Spot; to?: string; forward?: boolean }) {
  const { editor } = useBench();
  const [page, setPage] = useState(0);
  const { probed, trouble } = useProbe(spot, page);
  const pinned = useSample((s) => s.pinned.some((other) => sameSpot(other, spot)));
  const name = spot.port === "output" ? spot.path : `${spot.path}.${spot.port}`;
  const flip = pinned ? `Unpin ${name}` : `Pin ${name}`;
  return (
    <section className="inspector probe" aria-label={`Wire of ${name}`} data-testid={`probe-${spot.path}`}>
      <header className="inspector-head">
        <h2>
          {name}
          {to && <span className="muted"> → {to}</span>}
        </h2>
        <span className="grow" />
        <button
          type="button"
          className="button small icon"
          title={flip}
          aria-label={flip}
          aria-pressed={pinned}
          data-testid="probe-pin"
          onClick={() => (pinned ? unpin : pin)(editor, spot)}
        >
          <Icon name="pin" size={14} />
        </button>
      </header>
      {trouble && (
        <p className="bad" role="status">
          {trouble}
        </p>
      )}
      {!trouble && !probed && <p className="muted">Reading the wire…</p>}
      {probed?.number !== undefined && (
        <p>
          The whole number <strong>{probed.number}</strong>.
        </p>
      )}
      {probed && <Caught hook={probed.hook ?? null} />}
      {probed?.value && (
        <Tensor
          probed={forward ? { ...probed, gradient: null, why: "" } : probed}
          value={probed.value}
          spot={spot}
          setPage={setPage}
        />
      )}
    </section>
  );
}

/** How a value was caught: the hook in a sentence, and lines that do the same. */
function Caught({ hook }: { hook: Hook | null }) {
  const { editor } = useBench();
  if (!hook) return null;
  return (
    <details className="caught" data-testid="probe-hook">
      <summary>The same in PyTorch</summary>
      <div className="row">
        <p className="help">{hook.sentence}</p>
        <span className="grow" />
        <button
          type="button"
          className="button small outline"
          data-testid="copy-hook"
          onClick={() => void copyLines(editor, hook.code)}
        >
          <Icon name="copy" size={13} /> Copy
        </button>
      </div>
      <pre className="mono scroll" tabIndex={0} aria-label="The same in PyTorch, code">
        {hook.code}
      </pre>
    </details>
  );
}

interface TensorProps {
  probed: Probed;
  value: Facts;
  spot: Spot;
  setPage: (page: number) => void;
}

function Tensor({ probed, value, spot, setPage }: TensorProps) {
  const { autograd, gradient, why, loss } = probed;
  const facts: [string, string][] = [
    ["shape", shapeText(value.shape)],
    ["dtype", value.dtype],
    ["device", value.device],
    ["requires_grad", truth(autograd?.requires_grad)],
    ["is_leaf", truth(autograd?.is_leaf)],
    ["grad_fn", autograd?.grad_fn || "None"],
  ];
  return (
    <>
      <dl className="facts mono">
        {facts.map(([k, v]) => (
          <Fragment key={k}>
            <dt>{k}</dt>
            <dd>{v}</dd>
          </Fragment>
        ))}
      </dl>
      <Spread value={value} gradient={gradient ?? null} />
      {why && (
        <p className="help" data-testid="probe-why">
          No gradient. {why}
        </p>
      )}
      {gradient && (
        <p className="help">
          Gradient of this sample's loss{loss != null && ` (${short(loss)})`} with respect to each value, in evaluation
          mode.
        </p>
      )}
      <Numbers title="Value" of={value} spot={spot} gradient={false} setPage={setPage} />
      {gradient && <Numbers title="Gradient" of={gradient} spot={spot} gradient setPage={setPage} />}
    </>
  );
}

const truth = (value: boolean | undefined): string => (value === undefined ? "unknown" : value ? "True" : "False");

/** Value and gradient side by side. */
function Spread({ value, gradient }: { value: Facts; gradient: Facts | null }) {
  const sides = gradient ? [value, gradient] : [value];
  const rows: [string, (f: Facts) => string][] = [
    ["smallest", (f) => known(f.min)],
    ["mean", (f) => known(f.mean)],
    ["largest", (f) => known(f.max)],
    ["std", (f) => known(f.std)],
    ["zeros", (f) => `${grouped(f.zeros)} of ${grouped(f.count)}`],
    ["NaN, Inf", (f) => `${grouped(f.nan)}, ${grouped(f.inf)}`],
  ];
  return (
    <table className="spread">
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden-text">Fact</span>
          </th>
          <th scope="col">value</th>
          {gradient && <th scope="col">gradient</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, of]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {sides.map((f, i) => (
              <td key={i} className="mono" data-testid={`probe-${name}-${i ? "gradient" : "value"}`}>
                {of(f)}
              </td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">histogram</th>
          {sides.map((f, i) => (
            <td key={i}>
              <Histogram facts={f} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

const known = (value: number | null): string => (value === null ? "none" : short(value));

const BAR = 4,
  HIGH = 34;

function Histogram({ facts: { histogram, min, max } }: { facts: Facts }) {
  const most = Math.max(1, ...histogram);
  if (!histogram.length) return <span className="muted">no numbers</span>;
  return (
    <svg
      className="histogram"
      viewBox={`0 0 ${BAR * histogram.length} ${HIGH}`}
      role="img"
      aria-label={`Histogram from ${known(min)} to ${known(max)}: ${histogram.join(", ")}`}
    >
      {histogram.map((count, i) => {
        const size = count ? Math.max(1, (count / most) * HIGH) : 0;
        return <rect key={i} x={BAR * i} y={HIGH - size} width={BAR - 1} height={size} />;
      })}
    </svg>
  );
}

interface NumbersProps {
  title: string;
  of: Facts;
  spot: Spot;
  gradient: boolean;
  setPage: (page: number) => void;
}

/** The numbers, page by page; both tables turn their pages together. */
function Numbers({ title, of: { page }, spot, gradient, setPage }: NumbersProps) {
  const { editor } = useBench();
  const last = page.pages - 1;
  return (
    <section className="section numbers" aria-label={title}>
      <div className="row">
        <h3>{title}</h3>
        <span className="grow" />
        {last > 0 && (
          <Turn
            label={`${title}: previous page`}
            icon="left"
            off={page.number === 0}
            press={() => setPage(page.number - 1)}
          />
        )}
        {last > 0 && (
          <span className="muted">
            {grouped(page.number + 1)} / {grouped(page.pages)}
          </span>
        )}
        {last > 0 && (
          <Turn
            label={`${title}: next page`}
            icon="chevron"
            off={page.number === last}
            press={() => setPage(page.number + 1)}
          />
        )}
        <button
          type="button"
          className="button small outline"
          data-testid={gradient ? "copy-gradient" : "copy-value"}
          onClick={() => void copyNumbers(editor, spot, gradient)}
        >
          <Icon name="copy" size={13} /> NumPy
        </button>
      </div>
      <p className="mono muted place">{page.place}</p>
      <div className="scroll" tabIndex={0} role="group" aria-label={`${title}, numbers`}>
        <table className="mono" data-testid={gradient ? "gradient-numbers" : "value-numbers"}>
          <tbody>
            {page.rows.map((row, i) => (
              <tr key={i}>
                {row.map((n, j) => (
                  <td key={j} title={String(n)}>
                    {typeof n === "number" ? short(n) : String(n)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Turn({
  label,
  icon,
  off,
  press,
}: {
  label: string;
  icon: "left" | "chevron";
  off: boolean;
  press: () => void;
}) {
  return (
    <button type="button" className="button small icon" aria-label={label} title={label} disabled={off} onClick={press}>
      <Icon name={icon} size={13} />
    </button>
  );
}

/** The probes that are kept in sight, below whatever is selected. */
export function PinnedProbes({ but }: { but?: Spot }) {
  const pinned = useSample((s) => s.pinned);
  const open = useSample((s) => s.open);
  if (!open) return null;
  return (
    <>
      {pinned
        .filter((spot) => !but || !sameSpot(spot, but))
        .map((spot) => (
          <Probe key={`${spot.path} ${spot.port}`} spot={spot} />
        ))}
    </>
  );
}
