import { Refusal } from '@countersign/calls';
import { canonicalText, type ToolContract } from '@countersign/contracts';
import { contractOf, type ToolTraits } from '@countersign/tool-kit';
import type { HttpToolRequest } from './http-tools.schemas.js';

/** Characters of one contract: every service has it in memory. */
export const CONTRACT_CHARS_MAX = 65_536;

/** The contract that a request declares; a refusal with its faults. Its host is the only one that the tool may reach. */
export function contractIn(request: HttpToolRequest): ToolContract | Refusal {
  const { functions, needs_evaluation: _gate, rotate_secret: _rotate, input_schema, output_schema, ...declared } = request;
  const parts = {
    input_schema,
    output_schema,
    has_reconcile: functions.includes('reconcile'),
    has_compensate: functions.includes('compensate'),
    ...(functions.includes('verify') ? { has_verify: true as const } : {}),
  };
  // An absent member is left out, so that it is not in the contract.
  const traits = { ...withoutAbsent(declared), protocol: 'http', network: [new URL(request.endpoint).host] } as unknown as ToolTraits;
  try {
    const contract = contractOf(traits, parts);
    const chars = canonicalText(contract).length;
    return chars <= CONTRACT_CHARS_MAX
      ? contract
      : refused(`the contract has ${chars} characters; at most ${CONTRACT_CHARS_MAX} are allowed`);
  } catch (cause) {
    return refused(cause instanceof Error ? cause.message : 'the contract is not valid');
  }
}

const refused = (message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path: '', code: 'contract', message }] });

const withoutAbsent = (declared: object): object => Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined));
