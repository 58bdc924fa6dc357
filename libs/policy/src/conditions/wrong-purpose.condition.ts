import { lacking } from '@countersign/contracts';
import type { RulingInput } from '../ruling-input.js';
import type { Condition } from './condition.js';

function fault({ contract, authority, context }: RulingInput): string | undefined {
  const byTool = contract.purposes ?? [];
  const byCaller = authority?.purposes ?? null;
  if (byTool.length === 0 && byCaller === null) return undefined;
  const purpose = context.purpose;
  if (!purpose) return 'the call names no purpose (context.purpose)';
  if (byTool.length > 0 && !byTool.includes(purpose)) return `the tool is not for the purpose ${purpose}`;
  return lacking([purpose], byCaller).length > 0 ? `the caller may not act for the purpose ${purpose}` : undefined;
}

/** A tool with declared purposes, or a caller limited to some, acts only for a matching purpose that the call names. */
export const wrongPurpose: Condition = {
  rule: 'authority.purposes',
  judge: (input) => {
    const why = fault(input);
    return why === undefined ? undefined : { tier: 'tier_3_blocked', why };
  },
};
