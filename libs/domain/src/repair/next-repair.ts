import { canonicalText, isReadOnly, type ToolContract } from '@countersign/contracts';
import { broadenedInputs } from './broaden.js';
import type { RepairCause } from './cause.js';
import { type ChangedInputs, coercedInputs, issuesOf, PLACES_MAX } from './coerce-inputs.js';
import { cursorsIn, withoutCursors } from './cursor.js';
import type { RepairChange, RepairCheck, RepairInputs } from './repairs.js';

/** Repairs of one step. */
export const REPAIRS_MAX = 4;

export interface RepairRequest {
  contract: Pick<ToolContract, 'effect_class' | 'input_schema'>;
  /** Those of the call that the cause is about. */
  inputs: RepairInputs;
  /** Those of the calls before it, in any order. */
  tried: readonly RepairInputs[];
  cause: RepairCause;
  /** The check of admission for this contract. */
  check: RepairCheck;
}

/**
 * The inputs to try next. `repaired`: of a read, to be called as a new call. `proposal`: of a write; repaired inputs are another effect, so
 * a person or an agent has to request it. `changes` go on the record as warnings (`repairWarning`).
 */
export interface Repair {
  kind: 'repaired' | 'proposal';
  inputs: RepairInputs;
  changes: readonly RepairChange[];
}

/** Coerced values first; then, where the cursor is at fault or nothing else is, without it. */
function mended({ contract, inputs, cause, check }: RepairRequest, named: readonly string[]): ChangedInputs[] {
  const faulty = issuesOf(check, inputs).map(({ path }) => path);
  // So many faults are no slip, and the check may have left some out.
  if (faulty.length >= PLACES_MAX) return [];
  const coerced = coercedInputs(inputs, [...faulty, ...named], contract.input_schema, check);
  const cursors = cursorsIn(inputs);
  const at_fault = faulty.length + named.length === 0 || cursors.some((cursor) => [...faulty, ...named].includes(cursor));
  return cause.kind === 'invalid' && cursors.length > 0 && at_fault ? [coerced, withoutCursors(coerced)] : [coerced];
}

function candidates(request: RepairRequest): ChangedInputs[] {
  const { cause, contract, inputs } = request;
  if (cause.kind === 'invalid')
    return mended(
      request,
      cause.issues.map(({ path }) => path),
    );
  // A write that answers nothing took effect.
  return isReadOnly(contract.effect_class) && cursorsIn(inputs).length === 0 ? broadenedInputs(inputs, contract.input_schema) : [];
}

/**
 * The next inputs of a call that was invalid or answered empty; undefined if there is nothing to repair, or after `REPAIRS_MAX` repairs.
 * Pure and deterministic: the order of members, issues and earlier inputs does not matter. The result passes the check and is unlike the
 * inputs of all earlier calls.
 */
export function nextRepair(request: RepairRequest): Repair | undefined {
  const { contract, inputs, tried, check } = request;
  if (tried.length >= REPAIRS_MAX) return undefined;
  const known = new Set([inputs, ...tried].map(canonicalText));
  const next = candidates(request).find(
    (each) => each.changes.length > 0 && !known.has(canonicalText(each.inputs)) && issuesOf(check, each.inputs).length === 0,
  );
  return next && { kind: isReadOnly(contract.effect_class) ? 'repaired' : 'proposal', inputs: next.inputs, changes: next.changes };
}
