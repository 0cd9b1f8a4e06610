/** Whether two values hold the same, whatever the order of keys. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  if (left.length !== Object.keys(b).length) return false;
  return left.every(([k, v]) => Object.hasOwn(b, k) && equal(v, (b as Record<string, unknown>)[k]));
}
