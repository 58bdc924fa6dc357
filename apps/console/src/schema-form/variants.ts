import { nodeOf, typeOf, type Variant } from './form-node.js';
import { ownMember, resolved, type Schema, schemaOf } from './schema.js';

/** Which form a value has: the one that fits best, the first of equals. */
export function variantOf(variants: readonly Variant[], value: unknown, root: Schema): number {
  if (value === undefined) return 0;
  const scores = variants.map(({ schema }) => score(resolved(schema, root) ?? {}, value, root));
  return scores.indexOf(Math.max(...scores));
}

function score(schema: Schema, value: unknown, root: Schema): number {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const) === JSON.stringify(value) ? 4 : -1;
  const type = typeOf(schema);
  if (type !== undefined && !isOfType(type, value)) return -1;
  if (type !== 'object') return type === 'integer' ? 2 : 1;
  let points = 1;
  for (const [name, member] of Object.entries(schemaOf(schema.properties)).slice(0, 200)) {
    const found = ownMember(value, name);
    const node = nodeOf(member, root);
    if (found === undefined) continue;
    points += 1;
    if (node.kind === 'constant') points += node.value === found ? 50 : -100;
    if (node.kind === 'choice') points += node.options.includes(found) ? 10 : -20;
  }
  return points;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
