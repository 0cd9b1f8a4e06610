// ---- drawings and outputs, without the page; RULES come from Python (page.py).
// `tests/core/export/readouts.json` holds cases for these functions and their twins in Python:
// core/data/handwriting.py, core/serve/outputs.py.
/** A drawing cropped, scaled to `high` of the height and centred, as in handwriting data; null without a stroke. */
function framed(ink, [height, width], [toHeight, toWidth], high) {
  let [left, top, right, low] = [width, height, -1, -1];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (ink[y * width + x] > RULES.ink) {
        left = Math.min(left, x); right = Math.max(right, x);
        top = Math.min(top, y); low = Math.max(low, y);
      }
  if (right < 0) return null;
  const [h, w] = [low - top + 1, right - left + 1];
  const scale = Math.min((high * toHeight) / h, (high * toWidth) / w);
  const whole = [Math.max(h, Math.floor(toHeight / scale + 0.5)), Math.max(w, Math.floor(toWidth / scale + 0.5))];
  const [above, before] = [Math.floor((whole[0] - h) / 2), Math.floor((whole[1] - w) / 2)];
  const at = (y, x) => (y < 0 || x < 0 || y >= h || x >= w ? 0 : ink[(top + y) * width + left + x]);
  const cells = (i, to, from) => [Math.floor((i * from) / to), Math.ceil(((i + 1) * from) / to)];
  const out = new Float32Array(toHeight * toWidth);
  for (let i = 0; i < toHeight; i++)
    for (let j = 0; j < toWidth; j++) {
      const [y0, y1] = cells(i, toHeight, whole[0]);
      const [x0, x1] = cells(j, toWidth, whole[1]);
      let sum = 0;
      for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) sum += at(y - above, x - before);
      out[i * toWidth + j] = sum / ((y1 - y0) * (x1 - x0));
    }
  return out;
}
const sigmoid = (x) => 1 / (1 + Math.exp(-x));
function softmax(scores) {
  const top = Math.max(...scores);
  const powers = Array.from(scores, (score) => Math.exp(score - top));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
const best = (scores) => scores.reduce((at, score, i) => (score > scores[at] ? i : at), 0);
const probability = (value, spec) => (spec.threshold ? value : sigmoid(value));
const isYes = (value, spec) => value > (spec.threshold ?? 0);
const real = (value, spec) => (spec.logarithm ? Math.exp(value) : value) * (spec.unit ?? 1) + (spec.middle ?? 0);
const reals = (data, spec) => ({ values: Array.from(data, (v) => real(v, spec)) });
/** The form of an output, declared by its kind of target. */
const form = (spec) => spec.shown_as ?? spec.kind;
/** Predictions of one sample by form; dims begin with the batch. Texts need their input: `tokens`. */
const READ = {
  classes: (data) => ({ shares: softmax(data), chosen: [best([...data])] }),
  yes_no: (data, spec) => {
    const yes = probability(data[0], spec);
    return { shares: [1 - yes, yes], chosen: [Number(isYes(data[0], spec))] };
  },
  labels: (data, spec) => ({
    shares: Array.from(data, (v) => probability(v, spec)),
    chosen: [...data.keys()].filter((i) => isYes(data[i], spec)),
  }),
  regression: reals,
  quantiles: reals,
  series: reals,
  image: (data, spec) => ({ values: Array.from(data, (v) => probability(v, spec)) }),
  mask: (data, spec) => ({ values: Array.from(data, (v) => Number(isYes(v, spec))) }),
  mask_classes: (data, spec, [, classes]) => {
    const each = data.length / classes;
    const scores = (i) => Array.from({ length: classes }, (_, k) => data[k * each + i]);
    return { values: Array.from({ length: each }, (_, i) => best(scores(i))) };
  },
  sequence: (data, spec, [, steps, width]) => {
    const read = Array.from({ length: steps }, (_, t) => best([...data.slice(t * width, (t + 1) * width)]));
    return { sequence: read.filter((k, t) => k && k !== read[t - 1]).map((k) => spec.classes[k - 1]) };
  },
  pair: (data, spec) => ({ same: data[0] < (spec.threshold ?? 0), distance: data[0] }),
};
