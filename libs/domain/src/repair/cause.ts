import { type CallError, isNode, type ToolContract } from '@countersign/contracts';
import { isEmptyAnswer } from './empty-answer.js';
import type { RepairInputs, RepairIssue } from './repairs.js';

/** Why a call may be repaired. `issues` are those of the refusal or of the tool; empty if it names no place. */
export type RepairCause = { kind: 'invalid'; issues: readonly RepairIssue[] } | { kind: 'empty' };

const ISSUES_MAX = 50;

function detailsOf(details_json: string | null): Readonly<Record<string, unknown>> {
  try {
    const details: unknown = JSON.parse(details_json ?? '{}');
    return isNode(details) ? details : {};
  } catch {
    return {};
  }
}

const isIssue = (value: unknown): value is RepairIssue => isNode(value) && typeof value.path === 'string';

/** The end of a call, from its envelope. */
export interface EndedRead {
  inputs: RepairInputs;
  status: string;
  output: unknown;
  error: Pick<CallError, 'code' | 'details_json'> | null;
}

/** Why an ended call may be repaired; undefined if it may not. An output that does not match its schema is not the fault of the inputs. */
export function repairCauseOf(contract: Pick<ToolContract, 'output_schema'>, ended: EndedRead): RepairCause | undefined {
  const { inputs, status, output, error } = ended;
  if (status === 'succeeded') return isEmptyAnswer(inputs, output, contract.output_schema) ? { kind: 'empty' } : undefined;
  if (status !== 'failed' || error?.code !== 'VALIDATION_ERROR') return undefined;
  const { layer, issues } = detailsOf(error.details_json);
  if (layer === 'output') return undefined;
  return { kind: 'invalid', issues: (Array.isArray(issues) ? issues : []).filter(isIssue).slice(0, ISSUES_MAX) };
}
