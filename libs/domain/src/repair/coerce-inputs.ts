import { canonicalText, type JsonSchema } from '@countersign/contracts';
import { type Coercion, coercionsOf } from './coercions.js';
import { type InputPlace, placeAt, withValue } from './input-place.js';
import { kindOf, type RepairChange, type RepairCheck, type RepairInputs } from './repairs.js';
import { schemaPlace } from './schema-place.js';

/** Inputs with as many faults are not repaired. */
export const PLACES_MAX = 50;
const TRIED_AT_ONE_PLACE_MAX = 8;

/** Inputs with what was changed in them. */
export interface ChangedInputs {
  inputs: RepairInputs;
  changes: readonly RepairChange[];
}

/** A check gets its own copy: it may fill in defaults. */
export const issuesOf = (check: RepairCheck, inputs: RepairInputs) => check(structuredClone(inputs) as Record<string, unknown>);

/** Different values only, the first rule for each. */
function distinct(coercions: readonly Coercion[]): Coercion[] {
  const byText = new Map<string, Coercion>();
  for (const coercion of coercions) {
    const text = canonicalText(coercion.value);
    if (!byText.has(text)) byText.set(text, coercion);
  }
  return [...byText.values()].slice(0, TRIED_AT_ONE_PLACE_MAX);
}

/** The only value that mends a place; undefined if there is none, or several. */
function mendedAt(inputs: RepairInputs, place: InputPlace, schema: JsonSchema, check: RepairCheck): Coercion | undefined {
  const { schemas, is_required } = schemaPlace(schema, place.parts);
  const mends = (value: unknown) =>
    !issuesOf(check, withValue(inputs, place, value)).some(({ path }) => path === place.pointer || path.startsWith(`${place.pointer}/`));
  if (place.value === null) {
    const is_member = !/^\d+$/.test(place.parts.at(-1) as string);
    return is_member && !is_required && mends(undefined) ? { rule: 'null_dropped', value: undefined } : undefined;
  }
  const mending = distinct(schemas.flatMap((each) => coercionsOf(place.value, each))).filter(({ value }) => mends(value));
  return mending.length === 1 ? mending[0] : undefined;
}

/** Mends each of these places by itself; one that cannot be mended stays. */
export function coercedInputs(inputs: RepairInputs, paths: Iterable<string>, schema: JsonSchema, check: RepairCheck): ChangedInputs {
  let mended = inputs;
  const changes: RepairChange[] = [];
  for (const path of [...new Set(paths)].sort().slice(0, PLACES_MAX)) {
    const is_replaced = changes.some(({ pointer }) => path.startsWith(`${pointer}/`));
    const place = is_replaced ? undefined : placeAt(inputs, path);
    const found = place && mendedAt(inputs, place, schema, check);
    if (!place || !found) continue;
    mended = withValue(mended, place, found.value);
    changes.push({ pointer: place.pointer, rule: found.rule, from: kindOf(place.value), to: kindOf(found.value) });
  }
  return { inputs: mended, changes };
}
