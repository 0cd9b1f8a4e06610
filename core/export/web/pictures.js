// ---- picture files, read as training reads them: turned, clear parts filled, scaled as Pillow scales
/** For each place of a new side: where what it is made of begins, and the shares of that. */
function taps(from, to) {
  const scale = from / to, wide = Math.max(scale, 1), each = 1 / wide;
  return Array.from({ length: to }, (_, i) => {
    const centre = (i + 0.5) * scale;
    const first = Math.max(0, Math.trunc(centre - wide + 0.5)), last = Math.min(from, Math.trunc(centre + wide + 0.5));
    const shares = Array.from({ length: last - first }, (_, k) => Math.max(0, 1 - Math.abs((first + k - centre + 0.5) * each)));
    const sum = shares.reduce((a, b) => a + b, 0);
    return [first, shares.map((share) => share / sum)];
  });
}
/** Lines of `from` numbers, `apart` from each other, at another length. whole: rounded to 8 bits each, as Pillow does. */
function scaleLines(plane, out, [from, to, apart], starts, whole) {
  const made = taps(from, to).map(([first, shares]) => [first, whole ? shares.map((s) => Math.trunc(0.5 + s * (1 << 22))) : shares]);
  for (const [start, target] of starts)
    for (let i = 0; i < to; i++) {
      const [first, shares] = made[i];
      let sum = whole ? 1 << 21 : 0;
      for (let k = 0, at = start + first * apart; k < shares.length; k++, at += apart) sum += plane[at] * shares[k];
      out[target + i * apart] = whole ? Math.min(255, sum >> 22) : sum;
    }
}
function widen(plane, [channels, height, width], to, whole) {
  const rows = Array.from({ length: channels * height }, (_, r) => [r * width, r * to]), out = new plane.constructor(rows.length * to);
  scaleLines(plane, out, [width, to, 1], rows, whole);
  return out;
}
function heighten(plane, [channels, height, width], to, whole) {
  const columns = Array.from({ length: channels * width }, (_, k) => [k % width + Math.floor(k / width) * height * width, k % width + Math.floor(k / width) * to * width]);
  const out = new plane.constructor(columns.length * to);
  scaleLines(plane, out, [height, to, width], columns, whole);
  return out;
}
/** Planes (C, H, W) at another size: bilinear, over all that a new pixel covers. */
function resize(plane, [channels, height, width], [toHeight, toWidth], whole = false) {
  if (whole && height > toHeight && height - toHeight > 2 * (width - toWidth)) // the order of Pillow 13, which shows as it rounds twice
    return widen(heighten(plane, [channels, height, width], toHeight, whole), [channels, toHeight, width], toWidth, whole);
  return heighten(widen(plane, [channels, height, width], toWidth, whole), [channels, height, toWidth], toHeight, whole);
}

const grey = (r, g, b) => (r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16;
/** Fill what is clear in place: with white, or with black under a white drawing. */
function fillClear(pixels) {
  let [sum, count] = [0, 0];
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3] > 127) { sum += grey(pixels[i], pixels[i + 1], pixels[i + 2]); count++; }
  const ground = count && sum / count > 200 ? 0 : 255;
  for (let i = 0; i < pixels.length; i += 4) {
    const share = pixels[i + 3] * 128;
    for (let c = 0; c < 3 && share < 32640; c++) {
      const mixed = pixels[i + c] * share + ground * (32640 - share) + 0x4000;
      pixels[i + c] = (((mixed >> 8) + mixed) >> 8) >> 7;
    }
  }
}
/** More than 8 bits as 8: low becomes black and high white. */
function flattened(deep, [low, high]) {
  const scale = 255 / (high - low), pixels = new Uint8Array(deep.length * 4).fill(255);
  deep.forEach((value, i) => pixels.fill(Math.min(255, Math.max(0, Math.fround(value * scale - low * scale))), 4 * i, 4 * i + 3));
  return pixels;
}
/** Where a pixel of a turned picture stands in the stored one, by its EXIF orientation. */
const TURNS = {
  2: (x, y, w) => [w - 1 - x, y], 3: (x, y, w, h) => [w - 1 - x, h - 1 - y], 4: (x, y, w, h) => [x, h - 1 - y],
  5: (x, y) => [y, x], 6: (x, y, w, h) => [y, h - 1 - x], 7: (x, y, w, h) => [w - 1 - y, h - 1 - x], 8: (x, y, w) => [w - 1 - y, x],
};
/** Planes of 8 bits (C, H, W) of a decoded picture, and their shape. */
function planesOf({ width, height, pixels }, channels, orientation) {
  const [w, h] = orientation > 4 ? [height, width] : [width, height], turn = TURNS[orientation] ?? ((x, y) => [x, y]);
  const place = (x, y) => { const [sx, sy] = turn(x, y, width, height); return 4 * (sy * width + sx); };
  const start = place(0, 0), right = place(1, 0) - start, down = place(0, 1) - start;
  const out = new Uint8Array(channels * w * h), size = w * h;
  for (let y = 0, to = 0; y < h; y++)
    for (let x = 0, i = start + y * down; x < w; x++, to++, i += right) {
      if (channels === 1) out[to] = grey(pixels[i], pixels[i + 1], pixels[i + 2]);
      else for (let c = 0; c < 3; c++) out[c * size + to] = pixels[i + c];
    }
  return [out, [channels, h, w]];
}

