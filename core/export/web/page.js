// ---- preprocessing, as in training
/** Brightness 0..1 at the data's own size, as the Input receives it. */
function pictureToInput(plane, spec) {
  let out = plane;
  if (spec.resize && spec.resize.join() !== spec.read.slice(1).join()) out = resize(plane, spec.read, spec.resize);
  return standardise(Float32Array.from(out), spec, out.length / spec.read[0]);
}
/** (value - mean) / std; `each` values in a row share a mean. */
function standardise(out, spec, each) {
  if (spec.mean) for (let i = 0; i < out.length; i++) {
    const k = Math.floor(i / each);
    out[i] = (out[i] - spec.mean[k]) / spec.std[k];
  }
  return out;
}
function restore(given, spec, each) {
  const out = Float32Array.from(given);
  if (spec.mean) for (let i = 0; i < out.length; i++) {
    const k = Math.floor(i / each);
    out[i] = out[i] * spec.std[k] + spec.mean[k];
  }
  return out;
}
/** The picture that an Input received: planes and their shape. */
function inputToPicture(given, spec) {
  const shape = spec.resize ? [spec.read[0], ...spec.resize] : spec.read;
  return [restore(given, spec, shape[1] * shape[2]), shape];
}

// ---- pictures
function paint(canvas, plane, [channels, height, width]) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++)
      image.data[4 * i + c] = 255 * Math.min(1, Math.max(0, plane[Math.min(c, channels - 1) * width * height + i]));
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
/** The brightness of a canvas from 0 to 1, and its height and width. */
function inkOf(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [Float32Array.from({ length: canvas.width * canvas.height }, (_, i) => data[4 * i] / 255), [canvas.height, canvas.width]];
}

const READ_HERE = "A file is read as in training. JPEG, WebP, GIF and BMP are decoded by the browser: in Chromium alike, " +
  "CMYK and partly clear ones within 1 of 255 steps of brightness; elsewhere within a few.";

// ---- one control for each Input; it holds the network's input
function pictureControl(spec, changed) {
  const [channels, height, width] = spec.read;
  const pad = make("canvas", { className: "pad", width: Math.round((280 * width) / height), height: 280, tabIndex: 0 });
  pad.setAttribute("aria-label", "Drawing pad: draw with the mouse or a finger, or drop a picture");
  const context = pad.getContext("2d", { willReadFrequently: true });
  const control = { spec, value: empty(spec) };
  const read = (drawn) => {
    const [ink, size] = inkOf(pad);
    const plane = (drawn && spec.written_high && framed(ink, size, [height, width], spec.written_high)) || resize(ink, [1, ...size], [height, width]);
    const planes = Float32Array.from({ length: channels * plane.length }, (_, i) => plane[i % plane.length]);
    control.value = pictureToInput(planes, spec);
    changed();
  };
  const clear = () => {
    context.fillStyle = "#000";
    context.fillRect(0, 0, pad.width, pad.height);
  };
  let last = null;
  let chosen = false; // a sample or a picture is shown: the first stroke starts a new drawing
  pad.onpointerdown = (event) => {
    pad.setPointerCapture(event.pointerId);
    if (chosen) clear();
    chosen = false;
    last = place(event);
    stroke(last, last);
  };
  pad.onpointermove = (event) => { if (last) { const next = place(event); stroke(last, next); last = next; } };
  pad.onpointerup = pad.onpointercancel = () => { last = null; };
  const place = (event) => {
    const box = pad.getBoundingClientRect();
    return [((event.clientX - box.left) * pad.width) / box.width, ((event.clientY - box.top) * pad.height) / box.height];
  };
  function stroke([x0, y0], [x1, y1]) {
    Object.assign(context, { lineWidth: 26, lineCap: "round", lineJoin: "round", strokeStyle: "#fff" });
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    read(true);
  }
  const fault = make("p", { className: "fault", hidden: true, role: "alert" });
  const take = async (file) => {
    fault.hidden = true;
    try {
      control.set(pictureToInput(await pictureOf(file, spec), spec));
      changed();
    } catch (error) {
      fault.textContent = error instanceof Refusal ? `${file.name} is not taken: ${error.message}` : `This browser cannot read ${file.name} as a picture. Use a PNG, JPEG, WebP, GIF or BMP file.`;
      fault.hidden = false;
    }
  };
  const chooser = make("input", { type: "file", accept: "image/*", hidden: true, onchange: () => chooser.files[0] && take(chooser.files[0]) });
  pad.ondragover = (event) => event.preventDefault();
  pad.ondrop = (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); };
  control.element = make("div", {}, make("h2", { textContent: named(spec, "Draw here, or choose a picture") }), pad,
    make("div", { className: "row" },
      make("button", { type: "button", textContent: "Clear", onclick: () => { clear(); read(false); } }),
      make("button", { type: "button", textContent: "Choose a picture", onclick: () => chooser.click() }), chooser), fault, make("p", { className: "note quiet", textContent: READ_HERE }));
  control.set = (given) => {
    control.value = given;
    const [plane, shape] = inputToPicture(given, spec);
    context.imageSmoothingEnabled = false;
    context.drawImage(paint(make("canvas"), plane, shape), 0, 0, pad.width, pad.height);
    chosen = true;
  };
  clear();
  return control;
}

