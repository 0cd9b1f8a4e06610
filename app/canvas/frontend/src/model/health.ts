/** How blocks of a run do: marks with what helps, and the measures they are read from. */

import type { Health, Mark, Vitals } from "../protocol";
import { short } from "./sample";

export type { Health, Mark, Remedy, Vitals } from "../protocol";

export const NO_HEALTH: Health = { marks: [], vitals: {}, samples: 0, step: null };

/** The first mark of a block, or of what is inside of a composite. */
export function markAt({ marks }: Health, path: string): Mark | undefined {
  return marks.find((mark) => mark.path === path || mark.path.startsWith(`${path}.`));
}

const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** What is told of a block: [name, number, what it is] for each measure that there is. */
export function told(vitals: Vitals): [string, string, string][] {
  const { dead, saturated, spread, differs, gradient, weight, update_ratio: ratio } = vitals;
  const rows: [string, number | null, (n: number) => string, string][] = [
    ["Dead units", dead, percent, "Units that are 0 for every sample"],
    ["Saturated", saturated, percent, "Values where the activation is flat"],
    ["Std of values", spread, short, "Standard deviation of all its outputs"],
    ["Differs by sample", differs, percent, "Share of its outputs that changes from sample to sample"],
    ["Gradient norm", gradient, short, "L2 norm of the gradient of its weights, as the optimiser received it"],
    ["Weight norm", weight, short, "L2 norm of its weights"],
    [
      "Update / weight",
      ratio,
      (n) => (n ? n.toExponential(1) : "0"),
      "What one step changed, as a share of the weights; about 1e-3 is usual",
    ],
  ];
  return rows.flatMap(([name, value, write, about]) =>
    value === null ? [] : [[name, write(value), about] as [string, string, string]],
  );
}
