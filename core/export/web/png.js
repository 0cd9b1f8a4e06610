// ---- PNG files, decoded here: a browser gives 8 of their 16 bits, and mixes what is partly clear
const PASSES = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
const PNG_CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const latin = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const uint = (bytes, at, size, little = false) => {
  let found = 0;
  for (let k = 0; k < size; k++) found = found * 256 + bytes[at + (little ? size - 1 - k : k)];
  return found;
};
async function inflated(bytes, how = "deflate") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(how));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
/** The chunks of a PNG by name, those of one name joined; texts as [name, bytes]. */
function pngChunks(bytes) {
  const found = {}, texts = [];
  for (let at = 8; at + 8 <= bytes.length;) {
    const size = uint(bytes, at, 4), name = latin(bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + size);
    if (name === "IEND") break;
    if (name.endsWith("Xt")) texts.push([name, content]);
    else (found[name] ??= []).push(content);
    at += 12 + size;
  }
  return { ...Object.fromEntries(Object.entries(found).map(([name, parts]) => [name, joined(parts)])), texts };
}
function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}
function paeth(a, b, c) {
  const da = Math.abs(b - c), db = Math.abs(a - c), dc = Math.abs(a + b - 2 * c);
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}
const PREDICTORS = [() => 0, (a) => a, (a, b) => b, (a, b) => (a + b) >> 1, paeth];
/** Undo the filters of `rows` lines in place; each begins with the number of its filter. step: bytes of a pixel. */
function unfilter(data, at, rows, length, step) {
  for (let y = 0; y < rows; y++) {
    const start = at + y * (length + 1) + 1, above = start - length - 1, predict = PREDICTORS[data[start - 1]];
    for (let i = 0; data[start - 1] && i < length; i++) {
      const left = i >= step;
      data[start + i] += predict(left ? data[start + i - step] : 0, y ? data[above + i] : 0, left && y ? data[above + i - step] : 0);
    }
  }
}
/** The numbers of all pixels as they are stored, one after the other. */
function pngNumbers(data, width, height, bits, channels, passes) {
  const found = new Uint16Array(width * height * channels), most = (1 << bits) - 1;
  let at = 0;
  for (const [left, top, right, down] of passes) {
    const columns = Math.ceil((width - left) / right), rows = Math.ceil((height - top) / down);
    if (columns <= 0 || rows <= 0) continue;
    const length = Math.ceil((columns * channels * bits) / 8);
    if (at + rows * (length + 1) > data.length) throw new Error("cut off");
    unfilter(data, at, rows, length, Math.max(1, (channels * bits) >> 3));
    for (let y = 0; y < rows; y++, at += length + 1) {
      if (bits === 8 && right === 1) { found.set(data.subarray(at + 1, at + 1 + length), (top + y * down) * width * channels); continue; }
      for (let i = 0; i < columns * channels; i++) {
        const x = Math.floor(i / channels), bit = i * bits, byte = at + 1 + (bit >> 3);
        const value = bits === 16 ? data[byte] * 256 + data[byte + 1] : (data[byte] >> (8 - bits - (bit & 7))) & most;
        found[((top + y * down) * width + left + x * right) * channels + (i % channels)] = value;
      }
    }
  }
  return found;
}
/** Pixels as red, green, blue and opacity, of numbers of up to 8 bits or of the upper 8 of 16. */
function pngColours(numbers, kind, bits, { PLTE, tRNS }) {
  const channels = PNG_CHANNELS[kind], pixels = new Uint8Array((numbers.length / channels) * 4).fill(255);
  const own = bits === 16 ? numbers.map((value) => value >> 8) : kind === 3 || bits === 8 ? numbers : numbers.map((value) => (value * 255) / ((1 << bits) - 1));
  // as Pillow compares: by the lower byte of what is clear, with a pixel that is scaled already
  const clear = tRNS && channels % 2 && Array.from({ length: channels }, (_, c) => (bits === 1 ? tRNS[1] && 255 : tRNS[2 * c + 1]));
  for (let i = 0, at = 0; at < own.length; i += 4, at += channels) {
    for (let c = 0; c < 3; c++) pixels[i + c] = kind === 3 ? PLTE[3 * own[at] + c] : own[at + (channels < 3 ? 0 : c)];
    if (kind === 3) pixels[i + 3] = tRNS?.[own[at]] ?? 255;
    else if (!(channels % 2)) pixels[i + 3] = own[at + channels - 1];
    else if (clear && clear.every((value, c) => value === own[at + c])) pixels[i + 3] = 0;
  }
  return pixels;
}
/** A PNG: width, height, pixels of 8 bits or deep ones of 16, and its orientation. */
async function decodePng(bytes) {
  const chunks = pngChunks(bytes), { IHDR, IDAT } = chunks;
  const [width, height, bits, kind] = [uint(IHDR, 0, 4), uint(IHDR, 4, 4), IHDR[8], IHDR[9]];
  checkPixels(width, height);
  const numbers = pngNumbers(await inflated(IDAT), width, height, bits, PNG_CHANNELS[kind], IHDR[12] ? PASSES : [[0, 0, 1, 1]]);
  const orientation = await pngOrientation(chunks);
  if (kind === 0 && bits === 16) return { width, height, deep: numbers, orientation };
  return { width, height, pixels: pngColours(numbers, kind, bits, chunks), orientation };
}
async function pngOrientation({ eXIf, texts }) {
  let xmp = "", old = null;
  for (const [name, content] of texts) {
    const end = content.indexOf(0), key = latin(content.subarray(0, end));
    if (key === "XML:com.adobe.xmp") xmp = latin(content);
    if (key === "Raw profile type exif" && name !== "iTXt") {
      const lines = latin(name === "zTXt" ? await inflated(content.subarray(end + 2)) : content.subarray(end + 1)).split("\n").slice(3);
      old = Uint8Array.from(lines.join("").match(/../g) ?? [], (pair) => parseInt(pair, 16));
    }
  }
  return orientationOf(eXIf ?? old, xmp);
}