/** The orientation that EXIF (a small TIFF) states, else XMP; 1 for none. */
function orientationOf(exif, xmp) {
  const tiff = exif && latin(exif.subarray(0, 4)) === "Exif" ? exif.subarray(6) : exif;
  if (tiff && tiff.length > 8) {
    const little = tiff[0] === 0x49, start = uint(tiff, 4, 4, little), entries = uint(tiff, start, 2, little);
    for (let at = start + 2, k = 0; k < entries && at + 12 <= tiff.length; k++, at += 12)
      if (uint(tiff, at, 2, little) === 0x0112) return uint(tiff, at + 8, uint(tiff, at + 2, 2, little) === 4 ? 4 : 2, little);
  }
  return Number(/tiff:Orientation(?:="|>)([0-9])/.exec(xmp)?.[1] ?? 1);
}
/** A JPEG without EXIF, XMP and colour profile, which browsers act upon differently, and its orientation. */
function plainJpeg(bytes) {
  const kept = [bytes.subarray(0, 2)];
  let [exif, xmp, at] = [null, "", 2];
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda) {
    if (bytes[at + 1] === 0xff) { at++; continue; }
    const kind = bytes[at + 1], end = at + 2 + uint(bytes, at + 2, 2), content = bytes.subarray(at + 4, end);
    if (kind === 0xe1 && latin(content.subarray(0, 6)) === "Exif\0\0") exif ??= content;
    else if (kind === 0xe1) xmp += latin(content);
    if (kind !== 0xe1 && kind !== 0xe2) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return [joined([...kept, bytes.subarray(at)]), orientationOf(exif, xmp)];
}
/** The same of a WebP. */
function plainWebp(bytes) {
  const kept = [bytes.slice(0, 12)];
  let [exif, xmp] = [null, ""];
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = latin(bytes.subarray(at, at + 4)), size = uint(bytes, at + 4, 4, true), end = at + 8 + size + (size % 2);
    const chunk = bytes.slice(at, end);
    if (name === "EXIF") exif = chunk.subarray(8, 8 + size);
    else if (name === "XMP ") xmp = latin(chunk);
    else if (name !== "ICCP") kept.push(chunk);
    if (name === "VP8X") chunk[8] &= ~0x2c;
    at = end;
  }
  const whole = joined(kept);
  new DataView(whole.buffer).setUint32(4, whole.length - 8, true);
  return [whole, orientationOf(exif, xmp)];
}
/** A picture as the browser decodes it, without colour management. */
async function decodeHere(bytes, orientation) {
  const image = await createImageBitmap(new Blob([bytes]), { colorSpaceConversion: "none", premultiplyAlpha: "none" });
  const { width, height } = image;
  checkPixels(width, height);
  const context = make("canvas", { width, height }).getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return { width, height, pixels: context.getImageData(0, 0, width, height).data, orientation };
}
class Refusal extends Error {}
function checkPixels(width, height) {
  if (width * height > RULES.pixels) throw new Refusal(`it has ${width} x ${height} pixels. Make it smaller than ${RULES.pixels.toLocaleString("en")} pixels.`);
}
const DECODERS = [
  [/^\x89PNG/, decodePng],
  [/^\xff\xd8\xff/, (bytes) => decodeHere(...plainJpeg(bytes))],
  [/^RIFF....WEBP/s, (bytes) => decodeHere(...plainWebp(bytes))],
  [/^(GIF8|BM)/, (bytes) => decodeHere(bytes, 1)],
];
/** The brightness 0..1 of a picture file in the shape that the data has. Throws a Refusal, in words, for what is not taken. */
async function pictureOf(file, spec) {
  const [channels, ...size] = spec.read, bytes = new Uint8Array(await file.arrayBuffer());
  if (channels !== 1 && channels !== 3) throw new Refusal(`the network takes ${channels} channels, which no picture file has.`);
  const found = DECODERS.find(([head]) => head.test(latin(bytes.subarray(0, 12))));
  if (!found) throw new TypeError();
  const decoded = await found[1](bytes);
  if (decoded.deep && spec.as_stored) throw new Refusal("it has more than 8 bits a channel, but the training data has none such. Save it with 8 bits, scaled down to 0 to 255.");
  if (decoded.deep) decoded.pixels = flattened(decoded.deep, spec.bounds ?? RULES.deep);
  else if (!spec.as_stored) fillClear(decoded.pixels);
  else if (found[1] !== decodePng && decoded.pixels.some((value, i) => i % 4 === 3 && value < 255)) throw new Refusal("its clear parts have colours that a browser does not tell, and the training data shows them. Save it as PNG.");
  const [planes, shape] = planesOf(decoded, channels, spec.as_stored ? 1 : decoded.orientation);
  return Float32Array.from(resize(planes, shape, size, true), (value) => value / 255);
}
