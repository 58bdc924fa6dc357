import type { ChangedInputs } from './coerce-inputs.js';
import { placeAt, withValue } from './input-place.js';
import { kindOf, type RepairInputs } from './repairs.js';

/** Top-level inputs that say where a list continues. */
const CURSORS = ['cursor', 'page_cursor', 'next_cursor', 'page_token', 'next_page_token', 'continuation_token'] as const;

/** The pointers of the cursors of inputs. */
export const cursorsIn = (inputs: RepairInputs): readonly string[] =>
  CURSORS.filter((name) => Object.hasOwn(inputs, name) && inputs[name] !== null).map((name) => `/${name}`);

/** Drops the cursors, so that the list begins anew. */
export function withoutCursors({ inputs, changes }: ChangedInputs): ChangedInputs {
  let left: ChangedInputs = { inputs, changes };
  for (const pointer of cursorsIn(inputs)) {
    const place = placeAt(inputs, pointer);
    if (!place) continue;
    const change = { pointer, rule: 'cursor_dropped', from: kindOf(place.value), to: 'absent' } as const;
    const others = left.changes.filter((other) => other.pointer !== pointer);
    left = { inputs: withValue(left.inputs, place, undefined), changes: [...others, change] };
  }
  return left;
}
