import type { FieldStyle, ParameterBinding } from '@countersign/openapi';

/** A name and a value of a query or a form, both encoded. */
export type Pair = readonly [name: string, value: string];

type Json = unknown;
const isObject = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as text; objects and lists, where their style has no form for them, as JSON. */
export function textOf(value: Json): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** RFC 3986: nothing but unreserved characters stays as it is. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** `allowReserved`, without the characters that would begin another parameter or a fragment. */
const withReserved = (text: string): string =>
  encoded(text).replace(/%(3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B)/g, (code) => decodeURIComponent(code));

/** The styles `simple` of paths and headers: `a,b` for a list, `k,v` or `k=v` for an object. */
export function simpleText(value: Json, explode: boolean): string[] {
  if (Array.isArray(value)) return value.map(textOf);
  if (!isObject(value)) return [textOf(value)];
  return Object.entries(value).flatMap(([name, member]) => (explode ? [`${name}=${textOf(member)}`] : [name, textOf(member)]));
}

/** The pairs of one value in a query or a form. */
export function pairsOf(name: string, value: Json, { style, explode }: FieldStyle, reserved = false): Pair[] {
  const write = reserved ? withReserved : encoded;
  const pair = (of: string, text: string): Pair => [encoded(of), write(text)];
  if (style === 'json') return [pair(name, JSON.stringify(value))];
  if (style === 'deepObject') return deepPairs(name, value).map(([of, text]) => [bracketed(of), write(text)]);
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => pair(name, textOf(item)));
    return [[encoded(name), value.map((item) => write(textOf(item))).join(SEPARATORS[style] ?? ',')]];
  }
  if (!isObject(value)) return [pair(name, textOf(value))];
  const members = Object.entries(value);
  if (explode) return members.map(([of, member]) => pair(of, textOf(member)));
  return [[encoded(name), members.flatMap(([of, member]) => [write(of), write(textOf(member))]).join(SEPARATORS[style] ?? ',')]];
}

const SEPARATORS: Partial<Record<ParameterBinding['style'], string>> = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };

/** `a[b][c]=1` and `a[0]=1`: OpenAPI defines one level; servers that take more read it so. */
function deepPairs(name: string, value: Json): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item, at) => deepPairs(`${name}[${at}]`, item));
  if (isObject(value)) return Object.entries(value).flatMap(([of, member]) => deepPairs(`${name}[${of.replace(/[[\]]/g, '')}]`, member));
  return [[name, textOf(value)]];
}

const bracketed = (name: string): string => encoded(name).replaceAll('%5B', '[').replaceAll('%5D', ']');
