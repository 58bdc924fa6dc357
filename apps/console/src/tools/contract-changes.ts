import { pointerTo } from '../elements/json-pointer.js';
import { listOf, numberOf, ownMember, type Schema, schemaOf } from '../schema-form/schema.js';
import type { ToolVersion } from './tool-version.js';

/** Members of a record that its author wrote: what two versions are compared by. */
const CONTRACT = [
  'title',
  'description',
  'category',
  'summary',
  'effect_class',
  'reversibility',
  'tier',
  'input_schema',
  'output_schema',
  'idempotency',
  'resources',
  'auth_requirements',
  'scopes',
  'markings',
  'purposes',
  'capabilities',
  'network',
  'timeout_ms',
  'settle_ms',
  'settle_is_final',
  'undo_within_ms',
  'max_output_bytes',
  'takes_key',
  'has_reconcile',
  'has_compensate',
  'has_verify',
  'sanity',
  'cache',
  'cost_per_call',
  'sla',
  'provider',
  'protocol',
  'endpoint',
] as const;

/** The contract of a version without what was measured or decided since. */
export const contractOf = (version: ToolVersion): Record<string, unknown> =>
  Object.fromEntries(CONTRACT.map((name) => [name, ownMember(version, name)]).filter(([, value]) => value !== undefined));

const EFFECT_ORDER = ['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high'];
const REVERSIBILITY_ORDER = ['reversible', 'semantic', 'side_effects', 'irreversible'];
const CHANGES_MAX = 50;

/** A change that may break callers, or that lets a tool do more. */
export interface BreakingChange {
  pointer: string;
  what: string;
}

/** Changes from one version to a later one that callers, or those who decide about it, must know. */
export function breakingChanges(before: ToolVersion, after: ToolVersion): BreakingChange[] {
  return [
    ...inputChanges(schemaOf(before.input_schema), schemaOf(after.input_schema), '/input_schema', 0),
    ...outputChanges(schemaOf(before.output_schema), schemaOf(after.output_schema), '/output_schema', 0),
    ...effectChanges(before, after),
  ].slice(0, CHANGES_MAX);
}

function effectChanges(before: ToolVersion, after: ToolVersion): BreakingChange[] {
  const found: BreakingChange[] = [];
  if (EFFECT_ORDER.indexOf(after.effect_class) > EFFECT_ORDER.indexOf(before.effect_class))
    found.push({ pointer: '/effect_class', what: 'it does more than before' });
  if (REVERSIBILITY_ORDER.indexOf(after.reversibility) > REVERSIBILITY_ORDER.indexOf(before.reversibility))
    found.push({ pointer: '/reversibility', what: 'it is harder to undo' });
  if (before.has_compensate && !after.has_compensate) found.push({ pointer: '/has_compensate', what: 'it can no longer be undone' });
  if (JSON.stringify(before.idempotency) !== JSON.stringify(after.idempotency))
    found.push({ pointer: '/idempotency', what: 'other inputs tell calls apart: the same inputs may run again' });
  for (const name of ['auth_requirements', 'scopes', 'markings', 'network'] as const)
    for (const one of (after[name] ?? []).filter((text) => !(before[name] ?? []).includes(text)).slice(0, CHANGES_MAX))
      found.push({ pointer: `/${name}`, what: `it newly needs ${one}` });
  return found;
}

const DEPTH_MAX = 8;

/** Inputs that were accepted and no longer are. */
function inputChanges(before: Schema, after: Schema, pointer: string, depth: number): BreakingChange[] {
  if (before === after || depth > DEPTH_MAX) return [];
  const found = [...typeChange(before, after, pointer), ...narrower(before, after, pointer)];
  const old = schemaOf(before.properties);
  const next = schemaOf(after.properties);
  for (const name of listOf(after, 'required') ?? [])
    if (typeof name === 'string' && !(listOf(before, 'required') ?? []).includes(name))
      found.push({ pointer: pointerTo(`${pointer}/properties`, name), what: 'it is required now' });
  for (const [name, schema] of Object.entries(old)) {
    const place = pointerTo(`${pointer}/properties`, name);
    if (found.length > CHANGES_MAX) break;
    if (!Object.hasOwn(next, name)) found.push({ pointer: place, what: 'it is no longer accepted' });
    else found.push(...inputChanges(schemaOf(schema), schemaOf(ownMember(next, name)), place, depth + 1));
  }
  if (Object.hasOwn(before, 'items'))
    found.push(...inputChanges(schemaOf(before.items), schemaOf(after.items), `${pointer}/items`, depth + 1));
  if (before.additionalProperties !== false && after.additionalProperties === false)
    found.push({ pointer: `${pointer}/additionalProperties`, what: 'further fields are no longer accepted' });
  return found;
}

/** What callers may rely on in outputs and no longer can. */
function outputChanges(before: Schema, after: Schema, pointer: string, depth: number): BreakingChange[] {
  if (before === after || depth > DEPTH_MAX) return [];
  const found = typeChange(before, after, pointer);
  const next = schemaOf(after.properties);
  for (const [name, schema] of Object.entries(schemaOf(before.properties))) {
    const place = pointerTo(`${pointer}/properties`, name);
    const was_sure = (listOf(before, 'required') ?? []).includes(name);
    if (found.length > CHANGES_MAX) break;
    if (!Object.hasOwn(next, name)) found.push({ pointer: place, what: 'it is no longer returned' });
    else if (was_sure && !(listOf(after, 'required') ?? []).includes(name)) found.push({ pointer: place, what: 'it may be absent now' });
    if (Object.hasOwn(next, name)) found.push(...outputChanges(schemaOf(schema), schemaOf(ownMember(next, name)), place, depth + 1));
  }
  const added = (listOf(after, 'enum') ?? []).filter((value) => !(listOf(before, 'enum') ?? []).includes(value));
  if (listOf(before, 'enum') && added.length > 0) found.push({ pointer, what: `it may be ${textOf(added[0])} now` });
  return found;
}

function typeChange(before: Schema, after: Schema, pointer: string): BreakingChange[] {
  if (before.type === undefined || JSON.stringify(before.type) === JSON.stringify(after.type)) return [];
  return [{ pointer, what: `its type was ${textOf(before.type)} and is ${textOf(after.type ?? 'anything')}` }];
}

const LOWER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const HIGHER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

function narrower(before: Schema, after: Schema, pointer: string): BreakingChange[] {
  const found: BreakingChange[] = [];
  const gone = (listOf(before, 'enum') ?? []).filter((value) => !(listOf(after, 'enum') ?? [value]).includes(value));
  if (gone.length > 0) found.push({ pointer, what: `it no longer accepts ${textOf(gone[0])}` });
  for (const name of LOWER)
    if ((numberOf(after, name) ?? Number.POSITIVE_INFINITY) < (numberOf(before, name) ?? Number.POSITIVE_INFINITY))
      found.push({ pointer, what: `${name} is ${numberOf(after, name)} now` });
  for (const name of HIGHER)
    if ((numberOf(after, name) ?? Number.NEGATIVE_INFINITY) > (numberOf(before, name) ?? Number.NEGATIVE_INFINITY))
      found.push({ pointer, what: `${name} is ${numberOf(after, name)} now` });
  if (after.pattern !== undefined && after.pattern !== before.pattern) found.push({ pointer, what: 'it must match another pattern' });
  return found;
}

const textOf = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80);