/** The value that replaces a missing one, as in training. */
const filler = (field) => `${field.words ? field.words[field.fill.indexOf(1)] ?? "another category" : field.fill.map(short).join(", ")}, ${RULES.fillers[field.rule] ?? "a separate category"}`;
const MISSING = "(missing)";
const wordsOf = (field) => [...(field.words ?? []), ...(field.others ?? [])];
/** The words of a category, plus "(missing)" if training filled missing values with one of them. */
const choices = (field) => (field.fill && field.rule !== "missing" ? [...wordsOf(field), MISSING] : wordsOf(field));
const example = (field) => dateText(10956 + 86340 / 86400, field.date);
function entryOf(field) {
  if (field.words) return make("select", {}, ...choices(field).map((word) => make("option", { textContent: word })));
  return field.date ? make("input", { type: "text", placeholder: `such as ${example(field)}` }) : make("input", { type: "text", inputMode: "decimal" });
}
/** The numbers of a field for what stands in its cell; null for what it cannot be. */
function numbersOf(field, text) {
  if (field.words && wordsOf(field).includes(text)) return field.words.map((word) => Number(word === text));
  if (text === MISSING || isMissing(field, text)) return field.fill ?? null;
  if (field.words) return null;
  if (field.date) return dateParts(text, field.date, field.parts);
  const number = numberOf(text, field);
  return number === null ? null : [number];
}
const needed = (field) => (field.words ? `is one of ${wordsOf(field).join(", ")}` : field.date ? `needs a date such as ${example(field)}` : "needs a number");
function fieldEntry(field, id, take) {
  const entry = entryOf(field);
  const note = make("span", { className: "note quiet", id, role: "status" });
  entry.setAttribute("aria-describedby", id);
  const read = () => {
    const text = entry.value.trim();
    const numbers = numbersOf(field, text);
    const missing = numbers !== null && !wordsOf(field).includes(text) && (text === MISSING || isMissing(field, text));
    entry.setAttribute("aria-invalid", String(!numbers));
    note.textContent = numbers ? (missing ? `missing: replaced by ${filler(field)}` : "") : needed(field);
    if (numbers) take(numbers);
  };
  entry.oninput = read;
  const show = (text) => {
    entry.value = field.words && text === "" && field.fill ? MISSING : text;
    entry.setAttribute("aria-invalid", "false");
    note.textContent = "";
  };
  return { element: make("div", {}, make("label", {}, field.name.replaceAll("_", " "), entry), note), show, read };
}
function rowControl(spec, changed) {
  const raw = new Float32Array(count(spec.shape));
  const control = { spec, value: empty(spec) };
  const update = () => { control.value = standardise(Float32Array.from(raw), spec, 1); changed(); };
  const shown = spec.fields.map((field, k) => fieldEntry(field, `note-${spec.name}-${k}`, (numbers) => {
    field.places.forEach((place, i) => { raw[place] = numbers[i]; });
    update();
  }));
  const line = make("textarea", { rows: 1, spellcheck: false, className: "line", placeholder: spec.fields.map((field) => field.name).join(spec.table?.separator ?? ",") });
  const fault = make("span", { className: "note quiet", role: "status" });
  line.oninput = () => {
    const cells = line.value.trim() ? lineCells(line.value, spec) : [];
    fault.textContent = cells ? "" : `needs the columns ${spec.fields.map((field) => field.name).join(", ")}`;
    cells?.forEach((cell, k) => { shown[k].show(cell); shown[k].read(); });
  };
  control.element = make("div", {}, make("h2", { textContent: named(spec, "A row of the data") }),
    make("div", { className: "fields" }, ...shown.map((each) => each.element)),
    make("label", { className: "wide" }, "Or a whole line, as the file has it", line), fault);
  control.set = (given, cells) => {
    control.value = given;
    raw.set(restore(given, spec, 1));
    line.value = fault.textContent = "";
    shown.forEach((each, k) => each.show(cells[k]));
  };
  return control;
}

