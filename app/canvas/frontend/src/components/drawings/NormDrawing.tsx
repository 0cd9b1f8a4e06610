/** Which numbers a normalisation brings to mean 0 and variance 1 together: those that are filled. */

import { Figure } from "./Figure";

export type Over = "batch" | "layer" | "instance" | "group" | "response" | "rms";

interface Props {
  over: Over;
  /** Channels or, for a layer normalisation, the sizes it runs over. */
  channels: number;
  groups?: number;
  /** What one cell holds, such as "28 × 28 pixels"; "" is one number. */
  each: string;
  last: string;
}

const SAMPLES = 4,
  MOST = 12,
  CELL = 15;

export function NormDrawing({ over, channels, groups = 1, each, last }: Props) {
  const columns = Math.min(channels, MOST);
  const filled = (sample: number, channel: number): boolean => {
    if (over === "batch") return channel === 0;
    if (over === "instance") return sample === 0 && channel === 0;
    if (over === "group") return sample === 0 && channel < Math.max(1, Math.round(channels / groups));
    return sample === 0;
  };
  const what = WORDS[over](channels, groups, last);
  return (
    <Figure
      width={columns * CELL + 70}
      height={SAMPLES * CELL + 22}
      label={what}
      caption={
        <>
          {what}
          {each ? ` Each cell holds ${each}.` : ""}
          {channels > MOST ? ` ${MOST} of ${channels} columns are drawn.` : ""}
        </>
      }
    >
      {Array.from({ length: SAMPLES * columns }, (_, k) => {
        const [sample, channel] = [Math.floor(k / columns), k % columns];
        return (
          <rect
            key={k}
            x={52 + channel * CELL}
            y={16 + sample * CELL}
            width={CELL}
            height={CELL}
            className={filled(sample, channel) ? "d-hit" : "d-cell"}
          />
        );
      })}
      <text x={46} y={16 + (SAMPLES * CELL) / 2 + 4} className="d-text end">
        {over === "layer" || over === "rms" ? "rows" : "samples"}
      </text>
      <text x={52 + (columns * CELL) / 2} y={11} className="d-text">
        {over === "layer" || over === "rms" ? "features" : "channels"}
      </text>
    </Figure>
  );
}

const WORDS: Record<Over, (channels: number, groups: number, last: string) => string> = {
  batch: (c) => `One mean and variance for each of the ${c} channels, over all samples of the batch.`,
  instance: (c) => `One mean and variance for each sample and each of its ${c} channels.`,
  group: (c, g) =>
    `One mean and variance for each sample and each of ${g} groups of ${Math.max(1, Math.round(c / g))} channels.`,
  layer: (_, __, last) => `One mean and variance for each row, over its last ${last}.`,
  rms: (_, __, last) => `One root mean square for each row, over its last ${last}.`,
  response: () => "Each number is divided by the size of its neighbours along the channels.",
};
