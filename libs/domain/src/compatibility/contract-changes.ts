import type { JsonSchema, ResourceTemplate, ToolContract } from '@countersign/contracts';
import type { Semver } from '../versions/semver.js';
import { SchemaContainment, type SchemaDifference } from './schema-containment.js';
import { constraintText, firstDifference } from './schema-node.js';

/** One way in which a version breaks the promise of its number. */
export interface BreakingDifference {
  /** JSON Pointer into the newer contract. */
  pointer: string;
  /** The change that the version number allows: the `same` schemas, or schemas that are only `wider`. */
  allowed: 'same' | 'wider';
  message: string;
}

export type Step = 'major' | 'minor' | 'patch';

/**
 * The kind of step between two versions. Callers that pin `^` get the next version automatically, so below 1.0.0 the second number counts
 * as the major and the third as the minor, as `^` defines it.
 */
export function stepBetween(older: Semver, newer: Semver): Step {
  if (older.major !== newer.major) return 'major';
  if (newer.major > 0) return older.minor !== newer.minor ? 'minor' : 'patch';
  if (older.minor !== newer.minor || newer.minor === 0) return 'major';
  return 'minor';
}

/** Further differences are not listed: a version with so many is in fact another tool. */
const DIFFERENCES_MAX = 50;

const SIDES = [
  { field: 'input_schema', side: 'input' },
  { field: 'output_schema', side: 'output' },
] as const;

function under(field: string, allowed: BreakingDifference['allowed'], found: readonly SchemaDifference[]): BreakingDifference[] {
  return found.map(({ pointer, message }) => ({ pointer: `/${field}${pointer}`, allowed, message }));
}

/** Inputs: every input that was valid stays valid. Outputs: every output still fits the older schema; new fields are allowed. */
function widened(side: 'input' | 'output', older: JsonSchema, newer: JsonSchema): SchemaDifference[] {
  return side === 'input'
    ? new SchemaContainment({ newer: 'outer', tolerant: false }).differences(older, newer)
    : new SchemaContainment({ newer: 'inner', tolerant: true }).differences(newer, older);
}

function identity({ idempotency, effect_class }: ToolContract): Record<string, unknown> {
  const { discriminating, except } = idempotency ?? {};
  const sorted = (names: string[] | undefined) => names?.toSorted() ?? null;
  return { effect_class, discriminating: sorted(discriminating), except: sorted(except) };
}

/**
 * The effect class and the fields that identify an effect may change only with a major version: otherwise the callers' keys would change
 * their meaning.
 */
function identityChanges(older: ToolContract, newer: ToolContract): BreakingDifference[] {
  const before = identity(older);
  const after = identity(newer);
  return Object.keys(after)
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({
      pointer: field === 'effect_class' ? '/effect_class' : `/idempotency/${field}`,
      allowed: 'same',
      message: `${JSON.stringify(before[field])} became ${JSON.stringify(after[field])}: that needs a new major version`,
    }));
}

const nameOf = ({ name }: ResourceTemplate): string => name;

/** True if an answer of the older version ends at least as early under the newer one: `replaces` is stricter than `adds`. */
function asStrict(older: ResourceTemplate['effect'], newer: ResourceTemplate['effect']): boolean {
  return newer === 'replaces' || older === 'adds' || constraintText({ effect: older }) === constraintText({ effect: newer });
}

/**
 * A minor version may name more resources, and may change `adds` to `replaces`. Resources that the older version named must keep their name
 * and end answers at least as early: keys outlive a minor version, and the effect of one version ends the answers of the other by these
 * names only.
 */
function resourceChanges(older: ToolContract, newer: ToolContract, step: Step): BreakingDifference[] {
  const [before, after] = [older.resources ?? [], newer.resources ?? []];
  const sorted = (templates: readonly ResourceTemplate[]) => templates.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  if (constraintText({ at: sorted(before) }) === constraintText({ at: sorted(after) })) return [];
  if (step === 'patch') return [{ pointer: '/resources', allowed: 'same', message: 'a patch may not change what the write acts on' }];
  return before.flatMap((template): BreakingDifference[] => {
    const now = after.find(({ name }) => name === template.name);
    const lost = `${template.name} was removed: that needs a new major version`;
    if (!now) return [{ pointer: '/resources', allowed: 'wider', message: lost }];
    if (asStrict(template.effect, now.effect)) return [];
    const laxer = `${template.name} was stricter: an effect other than replaces needs a new major version`;
    return [{ pointer: `/resources/${after.indexOf(now)}/effect`, allowed: 'wider', message: laxer }];
  });
}

/** The differences by which a newer contract breaks the promise of its version number to callers of the older one; empty if it keeps it. */
export function breakingDifferences(older: ToolContract, newer: ToolContract, step: Step): BreakingDifference[] {
  if (step === 'major') return [];
  const found = SIDES.flatMap(({ field, side }): BreakingDifference[] => {
    if (constraintText(older[field]) === constraintText(newer[field])) return [];
    if (step === 'minor') return under(field, 'wider', widened(side, older[field] ?? {}, newer[field] ?? {}));
    const pointer = `/${field}${firstDifference(older[field], newer[field])}`;
    return [{ pointer, allowed: 'same', message: 'a patch may not change the schemas' }];
  });
  return [...identityChanges(older, newer), ...resourceChanges(older, newer, step), ...found].slice(0, DIFFERENCES_MAX);
}
