import type { Schemas } from '../gateway/schemas.js';

type Binding = Schemas['OverlayBinding'];
type Resource = NonNullable<Schemas['UpstreamClassification']['resources']>[number];

const BETWEEN = ' = ';

/** `name = value` of each line; a line without the sign has an empty value. */
function pairs(text: string): [name: string, value: string][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const at = line.indexOf(BETWEEN);
    return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + BETWEEN.length).trim()];
  });
}

/** JSON, or the text itself. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The inputs of another call as lines: `name = /inputs/name`, or a literal as JSON. */
export const bindingsText = (bindings: Readonly<Record<string, Binding>>): string =>
  Object.entries(bindings)
    .map(([name, binding]) => `${name}${BETWEEN}${'from' in binding ? binding.from : JSON.stringify(binding.literal)}`)
    .join('\n');

/** A value that begins with `/` is a pointer; a literal text of that form stands in quotes. */
export const bindingsFrom = (text: string): Record<string, Binding> =>
  Object.fromEntries(
    pairs(text).map(([name, value]) => [name, (value.startsWith('/') ? { from: value } : { literal: jsonOr(value) }) as Binding]),
  );

/** What a write acts on as lines: `invoice:{/invoice_id} = adds`. */
export const resourcesText = (resources: readonly Resource[]): string =>
  resources.map(({ name, effect }) => `${name}${BETWEEN}${typeof effect === 'string' ? effect : JSON.stringify(effect)}`).join('\n');

export const resourcesFrom = (text: string): Resource[] =>
  pairs(text).map(([name, value]) => ({ name, effect: jsonOr(value) as Resource['effect'] }));
