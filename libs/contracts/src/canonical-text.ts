import canonicalizeJson from 'canonicalize';

const SURROGATE = /[\ud800-\udfff]/;
const DEPTH_MAX = 64;

/** Field names sorted by UTF-16 code units. Fast for names that are already sorted, as most are. */
function sortedNames(value: object): string[] {
  const names = Object.keys(value);
  for (let at = 1; at < names.length; at++) if ((names[at - 1] as string) > (names[at] as string)) return names.sort();
  return names;
}

/** The text of plain data, at a third of the library's cost; undefined if the value needs the library. */
function plainText(value: unknown, depth: number): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return SURROGATE.test(value) ? undefined : JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'object' || depth === DEPTH_MAX) return undefined;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) {
      const part = plainText(item, depth + 1);
      if (part === undefined) return undefined;
      text += text === '' ? part : `,${part}`;
    }
    return `[${text}]`;
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  for (const name of sortedNames(value)) {
    const part = SURROGATE.test(name) ? undefined : plainText((value as Record<string, unknown>)[name], depth + 1);
    if (part === undefined) return undefined;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${part}`;
  }
  return `{${text}}`;
}

/** RFC 8785 (JCS) text of a JSON value. @throws TypeError if the value is not JSON (undefined, NaN, functions). */
export function canonicalText(value: unknown): string {
  const text = plainText(value, 0) ?? canonicalizeJson(value);
  if (text === undefined) throw new TypeError('the value is not JSON');
  return text;
}
