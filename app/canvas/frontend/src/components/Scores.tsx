/** The likeliest answers as bars; the right one is marked in words, too. */

import { percent, type Score } from "../model/sample";

export function Scores({ scores, most }: { scores: Score[]; most: number }) {
  return (
    <ul className="scores" data-testid="scores">
      {scores.slice(0, most).map(({ name, value, right }) => (
        <li key={name} data-right={right || undefined}>
          <span className="score-name cut" title={name}>
            {name}
          </span>
          <span className="score-bar" aria-hidden="true">
            <i style={{ width: `${100 * Math.min(1, Math.max(0, value))}%` }} />
          </span>
          <span className="score-share">
            {percent(value)}
            {right && <span className="hidden-text"> (the label)</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
