import { pointerTo } from '../elements/json-pointer.js';
import type { Issue } from './check-value.js';
import { nodeOf } from './form-node.js';
import { itemsOf } from './members.js';
import { ownMember, type Schema } from './schema.js';
import { variantOf } from './variants.js';

const DEPTH_MAX = 40;

/** The messages by the field that shows them: the deepest field of the form on the way of each pointer. */
export function placedIssues(raw: unknown, value: unknown, issues: readonly Issue[]): Map<string, string[]> {
  const root = raw as Schema;
  const placed = new Map<string, string[]>();
  for (const { path, message } of issues) {
    const { pointer, left } = fieldOf(raw, value, root, path);
    const text = left === '' ? message : `${left}: ${message}`;
    placed.set(pointer, [...(placed.get(pointer) ?? []), text]);
  }
  return placed;
}

function fieldOf(raw: unknown, value: unknown, root: Schema, path: string): { pointer: string; left: string } {
  const parts = path.split('/').slice(1);
  let [schema, member, pointer] = [raw, value, ''];
  for (let depth = 0; depth < Math.min(parts.length, DEPTH_MAX); depth += 1) {
    const name = (parts[depth] as string).replaceAll('~1', '/').replaceAll('~0', '~');
    const next = childOf(schema, member, root, name, depth);
    if (!next) break;
    schema = next.schema;
    member = next.value;
    pointer = pointerTo(pointer, name);
  }
  return { pointer, left: path.slice(pointer.length) };
}

/** The schema and the value of a part that has a field of its own. */
function childOf(raw: unknown, value: unknown, root: Schema, name: string, depth: number): { schema: unknown; value: unknown } | undefined {
  const node = nodeOf(raw, root, depth);
  if (node.kind === 'variants') {
    const variant = node.variants[variantOf(node.variants, value, root)];
    return variant && childOf(variant.schema, value, root, name, depth + 1);
  }
  if (node.kind === 'list') {
    const at = Number(name);
    return Number.isInteger(at) && at < itemsOf(value).length ? { schema: node.items, value: itemsOf(value)[at] } : undefined;
  }
  if (node.kind !== 'object') return undefined;
  const found = ownMember(value, name);
  const known = node.members.find((one) => one.name === name);
  if (known) return { schema: known.schema, value: found };
  return found === undefined ? undefined : { schema: node.extra ?? {}, value: found };
}
