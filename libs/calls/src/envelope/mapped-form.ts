import type { ToolCall } from '@countersign/contracts';
import { type CallState, jsonDiff } from '@countersign/domain';

/** What a mapping made of the inputs of a call, and what it changed (RFC 6902, from the agent's form); empty where none is in force. */
export function mappingJson(call: Pick<ToolCall, 'inputs_json' | 'mapped'> | null): { mapping?: Record<string, unknown> } {
  if (!call?.mapped) return {};
  const { mapping_version, inputs_digest, warnings, inputs_json } = call.mapped;
  const changes = jsonDiff(JSON.parse(call.inputs_json), JSON.parse(inputs_json));
  return { mapping: { version: mapping_version, inputs_digest, changes, warnings } };
}

/** The two parts of the envelope that a line or a request shows besides `input`. */
export function bothForms({ mapped_input, mapping }: Record<string, unknown>): Record<string, unknown> {
  return mapping === undefined ? {} : { mapped_input, mapping };
}

const named = (version: number | null): string => (version === null ? 'without a mapping' : `with version ${version} of the mapping`);

/** A repeat is answered with an effect whose inputs another mapping made: the answer says so. */
export function mappingWarning({ call, end }: Pick<CallState, 'call' | 'end'>): string | undefined {
  if (end?.kind !== 'deduplicated' || !call) return undefined;
  const ran = end.outcome.extras?.mapping_version ?? null;
  const requested = call.mapped?.mapping_version ?? null;
  return ran === requested ? undefined : `the earlier call ran ${named(ran)}; the inputs of this request (${named(requested)}) did not run`;
}
