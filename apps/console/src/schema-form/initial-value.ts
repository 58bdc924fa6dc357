import { nodeOf } from './form-node.js';
import type { Schema } from './schema.js';

const DEPTH_MAX = 6;
const MEMBERS_MAX = 200;

/** What a form begins with: defaults, constants, and the objects that are required. Undefined: nothing yet. */
export function initialValue(raw: unknown, root: Schema, depth = 0): unknown {
  const node = nodeOf(raw, root, depth);
  if (Object.hasOwn(node.schema, 'default')) return node.schema.default;
  if (node.kind === 'constant') return node.value;
  if (node.kind !== 'object' || depth >= DEPTH_MAX) return undefined;
  const members = node.members
    .slice(0, MEMBERS_MAX)
    .filter(({ is_required, schema }) => is_required || Object.hasOwn(schema, 'default'))
    .map(({ name, schema }) => [name, initialValue(schema, root, depth + 1)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(members);
}

/** What "Add" puts in: the initial value, or the empty one of its kind. */
export function addedValue(raw: unknown, root: Schema): unknown {
  const value = initialValue(raw, root);
  if (value !== undefined) return value;
  const { kind } = nodeOf(raw, root);
  return kind === 'list' ? [] : kind === 'object' ? {} : kind === 'text' ? '' : null;
}
