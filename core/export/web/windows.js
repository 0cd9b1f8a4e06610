// ---- rows of a series as the window a network reads; core/samples/sent_windows.py reads the same
/** The rows of a file by its columns: below its header, or in the order of its columns. */
function windowRows(text, { name, fields, table = {} }) {
  const asked = fields.map((field) => field.name);
  const every = table.columns ?? [];
  const orders = [every, every.filter((each) => !table.targets?.includes(each)), asked].filter((names) => names.length);
  const leftOut = new Set(table.left_out ?? []);
  const read = [...new Set([table.separator ?? ",", ",", ";", "\t", "|"])].map((each) =>
    csvRows(text.replace(/^\uFEFF/, ""), each).filter((row) => !leftOut.has(row.filter(Boolean).join(", "))));
  for (const rows of read)
    for (const [place, row] of rows.slice(0, 60).entries())
      for (const names of [row, asSpelled(row, asked)])
        if (asked.every((each) => names.includes(each))) return byName(name, names, rows.slice(place + 1));
  const found = read.flatMap((rows) => orders.filter((names) => rows[0]?.length === names.length && !rows[0].some((cell) => asked.includes(cell)))
    .map((names) => [names, rows]));
  const suits = ([names, [row]]) => fields.every((field) => isGone(field, row[names.indexOf(field.name)]) || numberOf(row[names.indexOf(field.name)], field) !== null);
  const [names, rows] = found.find(suits) ?? found[0] ?? [];
  if (!names) throw new Refusal(`the columns ${asked.join(", ")} are needed.`);
  return byName(name, names, rows);
}
function byName(name, names, rows) {
  return rows.map((row, i) => {
    const cells = row.length === names.length + 1 && !row.at(-1) ? row.slice(0, -1) : row;
    if (cells.length !== names.length) throw new Refusal(`row ${i + 1} of ${name} has ${cells.length} cells but needs ${names.length}.`);
    return Object.fromEntries(names.map((each, k) => [each, cells[k]]));
  });
}
const isGone = (field, text) => text === "" || (field.missing ?? []).includes(text);
/** Rows by their dates, of several with one date the last; as they stand without any date. */
function rowsInOrder(rows, order) {
  const dated = order ? rows.filter((row) => !isGone(order, row[order.name] ?? "")) : [];
  if (!dated.length) return rows;
  const last = new Map();
  for (const row of dated) {
    const text = row[order.name];
    const time = order.date ? dateParts(text, order.date, ["days"])?.[0] ?? null : numberOf(text, order);
    if (time === null) throw new Refusal(`${order.name} is "${text}", which is not written as in training.`);
    last.set(time, row);
  }
  return [...last].sort(([a], [b]) => a - b).map(([, row]) => row);
}
/** The numbers of the last rows of a text of CSV, row by row; a missing one is the last known. */
function windowNumbers(text, spec) {
  const [length] = spec.read;
  const rows = rowsInOrder(windowRows(text, spec), spec.order);
  const known = spec.fields.map(() => null);
  const found = [];
  for (const row of rows) {
    spec.fields.forEach((field, k) => {
      if (isGone(field, row[field.name])) return;
      known[k] = numberOf(row[field.name], field);
      if (known[k] === null) throw new Refusal(`${field.name} is "${row[field.name]}", not a number.`);
    });
    if (!known.includes(null)) found.push([...known]);
  }
  if (found.length < length) throw new Refusal(`the network needs ${length} rows, but there are ${found.length}.`);
  return found.slice(-length).flat();
}
