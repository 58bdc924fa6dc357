import type { CallState } from '@countersign/domain';
import { CompiledMapping, type Mapped, type MappingDefinition, type MappingMode } from '@countersign/mapping';

/** The result of a mapping for one document. */
export interface Trial {
  call_id: string | null;
  from: unknown;
  to: unknown;
  issues: Mapped['issues'];
  warnings: string[];
}

async function tried(call_id: string | null, from: unknown, mapping: Promise<Mapped> | undefined): Promise<Trial> {
  const { value, issues, warnings } = (await mapping) ?? { value: from, issues: [], warnings: [] };
  return { call_id, from, to: issues.length > 0 ? null : value, issues, warnings };
}

/** Tries a mapping on recorded calls and on given documents. Sends nothing. */
export async function tryMapping(
  definition: MappingDefinition,
  mode: MappingMode,
  on: { calls: readonly CallState[]; inputs: readonly unknown[]; results: readonly unknown[] },
): Promise<{ inputs: Trial[]; results: Trial[]; failed: number; erased: number }> {
  const mapping = new CompiledMapping(definition, mode);
  const inputs: Trial[] = [];
  const results: Trial[] = [];
  let erased = 0;
  for (const { call_id, call } of on.calls) {
    if (!call) {
      erased++;
      continue;
    }
    const recorded = JSON.parse(call.inputs_json) as unknown;
    inputs.push(await tried(call_id, recorded, mapping.toSystem(recorded)));
  }
  for (const given of on.inputs) inputs.push(await tried(null, given, mapping.toSystem(given)));
  for (const given of on.results) results.push(await tried(null, given, mapping.toAgent(given)));
  return { inputs, results, failed: [...inputs, ...results].filter(({ issues }) => issues.length > 0).length, erased };
}
