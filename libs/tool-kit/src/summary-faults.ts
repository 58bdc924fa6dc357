import { type JsonSchema, parseSummary, summaryPointers, type ToolContract } from '@countersign/contracts';
import { inputAt } from './input-at.js';

/**
 * Faults in the sentence that a tool declares for approvers.
 * @param running Schema of the inputs that run: the tool's own, or that of a tenant's mapping.
 */
export function summaryFaults({ summary }: Pick<ToolContract, 'summary'>, running: JsonSchema): string[] {
  if (summary === undefined) return [];
  if (typeof summary !== 'string') return ['summary must be a text'];
  const parts = parseSummary(summary);
  if ('fault' in parts) return [`summary: ${parts.fault}`];
  const unknown = summaryPointers(parts).filter((pointer) => inputAt(running, pointer).length === 0);
  return unknown.map((pointer) => `summary: the input has no ${pointer}`);
}
