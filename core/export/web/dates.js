// ---- dates in the words of the training file; core/serve/date_parts.py reads the same
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const short3 = (names) => names.map((name) => name.slice(0, 3));
const SIGNS = {
  Y: "(\\d{4})", y: "(\\d{2})", m: "(1[0-2]|0[1-9]|[1-9])", d: "(3[01]|[12]\\d|0[1-9]|[1-9]| [1-9])",
  H: "(2[0-3]|[01]\\d|\\d)", I: "(1[0-2]|0[1-9]|[1-9])", M: "([0-5]\\d|\\d)", S: "(6[01]|[0-5]\\d|\\d)", f: "(\\d{1,6})",
  p: "(am|pm)", z: "([+-]\\d{2}:?[0-5]\\d(?::?[0-5]\\d)?|z)", b: `(${short3(MONTHS).join("|")})`, B: `(${MONTHS.join("|")})`,
  a: `(${short3(DAYS).join("|")})`, A: `(${DAYS.join("|")})`,
};
/** The names of the months that a format lists: %d. {Januar|Februar|...} %Y; [] for another format. */
function monthNames(form) {
  const names = /\{([^}]*)\}/.exec(form)?.[1].split("|") ?? [];
  return names.length === 12 ? names : [];
}
/** Such a date and its format with the number of the month, without words and points. */
function monthNumbered(text, form, names) {
  const [low, list] = [text.toLowerCase(), names.map((name) => name.toLowerCase())];
  const name = list.filter((each) => low.includes(each)).sort((a, b) => b.length - a.length)[0];
  if (!name) return ["", form];
  const cell = low.replaceAll(name, ` ${list.indexOf(name) + 1} `).replace(/[^\p{Nd}:]+/gu, " ").trim();
  const parts = form.replace(/\{[^}]*\}/, " %m ").replaceAll("-", " ").split(/\s+/).filter((part) => part.includes("%"));
  return [cell, parts.map((part) => part.replace(/^[.,]+|[.,]+$/g, "")).join(" ")];
}
/** The fields of a date by their signs in its format (as Python's strptime); null for another text. */
function dateFields(text, form) {
  const [signs, names] = [[], monthNames(form)];
  if (names.length) [text, form] = monthNumbered(text, form, names);
  const pattern = form.replace(/%(.)|\s+|[^\w\s]/g, (whole, sign) => {
    if (!sign) return /\s/.test(whole) ? "\\s+" : `\\${whole}`;
    signs.push(sign);
    return SIGNS[sign] ?? "(?!)";
  });
  const found = new RegExp(`^${pattern}$`, "i").exec(text.trim());
  return found && Object.fromEntries(signs.map((sign, i) => [sign, found[i + 1].toLowerCase()]));
}
/** The numbers that are made of a date: days since 1970, year, month, day, weekday, hour; null for another text. */
function dateParts(text, form, parts) {
  const given = dateFields(text, form);
  if (!given) return null;
  const short = Number(given.y);
  const year = given.Y ? Number(given.Y) : given.y ? short + (short < 69 ? 2000 : 1900) : 1900;
  const named = given.B ?? given.b;
  const month = named ? short3(MONTHS).indexOf(named.slice(0, 3)) + 1 : Number(given.m ?? 1);
  const day = Number(given.d ?? 1);
  const half = given.I ? (Number(given.I) % 12) + (given.p === "pm" ? 12 : 0) : 0;
  const [hour, minute, second] = [given.H ? Number(given.H) : half, Number(given.M ?? 0), Number(given.S ?? 0)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || second > 59) return null;
  const fraction = given.f ? Number(given.f.padEnd(6, "0")) / 1e6 : 0;
  const every = {
    days: date.getTime() / 86400000 + (hour * 3600 + minute * 60 + second + fraction) / 86400,
    year, month, day, weekday: (date.getUTCDay() + 6) % 7, hour: hour + minute / 60 + second / 3600,
  };
  return parts.map((part) => every[part]);
}
/** A date in its format, of the days since 1970. */
function dateText(days, form) {
  const date = new Date(Math.round(days * 86400) * 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [hour, month, weekday] = [date.getUTCHours(), MONTHS[date.getUTCMonth()], DAYS[(date.getUTCDay() + 6) % 7]];
  const title = (word) => word[0].toUpperCase() + word.slice(1);
  const written = {
    Y: String(date.getUTCFullYear()).padStart(4, "0"), y: two(date.getUTCFullYear() % 100), m: two(date.getUTCMonth() + 1), d: two(date.getUTCDate()),
    H: two(hour), I: two(hour % 12 || 12), M: two(date.getUTCMinutes()), S: two(date.getUTCSeconds()), f: "000000", p: hour < 12 ? "AM" : "PM",
    z: "+0000", b: title(month.slice(0, 3)), B: title(month), a: title(weekday.slice(0, 3)), A: title(weekday),
  };
  const names = monthNames(form);
  const parts = names.length ? form.split(/\{[^}]*\}/) : [form];
  return parts.map((part) => part.replace(/%(.)/g, (whole, sign) => written[sign] ?? whole)).join(names[date.getUTCMonth()] ?? "");
}
