import { isReadOnly } from '@countersign/contracts';
import { findDangersInJson } from '../dangers/find-dangers.js';
import type { RulingInput } from '../ruling-input.js';
import type { Condition } from './condition.js';

/** Fields with code or commands. For a read-only tool only these are checked, because it may search for such words. */
const RUNS = /^(?:sql|statement|command|cmd|script|code|shell|program|args|argv|exec)$/i;

function runFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([field]) => RUNS.test(field)));
}

function settingOf({ policy }: RulingInput): 'require_approval' | 'deny' | 'off' {
  const force = policy?.active;
  return force && 'bundle' in force ? force.bundle.dangerous : 'require_approval';
}

/**
 * Inputs that delete, overwrite or take over need approval, or are denied if recovery is impossible. A bundle's `dangerous` overrides this.
 */
export const dangerousOperation: Condition = {
  rule: 'builtin.dangerous_operation',
  judge: (input) => {
    const { contract } = input;
    const setting = settingOf(input);
    if (setting === 'off') return undefined;
    const looked = isReadOnly(contract.effect_class) ? { pick: runFields } : { tool: contract.name };
    const inInputs = findDangersInJson(input.inputs_json, looked);
    const found = input.mapped_json ? [...inInputs, ...findDangersInJson(input.mapped_json, looked)] : inInputs;
    if (found.length === 0) return undefined;
    const deny = setting === 'deny' || found.some(({ fatal }) => fatal);
    const why = `the inputs request a dangerous operation: ${[...new Set(found.map(({ id }) => id))].join(', ')}`;
    return { tier: deny ? 'tier_3_blocked' : 'tier_2_approval_required', why };
  },
};