/** Tokens as text, without padding. */
const lettersOf = (spec, tokens) => spec.vocabulary ? vocabularyText(spec, tokens) : Array.from(tokens, (token) => (Number(token) === spec.mark ? RULES.cover : [...spec.alphabet][Number(token)])).join("").replace(/\0+$/, "");
function textControl(spec, changed) {
  const length = count(spec.shape);
  const letters = [...spec.alphabet];
  const control = { spec, value: empty(spec), written: 0 };
  const entry = make("textarea", { spellcheck: false });
  entry.setAttribute("aria-label", named(spec, "Text"));
  const fault = make("p", { className: "fault", hidden: true, role: "alert" });
  const update = () => {
    const { strange, written, tokens } = textTokens(entry.value, letters, length, spec.mark);
    fault.hidden = strange === undefined && written > 0;
    fault.textContent = written ? `The network has not learned the character "${strange}". It knows ${letters.filter((x) => x > " ").join("")}` : "The text is empty. Write at least one character.";
    if (!fault.hidden) return;
    control.written = written;
    control.value = BigInt64Array.from(tokens, BigInt);
    changed();
  };
  entry.oninput = update;
  const cover = make("button", { type: "button", textContent: `Mask a character (${RULES.cover})`, onclick: () => {
    const at = Math.min(entry.selectionStart, Math.max(0, entry.value.length - 1));
    entry.setRangeText(RULES.cover, at, Math.max(at + 1, entry.selectionEnd), "end");
    update();
  } });
  control.element = make("div", {}, make("h2", { textContent: named(spec, `Text: the ${letters.includes("\0") ? "first" : "last"} ${length} characters are used`) }), entry,
    ...(spec.mark === undefined ? [] : [make("div", { className: "row" }, cover)]), fault);
  control.set = (given) => {
    control.value = given;
    entry.value = lettersOf(spec, given);
    control.written = [...entry.value].length;
    fault.hidden = true;
  };
  return control;
}

/** A text that is cut into tokens of a vocabulary. */
function vocabularyControl(spec, changed) {
  const length = count(spec.shape), control = { spec, value: empty(spec), written: 0 };
  const entry = make("textarea", { spellcheck: false });
  entry.setAttribute("aria-label", named(spec, "Text"));
  const fault = make("p", { className: "fault", hidden: true, role: "alert", textContent: `The text is empty. Write at least one ${spec.cut_by}.` });
  const note = make("p", { className: "note quiet", role: "status" });
  const tell = (tokens) => {
    const strange = tokens.filter((token) => Number(token) === 1).length;
    note.textContent = strange ? `${strange} ${spec.cut_by}${strange > 1 ? "s are" : " is"} not in the vocabulary and count${strange > 1 ? "" : "s"} as <unknown>.` : "";
  };
  entry.oninput = () => {
    const { written, tokens } = vocabularyTokens(entry.value, spec, length);
    fault.hidden = written > 0;
    if (!written) return;
    tell(tokens);
    control.written = written;
    control.value = BigInt64Array.from(tokens, BigInt);
    changed();
  };
  control.element = make("div", {}, make("h2", { textContent: named(spec, `Text: the first ${length} ${spec.cut_by}s are used`) }), entry, note, fault);
  control.set = (given) => {
    control.value = given;
    entry.value = lettersOf(spec, given);
    tell([...given]);
    fault.hidden = true;
  };
  return control;
}

