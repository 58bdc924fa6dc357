import { isNode, type JsonSchema, memberPointer } from '@countersign/contracts';
import type { ChangedInputs } from './coerce-inputs.js';
import { placeAt, withValue } from './input-place.js';
import { kindOf, type RepairInputs } from './repairs.js';

/**
 * Marks a top-level input that may be broadened when the answer is empty: `"x-broaden": 1` drops it, `{"order": 2, "to": "any"}` sets it to
 * that value. Lower orders come first. Without the mark an input is never broadened: only the author knows what a filter protects.
 */
export const BROADEN_MARK = 'x-broaden';

/** Further marks are not looked at. */
const FILTERS_MAX = 50;

interface Filter {
  name: string;
  order: number;
  /** Undefined: it is dropped. */
  to: unknown;
}

function filterOf(name: string, property: unknown): Filter | undefined {
  const mark = isNode(property) ? property[BROADEN_MARK] : undefined;
  const { order, to } = isNode(mark) ? mark : { order: mark, to: undefined };
  return typeof order === 'number' && Number.isFinite(order) ? { name, order, to } : undefined;
}

/** The marked inputs in their declared order; inputs of the same order by name. */
function filtersOf({ properties }: JsonSchema): Filter[] {
  const filters = isNode(properties) ? Object.entries(properties).flatMap(([name, property]) => filterOf(name, property) ?? []) : [];
  return filters.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1)).slice(0, FILTERS_MAX);
}

/** The inputs with one filter broadened each, in the order in which they are tried. */
export function broadenedInputs(inputs: RepairInputs, schema: JsonSchema): ChangedInputs[] {
  return filtersOf(schema).flatMap(({ name, to }) => {
    const place = placeAt(inputs, memberPointer('', name));
    if (!place) return [];
    const rule = to === undefined ? 'filter_dropped' : 'filter_widened';
    const change = { pointer: place.pointer, rule, from: kindOf(place.value), to: kindOf(to) } as const;
    return [{ inputs: withValue(inputs, place, to), changes: [change] }];
  });
}
