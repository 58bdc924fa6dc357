import type { CircuitSettings } from './settings.js';
import type { SlotCount } from './window.js';

export type CircuitState = 'closed' | 'open' | 'half_open';

/**
 * The circuit of one version of a tool in one tenant. A circuit without failures in its window has no record: it is closed. So a lost record
 * only closes a circuit.
 */
export interface Circuit {
  /** Outcomes since it opened or, while it is closed, in the window. */
  slots: readonly SlotCount[];
  /** Epoch ms of the report of the first failure that its record holds. */
  failing_since_ms: number;
  /** Openings since it was last closed; 0: it is closed. */
  openings: number;
  /** Epoch ms of the last opening, and when it becomes half-open; null: it is closed. */
  opened_at_ms: number | null;
  open_until_ms: number | null;
}

/** The state at a time. Time alone makes an open circuit half-open; nothing has to be written for that. */
export function circuitStateAt(
  circuit: Pick<Circuit, 'open_until_ms'> | undefined,
  now_ms: number,
  { forget_ms }: Pick<CircuitSettings, 'forget_ms'>,
): CircuitState {
  const until_ms = circuit?.open_until_ms ?? null;
  if (until_ms === null) return 'closed';
  if (now_ms < until_ms) return 'open';
  return now_ms < until_ms + forget_ms ? 'half_open' : 'closed';
}