/** An Input that nobody fills in: noise, and the text so far. */
function hiddenControl(spec) {
  const control = { spec, value: empty(spec), element: null };
  control.set = (given) => { control.value = given; };
  return control;
}
const MOST_TYPED = 4096;
/** Numbers of the Input's shape, typed or of a file. */
function numbersControl(spec, changed) {
  const control = hiddenControl(spec), total = count(spec.shape), whole = spec.dtype !== "float32";
  const entry = make("textarea", { spellcheck: false, className: "numbers", hidden: total > MOST_TYPED });
  entry.setAttribute("aria-label", named(spec, "Numbers"));
  const note = make("p", { className: "note quiet", role: "status" });
  const fault = make("p", { className: "fault", hidden: true, role: "alert" });
  const write = (numbers) => { entry.value = Array.from(numbers, (x) => String(Number(Number(x).toPrecision(7)))).join(" "); };
  const take = (numbers) => {
    if (numbers.length !== total) throw new Refusal(`the network takes ${total} numbers, but there are ${numbers.length}.`);
    const wrong = numbers.find((x) => (whole ? !Number.isSafeInteger(x) : !(Math.abs(x) <= LARGEST_NUMBER)));
    if (wrong !== undefined) throw new Refusal(`${wrong} is ${whole ? "no whole number" : "not finite in 32 bits"}.`);
    control.value = whole ? ARRAYS[spec.dtype].from(numbers, spec.dtype === "int64" ? BigInt : Number) : standardise(Float32Array.from(numbers), spec, 1);
    changed();
  };
  const tried = async (name, read) => {
    fault.hidden = true;
    note.textContent = "";
    try {
      await read();
    } catch (error) {
      fault.textContent = `${name} ${error instanceof Refusal ? `cannot be taken: ${error.message}` : "is damaged."}`;
      fault.hidden = false;
    }
  };
  entry.oninput = () => tried("The text", () => take(numbersIn(entry.value)));
  const open = (file) => tried(file.name, async () => {
    const found = await numbersOfFile(file, spec.name, spec.shape);
    take(found.numbers);
    write(found.numbers);
    note.textContent = `${file.name}: ${total} numbers. ${found.note}`;
  });
  const chooser = make("input", { type: "file", accept: ".npy,.npz,.csv,.txt,.tsv", hidden: true, onchange: async () => {
    if (chooser.files[0]) await open(chooser.files[0]);
    chooser.value = "";
  } });
  control.element = make("div", {}, make("h2", { textContent: named(spec, `${total} numbers, ${spec.shape.join(" × ")}`) }), entry,
    make("div", { className: "row" }, make("button", { type: "button", textContent: "Choose a file", onclick: () => chooser.click() }), chooser,
      make("span", { className: "note quiet", textContent: "CSV, NPY or NPZ" })), note, fault);
  control.set = (given) => {
    control.value = given;
    write(whole ? given : restore(given, spec, 1));
    note.textContent = "";
    fault.hidden = true;
  };
  return control;
}
/** The last rows of a series, pasted as its file has them or chosen as a file. */
function windowControl(spec, changed) {
  const control = hiddenControl(spec), [length] = spec.read;
  const entry = make("textarea", { spellcheck: false, className: "numbers" });
  const heading = `The last ${length} rows of the data`;
  entry.setAttribute("aria-label", named(spec, heading));
  const note = make("p", { className: "note quiet", role: "status" });
  const fault = make("p", { className: "fault", hidden: true, role: "alert" });
  const take = (name, text) => {
    fault.hidden = true;
    note.textContent = "";
    try {
      control.value = standardise(Float32Array.from(windowNumbers(text, spec)), spec, 1);
      changed();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fault.textContent = `${name} cannot be taken: ${error.message}`;
      fault.hidden = false;
      return false;
    }
  };
  entry.oninput = () => take("The text", entry.value);
  const chooser = make("input", { type: "file", accept: ".csv,.tsv,.txt,.tab,.dat,.data", hidden: true, onchange: async () => {
    const [file] = chooser.files;
    chooser.value = "";
    if (!file) return;
    const text = await file.text();
    if (!take(file.name, text)) return;
    entry.value = linesOf(restore(control.value, spec, 1));
    note.textContent = `${file.name}: its last ${length} rows${spec.order ? `, by ${spec.order.name}` : ""}.`;
  } });
  const separator = spec.table?.separator ?? ",";
  const header = spec.fields.map((field) => field.name).join(separator);
  const cellOf = (value, field) => {
    const text = String(Number(value.toPrecision(6))).replace(".", field.decimal || ".");
    return text.includes(separator) ? `"${text}"` : text;
  };
  const linesOf = (numbers) => [header, ...Array.from({ length }, (_, row) =>
    spec.fields.map((field, k) => cellOf(numbers[row * spec.fields.length + k], field)).join(separator))].join("\n");
  control.element = make("div", {}, make("h2", { textContent: named(spec, heading) }), entry,
    make("div", { className: "row" }, make("button", { type: "button", textContent: "Choose a file", onclick: () => chooser.click() }), chooser,
      make("span", { className: "note quiet", textContent: "CSV" })), note, fault);
  control.set = (given) => {
    control.value = given;
    entry.value = linesOf(restore(given, spec, 1));
    note.textContent = "";
    fault.hidden = true;
  };
  return control;
}
const named = (spec, words) => (inputs.filter((each) => each.kind === spec.kind && each.column !== "before").length > 1 ? `${spec.name}: ${words}` : words);
/** A sound as the numbers of its wave or spectrogram: sound files are read by servers and the Train page. */
const soundControl = (spec, changed) => {
  const control = numbersControl(spec, changed);
  control.element.append(make("p", { className: "quiet", textContent: "This page takes the numbers of a sound as an .npy file. A server of this network takes WAV, FLAC and OGG files." }));
  return control;
};
const CONTROLS = { picture: pictureControl, sound: soundControl, row: rowControl, window: windowControl, text: (spec, changed) => (spec.vocabulary ? vocabularyControl : textControl)(spec, changed), numbers: numbersControl };

