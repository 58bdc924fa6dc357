import type { SeenCall } from '@countersign/calls';
import { type ConfigurationState, catalogued } from '@countersign/domain';
import { sentenceOf, unknownToolSentence } from '../sentences/sentence.js';

/** Longer inputs are not parsed for a list of up to 500 calls. */
const INPUTS_PARSED_MAX = 32_768;

/** What a call does, in one inert sentence; null if its request was not recorded. */
export function callSummary(configuration: ConfigurationState, { call, tenant_id, withheld }: SeenCall): string | null {
  if (!call) return null;
  const tool = catalogued(configuration, tenant_id, call.tool, call.version);
  if (!tool) return unknownToolSentence(call.tool).text;
  const inputs_json = call.mapped?.inputs_json ?? call.inputs_json;
  const is_read = withheld === undefined && inputs_json.length <= INPUTS_PARSED_MAX;
  return sentenceOf(tool.contract, is_read ? parsed(inputs_json) : undefined).text;
}

/** Damaged inputs count as withheld. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
