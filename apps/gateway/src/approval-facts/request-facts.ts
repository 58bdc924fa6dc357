import type { CallState } from '@countersign/domain';
import type { ApprovalRow } from '@countersign/store';

/** A JSON value, or undefined if it is none or the reader may not see it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** The inputs of a request in both forms. `running`: those that the tool gets. Undefined: the reader may not see them. */
export interface BothInputs {
  asked: unknown;
  running: unknown;
  mapping_version: number | null;
  is_mapped: boolean;
}

/** The inputs that a request is about: the edited ones if an approver edited them, and the mapped form where a mapping is in force. */
export function inputsOf(row: Pick<ApprovalRow, 'requirement'>, state: CallState, withheld: boolean): BothInputs | undefined {
  const { inputs_json, mapped: editedMapped } = row.requirement;
  if (withheld || !state.call) return undefined;
  const mapped = inputs_json === null ? state.call.mapped : (editedMapped ?? null);
  const asked = parsed(inputs_json ?? state.call.inputs_json);
  return {
    asked,
    running: mapped ? parsed(mapped.inputs_json) : asked,
    mapping_version: mapped?.mapping_version ?? null,
    is_mapped: mapped !== null && mapped !== undefined,
  };
}