// ---- display of the outputs
const percent = (share) => `${(share * 100).toFixed(1)} %`;
function bars(names, shares, chosen, most = 12, colours = []) {
  const order = [...names.keys()];
  if (names.length > most) order.sort((a, b) => shares[b] - shares[a]);
  return make("div", { className: "bars" }, ...order.slice(0, most).map((i) => {
    const fill = make("span", { className: "fill" });
    fill.style.width = `${Math.max(0, Math.min(100, shares[i] * 100))}%`;
    if (colours[i]) fill.style.background = colours[i];
    return make("div", { className: chosen.includes(i) ? "best" : "" }, make("span", { className: "name", textContent: names[i], title: names[i] }),
      make("span", { className: "track" }, fill), make("span", { className: "share", textContent: percent(shares[i]) }));
  }));
}
const short = (value) => String(Number(value.toPrecision(4)));
function series(points) {
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 400 120");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `A series of ${points.length} values from ${short(low)} to ${short(high)}`);
  const line = document.createElementNS(svg.namespaceURI, "polyline");
  line.setAttribute("points", points.map((v, i) => `${(i * 400) / Math.max(1, points.length - 1)},${115 - (110 * (v - low)) / (high - low || 1)}`).join(" "));
  Object.assign(line.style, { fill: "none", stroke: "var(--mark)", strokeWidth: 2 });
  svg.append(line);
  return svg;
}
function picture(data, dims, change) {
  const shape = dims.length === 4 ? dims.slice(1) : [1, ...dims.slice(-2)];
  const canvas = paint(make("canvas", { className: "picture" }), Float32Array.from(data, change), shape);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `A picture of ${shape[1]} by ${shape[2]}`);
  return canvas;
}
/** The class of each pixel as its colour, over the picture of the same size, and the share of each. */
function regions(values, spec, sides) {
  const size = values.length, plane = new Float32Array(3 * size), counts = spec.classes.map(() => 0);
  const at = inputs.findIndex((each) => each.kind === "picture");
  const [seen, [channels]] = at < 0 ? [null, [1]] : inputToPicture(controls[at].value, inputs[at]);
  const under = (c, i) => (seen?.length === channels * size ? seen[Math.min(c, channels - 1) * size + i] : 0);
  values.forEach((k, i) => {
    counts[k] += 1;
    for (let c = 0; c < 3; c++)
      plane[c * size + i] = 0.6 * parseInt(spec.colours[k].slice(1 + 2 * c, 3 + 2 * c), 16) / 255 + 0.4 * under(c, i);
  });
  const shares = counts.map((count) => count / size);
  return make("div", {}, picture(plane, [1, 3, ...sides], (v) => v), bars(spec.classes, shares, [], 12, spec.colours));
}
const visible = (letter) => RULES.visible[letter] ?? letter;
const line = (text) => make("p", { className: "number", textContent: text });

