import { defaultTier, effectRules, isReadOnly, type JsonSchema, schemaFaults, strictness, type ToolContract } from '@countersign/contracts';
import { notAToolFaults } from './not-a-tool.js';
import { patternFaults } from './pattern-rules.js';
import { recordFaults } from './record-faults.js';
import { resourceFaults } from './resource-faults.js';
import { summaryFaults } from './summary-faults.js';
import type { ToolTraits } from './tool.js';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const PART = '(0|[1-9]\\d{0,14})';
const PRERELEASE = '(0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
/** Semver as the registry parses it, with numbers that JavaScript represents exactly. */
const SEMVER = new RegExp(`^${PART}\\.${PART}\\.${PART}(-${PRERELEASE}(\\.${PRERELEASE})*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$`);
const TIME_WORDS = new Set(['at', 'time', 'timestamp', 'date', 'datetime', 'when', 'now', 'ts', 'on']);
const DESCRIPTION_MIN = 20;
const TIMEOUT_MS_MAX = 3_600_000;
const OUTPUT_BYTES_LIMIT = 16 * 1024 * 1024;

/**
 * The faults of a contract, one sentence each; empty if the tool may load.
 * @param running Schema of the inputs that run, if a mapping precedes the tool.
 */
export function contractFaults(contract: ToolContract, traits: ToolTraits, running: JsonSchema = contract.input_schema): string[] {
  const unusable = unusableParts(contract);
  if (unusable.length > 0) return unusable;
  return [
    ...nameFaults(contract),
    ...shapeFaults(contract),
    ...effectFaults(contract, traits),
    ...limitFaults(contract),
    ...recordFaults(contract),
    ...resourceFaults(contract, running),
    ...summaryFaults(contract, running),
    ...notAToolFaults(contract),
    ...patternFaults(contract),
  ];
}

/** Faults that prevent all other checks: hazardous schemas, and an unknown effect class. */
function unusableParts({ input_schema, output_schema, effect_class }: ToolContract): string[] {
  return [
    ...schemaFaults(input_schema).map((fault) => `input: ${fault}`),
    ...schemaFaults(output_schema).map((fault) => `output: ${fault}`),
    ...(effect_class in effectRules ? [] : [`effect_class is missing; allowed: ${Object.keys(effectRules).join(', ')}`]),
  ];
}

function nameFaults(contract: ToolContract): string[] {
  const faults: string[] = [];
  if (!NAME.test(contract.name)) faults.push(`name must match ${NAME.source}`);
  if (!SEMVER.test(contract.version)) faults.push(`version ${JSON.stringify(contract.version)} is not semver`);
  if (contract.title.trim() === '') faults.push('title is empty');
  if (contract.category.trim() === '') faults.push('category is empty');
  if (contract.description.trim().length < DESCRIPTION_MIN) faults.push(`description is shorter than ${DESCRIPTION_MIN} characters`);
  return faults;
}

function shapeFaults({ input_schema, output_schema }: ToolContract): string[] {
  const faults: string[] = [];
  if (input_schema.type !== 'object') faults.push('input must be an object');
  else if (input_schema.additionalProperties === undefined) faults.push('input must set additionalProperties');
  if (Object.keys(output_schema).length === 0) faults.push('output has no type');
  return faults;
}

function effectFaults(contract: ToolContract, traits: ToolTraits): string[] {
  const faults: string[] = [];
  if (isReadOnly(contract.effect_class)) {
    if (contract.has_reconcile) faults.push('a read-only tool has nothing to reconcile');
    if (contract.has_compensate) faults.push('a read-only tool has nothing to compensate');
    if (contract.takes_key) faults.push('a read-only tool takes no key');
  } else {
    faults.push(...keyFaults(contract));
  }
  const { undo_within_ms } = contract;
  if (undo_within_ms !== undefined && !(contract.has_compensate && Number.isSafeInteger(undo_within_ms) && undo_within_ms > 0))
    faults.push('undo_within_ms is a whole number of milliseconds above 0, of a tool that has `compensate`');
  if (traits.tier !== undefined) {
    if (traits.tier === 'tier_3_blocked') faults.push('only policy may set tier_3_blocked');
    else if (strictness(traits.tier) < strictness(effectRules[contract.effect_class].tier)) {
      faults.push(
        `tier ${traits.tier} is laxer than the default of ${contract.effect_class} (${defaultTier({ effect_class: contract.effect_class })})`,
      );
    }
  }
  return faults;
}

/** The inputs that identify the effect of a write must exist, and be more than a time. */
function keyFaults(contract: ToolContract): string[] {
  const properties = propertiesOf(contract.input_schema);
  const { discriminating, except } = contract.idempotency;
  if ((discriminating === undefined) === (except === undefined)) return ['a write must declare either discriminating or except'];
  const named = discriminating ?? except ?? [];
  const unknown = named.filter((field) => !Object.hasOwn(properties, field));
  if (unknown.length > 0) return [`idempotency names fields that the input does not have: ${unknown.join(', ')}`];
  const kept = discriminating ?? Object.keys(properties).filter((field) => !named.includes(field));
  if (kept.length === 0) return ['no input discriminates: all calls would be one effect'];
  const times = kept.filter((field) => isTimeLike(field, properties[field]));
  if (except !== undefined && times.length > 0 && times.length < kept.length) {
    return [
      `a time field would make a retry a different effect (${times.join(', ')}): list it in except, or name the discriminating fields`,
    ];
  }
  if (kept.every((field) => isTimeLike(field, properties[field]))) {
    return [`only a time field discriminates (${kept.join(', ')}): every retry would be a different effect`];
  }
  return [];
}

function limitFaults(contract: ToolContract): string[] {
  const faults: string[] = [];
  const positive = (name: 'timeout_ms' | 'settle_ms' | 'max_output_bytes', max: number) => {
    const value = contract[name];
    if (!Number.isInteger(value) || value < 1 || value > max) faults.push(`${name} must be a whole number from 1 to ${max}`);
  };
  positive('timeout_ms', TIMEOUT_MS_MAX);
  positive('settle_ms', 24 * TIMEOUT_MS_MAX);
  positive('max_output_bytes', OUTPUT_BYTES_LIMIT);
  const window_ms = contract.idempotency.window_ms;
  if (window_ms !== undefined && (!Number.isInteger(window_ms) || window_ms < 1)) faults.push('window_ms must be a positive whole number');
  return faults;
}

function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  const properties = schema.properties;
  return properties !== null && typeof properties === 'object' ? (properties as Record<string, unknown>) : {};
}

function isTimeLike(field: string, schema: unknown): boolean {
  const format = (schema as { format?: unknown } | null)?.format;
  if (format === 'date-time' || format === 'date' || format === 'time') return true;
  const words = field.split(/[_-]|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return TIME_WORDS.has(words.at(-1) ?? '') || words.includes('timestamp');
}
