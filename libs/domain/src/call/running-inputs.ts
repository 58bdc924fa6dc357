import type { ToolCall } from '@countersign/contracts';

/** The inputs that a call runs with, canonical JSON: mapped by the tenant's mapping, else the agent's own. */
export function runningInputs({ inputs_json, mapped }: Pick<ToolCall, 'inputs_json' | 'mapped'>): string {
  return mapped?.inputs_json ?? inputs_json;
}
