/** In the strip: the epochs of the run as a slider, play, film, and back to what it does now. */

import { type ReactNode, useEffect, useState } from "react";
import { useBench } from "../hooks/useEditor";
import { useSample } from "../hooks/useSample";
import type { Time } from "../model/sample";
import { askHealth, film, filmed, follow, goTo, play } from "../store/overTime";
import { Icon } from "./icons";

/** Follows the run while the strip is open; a slider where there are epochs to see. children: whose weights they are. */
export function TimeBar({ children }: { children: ReactNode }) {
  const { editor } = useBench();
  const time = useSample((s) => s.looked?.time ?? null);
  const weights = useSample((s) => s.looked?.weights);
  const answers = useSample((s) => (s.looked?.run ? s.answers : 0));
  useEffect(() => follow(editor), [editor]);
  useEffect(() => {
    if (answers) void askHealth(editor);
  }, [editor, weights, time?.run]);
  if (!time) return null;
  return <Bar time={time}>{children}</Bar>;
}

function Bar({ time, children }: { time: Time; children: ReactNode }) {
  const { editor } = useBench();
  const epoch = useSample((s) => s.epoch),
    playing = useSample((s) => s.playing);
  const { epochs } = time;
  const last = epochs.length - 1;
  const shown = epoch ?? time.epoch ?? time.best;
  const at =
    shown === null
      ? last
      : Math.max(
          0,
          epochs.findLastIndex((each) => each <= shown),
        );
  return (
    <div className="sample-row time-bar" data-testid="time-bar" data-live={time.live || undefined}>
      {epochs.length > 1 && (
        <>
          <button
            type="button"
            className="button small icon"
            aria-label={playing ? "Stop playing" : "Play the epochs"}
            title={playing ? "Stop" : "Play the epochs"}
            data-testid="time-play"
            onClick={() => play(editor)}
          >
            <Icon name={playing ? "pause" : "play"} size={13} />
          </button>
          <input
            type="range"
            className="time-slider"
            min={0}
            max={last}
            step={1}
            value={at}
            data-testid="time-slider"
            aria-label="Epoch of the run"
            aria-valuetext={shown === null ? "best weights" : `epoch ${epochs[at]}`}
            onChange={(e) => goTo(editor, epochs[Number(e.target.value)] as number)}
          />
        </>
      )}
      <span className="time-told" role="status" title={time.fewer || undefined} data-testid="time-told">
        {told(time, epoch)}
      </span>
      {epoch !== null && (
        <button
          type="button"
          className="button small outline"
          data-testid="time-now"
          onClick={() => goTo(editor, null)}
        >
          {time.going ? "Follow the run" : "Best weights"}
        </button>
      )}
      {children}
      {epochs.length > 1 && <Film />}
      {time.fewer && epochs.length < 2 && (
        <span className="muted cut time-fewer" title={time.fewer} data-testid="time-fewer">
          {time.fewer}
        </span>
      )}
    </div>
  );
}

function told(time: Time, epoch: number | null) {
  const last = time.epochs.at(-1);
  if (epoch !== null && time.epoch !== null)
    return (
      <>
        Epoch <strong>{time.epoch}</strong> of {last}
      </>
    );
  if (time.live)
    return (
      <>
        <i className="live-dot" />
        Training: epoch <strong>{time.epoch}</strong>, step {time.step?.toLocaleString("en")}
      </>
    );
  return time.best === null ? null : (
    <span>
      Epoch <strong>{time.best}</strong>
      {last !== undefined && ` of ${last}`}
    </span>
  );
}

/** Takes the pictures of the selected blocks, or of the first ones, home as a film. */
function Film() {
  const { editor } = useBench();
  const [busy, setBusy] = useState(false);
  const save = (kind: "webp" | "gif") => {
    setBusy(true);
    void film(editor, kind).finally(() => setBusy(false));
  };
  const title = () =>
    `A film of ${filmed(editor).length} blocks over all epochs: the selected blocks, or the first twelve`;
  return (
    <span className="time-film">
      <button
        type="button"
        className="button small"
        disabled={busy}
        title={title()}
        data-testid="time-film"
        onClick={() => save("webp")}
      >
        <Icon name={busy ? "spin" : "film"} size={13} /> {busy ? "Filming…" : "Film"}
      </button>
      <button
        type="button"
        className="button small"
        disabled={busy}
        title={`${title()}, as GIF`}
        data-testid="time-gif"
        onClick={() => save("gif")}
      >
        GIF
      </button>
    </span>
  );
}
