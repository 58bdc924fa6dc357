import type { Circuit, SlotCount } from '@countersign/domain';
import type { CircuitChange, CircuitRow } from '@countersign/store';

/** The circuit in a row. */
export function circuitOf({ slots, failing_since_ms, openings, opened_at_ms, open_until_ms }: CircuitRow): Circuit {
  return { slots: JSON.parse(slots) as SlotCount[], failing_since_ms, openings, opened_at_ms, open_until_ms };
}

/** The content of the row of a circuit. */
export const circuitRowOf = ({ slots, ...rest }: Circuit): NonNullable<CircuitChange['after']> => ({
  slots: JSON.stringify(slots),
  ...rest,
});
