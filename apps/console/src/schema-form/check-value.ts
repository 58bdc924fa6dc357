import { pointerTo } from '../elements/json-pointer.js';
import { type FormNode, nodeOf } from './form-node.js';
import { itemsOf, objectOf } from './members.js';
import { numberOf, ownMember, type Schema } from './schema.js';
import { Unparsed } from './unparsed.js';
import { variantOf } from './variants.js';

/** Something wrong with a value; `path` is a JSON Pointer into it. */
export interface Issue {
  path: string;
  message: string;
}

const ISSUES_MAX = 100;
const DEPTH_MAX = 40;

/**
 * What a form can say before the gateway is asked: what is missing, is not of its type, or is out of its bounds. The gateway checks
 * everything; patterns only it.
 */
export function issuesOf(raw: unknown, value: unknown, root: Schema): Issue[] {
  const issues: Issue[] = [];
  collect(raw, value, root, '', 0, issues);
  return issues;
}

function collect(raw: unknown, value: unknown, root: Schema, path: string, depth: number, issues: Issue[]): void {
  if (issues.length >= ISSUES_MAX || depth > DEPTH_MAX) return;
  const own = value instanceof Unparsed ? value.reason : undefined;
  if (own !== undefined) {
    issues.push({ path, message: own });
    return;
  }
  const node = nodeOf(raw, root, depth);
  if (node.kind === 'variants') {
    const variant = node.variants[variantOf(node.variants, value, root)];
    if (variant) collect(variant.schema, value, root, path, depth + 1, issues);
  } else if (node.kind === 'object') collectMembers(node, value, root, path, depth, issues);
  else if (node.kind === 'list')
    for (const [at, item] of itemsOf(value).entries()) collect(node.items, item, root, pointerTo(path, at), depth + 1, issues);
  const message = messageOf(node, value);
  if (message !== undefined) issues.push({ path, message });
}

type ObjectNode = FormNode & { kind: 'object' };

function collectMembers({ members }: ObjectNode, value: unknown, root: Schema, path: string, depth: number, issues: Issue[]): void {
  for (const { name, schema, is_required } of members) {
    const member = ownMember(value, name);
    if (member !== undefined) collect(schema, member, root, pointerTo(path, name), depth + 1, issues);
    else if (is_required) issues.push({ path: pointerTo(path, name), message: 'This is required.' });
  }
  const known = new Set(members.map(({ name }) => name));
  for (const [name, member] of Object.entries(objectOf(value)))
    if (!known.has(name) && member instanceof Unparsed) issues.push({ path: pointerTo(path, name), message: member.reason });
}

function messageOf({ kind, schema }: FormNode, value: unknown): string | undefined {
  if (kind === 'text' && typeof value === 'string') return outOf([...value].length, schema, 'minLength', 'maxLength', 'characters');
  if (kind === 'number' && typeof value === 'number') return outOf(value, schema, 'minimum', 'maximum', '');
  if (kind === 'list' && Array.isArray(value)) return outOf(value.length, schema, 'minItems', 'maxItems', 'items');
  return undefined;
}

function outOf(size: number, schema: Schema, least: string, most: string, unit: string): string | undefined {
  const min = numberOf(schema, least);
  const max = numberOf(schema, most);
  const end = unit === '' ? '' : ` ${unit}`;
  if (min !== undefined && size < min) return `This must be at least ${min}${end}.`;
  return max !== undefined && size > max ? `This must be at most ${max}${end}.` : undefined;
}
