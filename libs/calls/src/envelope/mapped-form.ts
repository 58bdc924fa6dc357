import type { ToolCall } from '@countersign/contracts';
import { type CallState, jsonDiff } from '@countersign/domain';

/** The mapped inputs of a call and the changes (RFC 6902 patch from the agent's form); empty if no mapping is in force. */
export function mappingJson(call: Pick<ToolCall, 'inputs_json' | 'mapped'> | null): { mapping?: Record<string, unknown> } {
  if (!call?.mapped) return {};
  const { mapping_version, inputs_digest, warnings, inputs_json } = call.mapped;
  const changes = jsonDiff(JSON.parse(call.inputs_json), JSON.parse(inputs_json));
  return { mapping: { version: mapping_version, inputs_digest, changes, warnings } };
}

/** The two envelope members about the mapping that are shown beside `input`. */
export function bothForms({ mapped_input, mapping }: Record<string, unknown>): Record<string, unknown> {
  return mapping === undefined ? {} : { mapped_input, mapping };
}

const named = (version: number | null): string => (version === null ? 'without a mapping' : `with version ${version} of the mapping`);

/** The answer to a repeat notes that its inputs were mapped by another version than those of the effect. */
export function mappingWarning({ call, end }: Pick<CallState, 'call' | 'end'>): string | undefined {
  if (end?.kind !== 'deduplicated' || !call) return undefined;
  const ran = end.outcome.extras?.mapping_version ?? null;
  const requested = call.mapped?.mapping_version ?? null;
  return ran === requested ? undefined : `the earlier call ran ${named(ran)}; the inputs of this request (${named(requested)}) did not run`;
}