const SHOWN = {
  classes: ({ shares, chosen }, spec) => bars(spec.classes, shares, chosen),
  yes_no: ({ shares, chosen }, spec) => bars(spec.classes, shares, chosen),
  labels: ({ shares, chosen }, spec) => bars(spec.classes, shares, chosen, 40),
  regression: ({ values }, spec) => line(`${spec.target} ${values.map(short).join(", ")}`),
  quantiles: ({ values }, spec) => line(`${spec.target} ${values.map(short).join(" \u2013 ")}`),
  image: ({ values }, spec, dims) => picture(values, dims, (v) => v),
  mask: ({ values }, spec, dims) => picture(values, dims, (v) => v),
  mask_classes: ({ values }, spec, [, classes, ...sides]) => spec.colours ? regions(values, spec, sides) : picture(values, [1, 1, ...sides], (v) => v / Math.max(1, classes - 1)),
  series: ({ values }) => series(values),
  sequence: ({ sequence }) => line(sequence.join(" ") || "nothing"),
  pair: ({ same, distance }) => line(`${same ? "same" : "different"} class (distance ${short(distance)})`),
};
/** The next character, the masked characters, or the output text. */
function tokens(data, spec, [, length, width]) {
  const letters = [...spec.alphabet];
  const row = (t) => [...data.slice(t * width, (t + 1) * width)];
  const asked = controls.find((control) => control.spec.kind === "text" && control.spec.column !== "before");
  if (inputs.some((each) => each.column === "before")) {
    const answer = Array.from({ length }, (_, t) => letters[best(row(t))] ?? "").join("").replace(/\0.*$/s, "");
    return make("p", { className: "number text", textContent: answer || "nothing" });
  }
  if (asked?.spec.mark !== undefined) {
    const parts = Array.from(asked.value, (token, t) => (Number(token) === asked.spec.mark
      ? make("mark", { textContent: letters[best(row(t))] ?? "" }) : letters[Number(token)]));
    return make("p", { className: "text" }, ...parts);
  }
  const at = Math.max(0, Math.min(length, asked?.written ?? length) - 1);
  const shares = softmax(row(at));
  return make("div", {}, make("p", { className: "quiet", textContent: "The next character" }),
    bars(letters.map(visible), shares.slice(0, letters.length), [best(shares)], 8));
}
function plain(data, dims, why) {
  const most = Array.from(data.slice(0, 24), (v) => short(Number(v))).join("  ");
  return make("div", {}, make("p", { className: "quiet", textContent: `Shape (${dims.join(", ")})` }),
    ...(why ? [make("p", { className: "quiet", textContent: why })] : []),
    make("p", { className: "text", textContent: data.length > 24 ? `${most}  …` : most }));
}

