import type { Obligation } from '@countersign/contracts';
import type { CompiledRule } from './bundle/compiled-rule.js';

type Json = unknown;

/** The obligations of all matching rules, sorted and without duplicates. */
export function obligationsOf(matched: readonly CompiledRule[]): Obligation[] {
  const obligations = new Map<string, Obligation>();
  for (const { id, obligations: declared } of matched) {
    for (const one of declared ?? []) {
      const obligation = namedObligation(id, one);
      obligations.set(JSON.stringify({ ...obligation, rule: '' }), obligation);
    }
  }
  return [...obligations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, obligation]) => obligation);
}

function namedObligation(rule: string, declared: NonNullable<CompiledRule['obligations']>[number]): Obligation {
  const nothing = { rule, paths: [], max: null, tag: null, form: null };
  if ('redact' in declared) return { ...nothing, kind: 'redact', paths: [...declared.redact] };
  if ('cap' in declared)
    return {
      ...nothing,
      kind: 'cap',
      paths: [declared.cap.path],
      max: declared.cap.max,
      tag: declared.cap.otherwise,
      form: declared.cap.form ?? 'inputs',
    };
  return { ...nothing, kind: 'tag', tag: declared.tag };
}

/** The parts of a JSON Pointer (RFC 6901). */
function pointerParts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const isObject = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value);

function at(value: Json, parts: readonly string[]): Json {
  let found = value;
  for (const part of parts) {
    if (Array.isArray(found)) found = found[Number(part)];
    else found = isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

function replaced(value: Json, parts: readonly string[], by: Json): Json {
  const [part, ...rest] = parts;
  if (part === undefined) return by;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === part ? replaced(item, rest, by) : item));
  return isObject(value) ? { ...value, [part]: replaced(value[part], rest, by) } : value;
}

/** Applies caps: returns the inputs (the same object if nothing was lowered), or the cap that refuses them. */
export function capped(inputs: Json, obligations: readonly Obligation[]): { inputs: Json } | { refused: Obligation; value: Json } {
  let now = inputs;
  for (const obligation of obligations) {
    const { kind, paths, max, tag } = obligation;
    if (kind !== 'cap' || max === null) continue;
    const parts = pointerParts(paths[0] ?? '');
    const value = at(now, parts);
    if (value === undefined || value === null || (typeof value === 'number' && value <= max)) continue;
    if (tag !== 'lower' || typeof value !== 'number') return { refused: obligation, value };
    now = replaced(now, parts, max);
  }
  return { inputs: now };
}

const REDACTED = '[redacted]';

function hidden(value: Json, parts: readonly string[]): Json {
  const [part, ...rest] = parts;
  if (part === undefined) return REDACTED;
  if (Array.isArray(value)) return value.map((item, i) => (part === '*' || String(i) === part ? hidden(item, rest) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, part === '*' || key === part ? hidden(field, rest) : field] as const);
  return Object.fromEntries(entries);
}

/** Hides the parts of a result that redactions name; `*` matches any field or item. A missing path changes nothing. */
export function redacted(output: Json, obligations: readonly Obligation[]): Json {
  let now = output;
  for (const { kind, paths } of obligations) if (kind === 'redact') for (const path of paths) now = hidden(now, pointerParts(path));
  return now;
}
