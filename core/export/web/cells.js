// ---- cells in the words of the training file; core/serve/number_spelling.py and sent_rows.py read the same
const LARGEST_NUMBER = 3.4028234663852886e38;
const [TYPESET, BRACKETS, BEHIND] = ["\u2212", "()", "5-"];
const DASHES = "-\u2013\u2014"; // no cents: 5,-
const quoted = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** A text whose digits of any script are those of ASCII. */
function asciiDigits(text) {
  return text.replace(/\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0);
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String((digit.codePointAt(0) - zero) % 10);
  });
}
function signed(cell, minus) {
  if (minus === TYPESET) return cell.replace(TYPESET, "-");
  if (minus === BRACKETS && cell.startsWith("(") && cell.endsWith(")")) return `-${cell.slice(1, -1)}`;
  return minus === BEHIND && cell.endsWith("-") ? `-${cell.slice(0, -1)}` : cell;
}
function undressed(text, symbol, minus) {
  const sign = minus && text.startsWith("-") ? "-" : "";
  let bare = text.slice(sign.length);
  if (bare.startsWith(symbol)) bare = bare.slice(symbol.length);
  if (bare.endsWith(symbol)) bare = bare.slice(0, bare.length - symbol.length);
  return sign + bare.trim();
}
/** The number in a cell, by the spelling of its column or plainly; null for another text. */
function numberOf(text, { decimal = ".", thousands = "", symbol = "", minus = "" }) {
  const cell = asciiDigits(text.trim());
  const bare = symbol ? undressed(signed(cell, minus), symbol, minus) : signed(cell, minus);
  const [d, t] = [quoted(decimal), quoted(thousands)];
  const lakhs = thousands === "," ? "|[1-9]\\d?(?:,\\d{2})+,\\d{3}" : "";
  const whole = thousands ? `(?:\\d+|[1-9]\\d{0,2}(?:${t}\\d{3})+${lakhs})` : "\\d+";
  const plain = "[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?";
  const number = `(?:${whole}(?:${d}\\d*)?|${d}\\d+)(?:[eE][+-]?\\d+)?`;
  const spelled = new RegExp(`^[+-]?(?:${number}|${whole}${d}[${DASHES}]{1,2})$`).test(bare);
  if (!spelled && !new RegExp(`^${plain}$`).test(cell)) return null;
  const digits = bare.replace(new RegExp(`[${DASHES}]+$`), "");
  const found = Number(spelled ? digits.replaceAll(thousands || "\0", "").replace(decimal, ".") : cell);
  return Math.abs(found) <= LARGEST_NUMBER ? found : null;
}
const isMissing = (field, text) => Boolean(field.fill) && (text === "" || (field.missing ?? []).includes(text));
/** The rows of a text of CSV, without spaces around the cells. */
function csvRows(text, separator) {
  const rows = [[]];
  let [cell, inside] = ["", false];
  const end = () => { rows.at(-1).push(cell.trim()); cell = ""; };
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (inside && sign === '"' && text[i + 1] === '"') cell += text[++i];
    else if (inside) sign === '"' ? (inside = false) : (cell += sign);
    else if (sign === '"' && cell === "") inside = true;
    else if (sign === " " && separator === " " && cell === "") continue;
    else if (sign === separator) end();
    else if (sign === "\n" || sign === "\r") { end(); rows.push([]); }
    else cell += sign;
  }
  end();
  return rows.filter((row) => row.some(Boolean));
}
/** What stands in each field of a line of the file, with its header before it or without; null for another text. */
function lineCells(text, { fields, table = {} }) {
  const asked = fields.map((field) => field.name);
  const every = table.columns ?? [];
  const orders = [every, every.filter((name) => !table.targets?.includes(name)), asked].filter((names) => names.length);
  const read = [...new Set([table.separator ?? ",", ",", ";", "\t", "|"])].map((each) => csvRows(text.replace(/^\uFEFF/, ""), each));
  const take = (names, row) => (row && row.length === names.length ? asked.map((name) => row[names.indexOf(name)]) : null);
  for (const rows of read)
    for (const [place, row] of rows.entries())
      for (const names of [row, asSpelled(row, asked)])
        if (asked.every((name) => names.includes(name))) return take(names, rows[place + 1]);
  const found = read.flatMap(([row]) => orders.filter((names) => row && !row.some((cell) => asked.includes(cell)) && row.length === names.length)
    .map((names) => take(names, row)));
  // a comma inside of words may give as many cells as the file's own sign
  return found.find((cells) => cells.every((cell, k) => reads(fields[k], cell))) ?? found[0] ?? null;
}
/** A header as the file spells it, where only capitals differ and no two names become one. */
function asSpelled(row, asked) {
  const names = row.map((cell) => asked.find((name) => name.toUpperCase() === cell.toUpperCase()) ?? cell);
  return new Set(names).size === row.length ? names : row;
}
function reads(field, cell) {
  const words = [...(field.words ?? []), ...(field.others ?? [])];
  if (words.includes(cell) || isMissing(field, cell) || field.date) return true;
  return !words.length && numberOf(cell, field) !== null;
}
/** A text as training reads it: its tokens, how many of them are written, and a character that is not known. */
function textTokens(text, letters, length, mark) {
  const part = (given) => (letters.includes("\0") ? given.slice(0, length) : given.slice(-length));
  const token = (letter) => (mark !== undefined && letter === RULES.cover ? mark : letters.indexOf(letter));
  const plain = letters.includes("\r") ? text : text.replace(/\r\n?/g, "\n");
  const given = part([...plain.replace(/^\uFEFF/, "")]);
  const cases = [given, ...["toUpperCase", "toLowerCase"].map((write) => part([...given.join("")[write]()]))];
  const used = cases.find((each) => each.every((letter) => token(letter) >= 0)) ?? given;
  const filling = Math.max(0, letters.indexOf(letters.includes("\0") ? "\0" : " "));
  return { strange: used.find((letter) => token(letter) < 0), written: used.length, tokens: Array.from({ length }, (_, i) => (i < used.length ? token(used[i]) : filling)) };
}
const NAMED = "<separator>|<unknown>", BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** What a token is, as tokens_of in Python has it: \w and \s have other members there. */
const CUT = { word: `${NAMED}|[\\p{L}\\p{N}_]+|[^\\p{L}\\p{N}_${BLANK}]`, letter: `${NAMED}|[\\s\\S]` };
/** Numbers of the tokens of a text in the vocabulary of training, and how many of them are written. */
function vocabularyTokens(text, spec, length) {
  const places = new Map(spec.vocabulary.map((token, place) => [token, place]));
  const plain = text.replace(/^\uFEFF/, "");
  const found = ((spec.lower ? plain.toLowerCase() : plain).match(new RegExp(CUT[spec.cut_by], "gu")) ?? []).slice(0, length);
  return { written: found.length, tokens: Array.from({ length }, (_, i) => (i < found.length ? places.get(found[i]) ?? 1 : 0)) };
}
/** The text that the network reads, without what pads it. */
const vocabularyText = (spec, tokens) => Array.from(tokens, Number).filter((token) => token > 0).map((token) => spec.vocabulary[token])
  .join(spec.cut_by === "letter" ? "" : " ");