// ---- running
const run = engine.run;
let started = false;
/** Generates an output text character by character, each from those before it. */
async function answered(given) {
  const place = inputs.findIndex((spec) => spec.column === "before");
  if (place < 0) return run(given);
  const before = (given[place] = empty(inputs[place]));
  let result = await run(given);
  for (let t = 0; t + 1 < before.length; t++) {
    const { data, dims } = result[outputs[0].name];
    before[t + 1] = BigInt(best([...data.slice(t * dims[2], (t + 1) * dims[2])]));
    result = await run(given);
  }
  return result;
}
let busy = false, again = false;
async function predict() {
  if (!started) return;
  if (busy) { again = true; return; }
  busy = true;
  try {
    const began = performance.now();
    const result = await answered(controls.map((control) => control.value));
    show(result, performance.now() - began);
  } catch (error) {
    byId("answers").replaceChildren(make("p", { className: "fault", textContent: `The network could not run: ${error.message}` }));
  }
  busy = false;
  if (again) { again = false; predict(); }
}
function show(result, took) {
  byId("answers").replaceChildren(...outputs.map((spec) => {
    const { data, dims } = result[spec.name];
    const title = outputs.length > 1 ? [make("h2", { textContent: spec.name })] : [];
    const read = READ[form(spec)]?.(data, spec, dims);
    const shown = read ? SHOWN[form(spec)](read, spec, dims) : form(spec) === "tokens" ? tokens(data, spec, dims) : plain(data, dims, spec.unread);
    return make("div", { className: "answer" }, ...title, shown);
  }), make("p", { className: "quiet", id: "took", textContent: `${took.toFixed(1)} ms` }));
  byId("answers").dataset.runs = String(Number(byId("answers").dataset.runs ?? 0) + 1);
}

/** Run the samples in the file and compare every output with PyTorch's. */
async function check() {
  let [largest, times] = [0, []];
  for (const one of facts.samples) {
    const began = performance.now();
    const result = await run(one.inputs.map((text, i) => values(inputs[i].dtype, text)));
    times.push(performance.now() - began);
    outputs.forEach((spec, i) => {
      const expected = values("float32", one.outputs[i]);
      const got = result[spec.name].data;
      for (let k = 0; k < expected.length; k++) largest = Math.max(largest, Math.abs(Number(got[k]) - expected[k]));
      if (expected.length !== got.length || Number.isNaN(largest)) largest = Infinity;
    });
  }
  times.sort((a, b) => a - b);
  const middle = times[Math.floor(times.length / 2)];
  Object.assign(byId("check").dataset, { difference: largest, ms: middle });
  byId("check").textContent = `Checked ${engine.where} on ${facts.samples.length} samples: the largest difference from PyTorch is ` +
    `${largest ? largest.toExponential(1) : 0}; ${middle.toFixed(1)} ms for one prediction.`;
}
function chip(one, i) {
  const given = one.inputs.map((text, k) => values(inputs[k].dtype, text));
  const seen = inputs.findIndex((spec) => spec.kind === "picture");
  const children = [];
  if (seen >= 0) children.push(paint(make("canvas"), ...inputToPicture(given[seen], inputs[seen])));
  const written = inputs.findIndex((spec) => spec.kind === "text");
  const start = written < 0 ? "" : lettersOf(inputs[written], given[written]).replace(/\s+/g, " ").slice(0, 24);
  children.push(one.target ? `${i + 1}: ${one.target}` : `Sample ${i + 1}`, start ? make("span", { className: "quiet text", textContent: start }) : "");
  return make("button", { type: "button", className: "chip", onclick: () => { controls.forEach((c, k) => c.set(given[k].slice(), one.cells[k])); predict(); } }, ...children);
}

byId("title").textContent = facts.title;
byId("about").textContent = facts.about;
if (facts.result) {
  const [value, words] = byId("result").children;
  value.textContent = facts.result.value;
  words.textContent = facts.result.words;
  byId("result").hidden = false;
}
byId("made").textContent = facts.made;
if (facts.call) {
  facts.call = facts.call.replace("ADDRESS", location.origin);
  byId("command").textContent = facts.call;
  byId("copy").onclick = async () => {
    await navigator.clipboard.writeText(facts.call);
    byId("copy").textContent = "Copied";
  };
}
const controls = inputs.map((spec) => (["before", "noise"].includes(spec.column) ? hiddenControl(spec) : CONTROLS[spec.kind](spec, predict)));
byId("inputs").append(...controls.map((control) => control.element).filter(Boolean));
byId("chips").append(...facts.samples.map(chip));
byId("samples").hidden = facts.samples.length === 0;
try {
  await engine.start();
  started = true;
  await check();
  if (facts.samples.length) byId("chips").firstChild.click();
  else predict();
} catch (error) {
  byId("state").className = "fault";
  byId("state").textContent = `${error.message} ${engine.needs}`;
}
byId("main").setAttribute("aria-busy", "false");
