import { type CallState, packCall, recordedFacts, unpackCall } from '@countersign/domain';
import type { CallWrite } from '@countersign/store';
import { callWrite } from '../projections/call/call.projection.js';

const columns = ['tenant_id', 'case_id', 'run_id', 'tool', 'status', 'waits_approval', 'requested_at_ms', 'hlc'] as const;
const facts = ['call', ...recordedFacts, 'attempt', 'asked_inputs_json'] as const;

/** The state in a row; undefined if it cannot be read. */
export function stateIn({ state }: Pick<CallWrite, 'state'>): CallState | undefined {
  try {
    return unpackCall(state);
  } catch {
    return undefined;
  }
}

function wrongFacts(row: CallWrite, state: CallState): string[] {
  const seen = stateIn(row);
  if (!seen) return ['state'];
  const other = facts.filter((fact) => JSON.stringify(seen[fact]) !== JSON.stringify(state[fact]));
  return other.length > 0 ? other : ['state'];
}

/** An older row may be packed with another schema: then its state is packed again for the comparison. */
function isSameState(row: CallWrite, packed: Buffer): boolean {
  if (row.state.equals(packed)) return true;
  const seen = stateIn(row);
  return seen !== undefined && packCall(seen).equals(packed);
}

/** How a row differs from the state of the log; undefined if it does not. Names columns and events, but no values. */
export function wrongCall(row: CallWrite | undefined, state: CallState | undefined): string | undefined {
  if (!state) return row && `the row has status ${row.status}, but the log has no record of the call`;
  const expected = callWrite(state);
  if (!row) return `the row is missing; the log has status ${expected.status}`;
  const other: string[] = columns.filter((column) => row[column] !== expected[column]);
  if (!isSameState(row, expected.state)) other.push(...wrongFacts(row, state));
  if (other.length === 0) return undefined;
  return `the row has status ${row.status}, the log ${expected.status}; different: ${[...new Set(other)].join(', ')}`;
}
