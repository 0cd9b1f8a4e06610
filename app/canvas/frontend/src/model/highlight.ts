/** Light highlighting of one line of Python source: kinds of words, no parser. */

export type Kind = "" | "keyword" | "string" | "comment" | "number" | "name" | "call";
export type Token = readonly [Kind, string];

const WORD =
  /("""[\s\S]*?(?:"""|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(#.*)|\b(\d[\d_.]*(?:e[+-]?\d+)?)\b|([A-Za-z_]\w*)/g;
const KEYWORDS = new Set(
  "False None True and as assert class def del elif else for from if import in is lambda not or pass raise return super while with yield self".split(
    " ",
  ),
);

/** Split a line into tokens; joined again they are the line. `inText`: inside a docstring. */
export function tokens(line: string, inText = false): Token[] {
  if (inText) return [["string", line]];
  const parts: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(WORD)) {
    const [text, quoted, comment, number] = match;
    if (match.index > end) parts.push(["", line.slice(end, match.index)]);
    end = match.index + text.length;
    const kind = quoted ? "string" : comment ? "comment" : number ? "number" : wordKind(text, line[end]);
    parts.push([kind, text]);
  }
  if (end < line.length) parts.push(["", line.slice(end)]);
  return parts;
}

function wordKind(word: string, next: string | undefined): Kind {
  if (KEYWORDS.has(word)) return "keyword";
  return next === "(" ? "call" : "name";
}

/** For each line, whether it begins inside a docstring. */
export function insideText(lines: readonly string[]): boolean[] {
  let open = false;
  return lines.map((line) => {
    const before = open;
    if ((line.split('"""').length - 1) % 2) open = !open;
    return before && (open || line.trim() !== "");
  });
}
