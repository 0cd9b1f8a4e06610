// ---- numbers of an Input's shape: from NPY and NPZ files of NumPy, and from text such as CSV
const le = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const HALF = (view, at) => {
  const bits = view.getUint16(at, true), fraction = bits & 1023, power = (bits >> 10) & 31;
  const size = power === 31 ? (fraction ? NaN : Infinity) : power ? 2 ** (power - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024);
  return bits & 0x8000 ? -size : size;
};
const small = (name, order) => (view, at) => Number(view[name](at, order));
const NUMPY = { b1: "getUint8", u1: "getUint8", i1: "getInt8", u2: "getUint16", i2: "getInt16", u4: "getUint32", i4: "getInt32",
  u8: "getBigUint64", i8: "getBigInt64", f4: "getFloat32", f8: "getFloat64" };

/** An array of an NPY file: its shape, and its numbers in the order of C. */
function readNpy(bytes) {
  if (latin(bytes.subarray(0, 6)) !== "\x93NUMPY") throw new Refusal("it is no NPY file.");
  const wide = bytes[6] > 1, start = wide ? 12 : 10;
  const end = start + (wide ? le(bytes).getUint32(8, true) : le(bytes).getUint16(8, true));
  const head = latin(bytes.subarray(start, end));
  const [, order, kind] = /'descr': *'([<>|=])(\w+)'/.exec(head) ?? [];
  const shape = (/'shape': *\(([^)]*)\)/.exec(head)?.[1] ?? "").split(",").filter((size) => size.trim()).map(Number);
  const get = kind === "f2" && order !== ">" ? HALF : NUMPY[kind] && small(NUMPY[kind], order !== ">");
  if (!get) throw new Refusal(`its numbers are of the type ${kind ?? "object"}. Save them as float32.`);
  const each = Number(kind[1]), total = count(shape), view = le(bytes.subarray(end));
  if (view.byteLength < total * each) throw new Refusal("it is cut off.");
  const found = Float64Array.from({ length: total }, (_, i) => get(view, i * each));
  return { shape, numbers: /'fortran_order': *True/.test(head) ? columnsFirst(found, shape) : found };
}
/** Numbers that were written column by column, in the order of C. */
function columnsFirst(found, shape) {
  const steps = shape.map((_, k) => count(shape.slice(0, k)));
  return found.map((_, i) => {
    let [rest, at] = [i, 0];
    for (let k = shape.length - 1; k >= 0; k--) { at += (rest % shape[k]) * steps[k]; rest = Math.floor(rest / shape[k]); }
    return found[at];
  });
}
/** The arrays of an NPZ file by name. */
async function readNpz(bytes) {
  const view = le(bytes), found = {};
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Refusal("it is no NPZ file.");
  let at = view.getUint32(end + 16, true);
  for (let k = view.getUint16(end + 10, true); k > 0; k--) {
    const [way, packed, letters, more, said, local] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint16(at + 28, true),
      view.getUint16(at + 30, true), view.getUint16(at + 32, true), view.getUint32(at + 42, true)];
    const name = latin(bytes.subarray(at + 46, at + 46 + letters));
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = bytes.subarray(start, start + packed);
    if (name.endsWith(".npy")) found[name.slice(0, -4)] = way ? await inflated(content, "deflate-raw") : content;
    at += 46 + letters + more + said;
  }
  return found;
}
/** The numbers of a text, in the order they stand; words of a header before them are left out. */
function numbersIn(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/).map((line) => line.split(/[\s,;|]+/).filter(Boolean)).filter((line) => line.length);
  if (lines.length > 1 && lines[0].some((cell) => !Number.isFinite(Number(cell)))) lines.shift();
  const strange = lines.flat().find((cell) => !Number.isFinite(Number(cell)));
  if (strange !== undefined) throw new Refusal(`"${strange}" is not a number.`);
  return Float64Array.from(lines.flat(), Number);
}
/** The sample in a file: as many numbers as the shape has. Of an array of samples the first, which `note` says. */
async function numbersOfFile(file, name, shape) {
  const bytes = new Uint8Array(await file.arrayBuffer()), wanted = count(shape);
  const zip = latin(bytes.subarray(0, 2)) === "PK", npy = latin(bytes.subarray(0, 6)) === "\x93NUMPY";
  let note = "", array;
  if (zip) {
    const arrays = await readNpz(bytes), names = Object.keys(arrays);
    const chosen = names.includes(name) ? name : names.find((key) => holds(arrays[key], shape));
    if (chosen === undefined) throw new Refusal(`its arrays ${names.join(", ") || "(none)"} do not have the shape ${shape.join(" × ")}.`);
    [note, array] = [`The array ${chosen}. `, readNpy(arrays[chosen])];
  } else array = npy ? readNpy(bytes) : { numbers: numbersIn(new TextDecoder().decode(bytes)) };
  array.shape ??= array.numbers.length === wanted ? shape : [array.numbers.length / wanted, ...shape];
  if (!fits(array.shape, shape)) throw new Refusal(`the network takes ${wanted} numbers (${shape.join(" × ")}), but it has ${array.numbers.length}.`);
  const samples = array.numbers.length / wanted;
  return { numbers: array.numbers.slice(0, wanted), note: note + (samples > 1 ? `The first of ${samples} samples is used.` : "") };
}
/** Whether an array is one sample, in its shape or in a row, or samples one after the other. */
function fits(found, shape) {
  const wanted = count(shape), total = count(found);
  const alike = [found, found.slice(1)].some((each) => each.filter((n) => n > 1).join() === shape.filter((n) => n > 1).join());
  return total >= wanted && total % wanted === 0 && (total === wanted || alike || (found.length === 2 && found[1] === wanted));
}
/** Whether a file of an array that may hold other than numbers has samples of a shape. */
function holds(bytes, shape) {
  try {
    return fits(readNpy(bytes).shape, shape);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
