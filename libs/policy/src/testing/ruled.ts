import type { Authority, EffectClass, ToolContract } from '@countersign/contracts';
import { compileBundle } from '../bundle/compile-bundle.js';
import type { PolicyBundle, Rule } from '../bundle/rule.js';
import type { FactTables } from '../cel/bindings.js';
import { type ResolvedRuling, resolveRuling } from '../resolve.js';
import type { RulingInput } from '../ruling-input.js';

/** For specs: a contract with the given parts. */
export function aContract(effect_class: EffectClass, more: Partial<ToolContract> = {}): ToolContract {
  return {
    name: 'create_purchase_order',
    version: '1.0.0',
    category: 'purchasing',
    effect_class,
    reversibility: 'reversible',
    markings: ['finance'],
    scopes: [],
    ...more,
  } as ToolContract;
}

const CLEARED: Authority = {
  agent_token_ref: 'key:k',
  scopes: null,
  clearances: ['finance'],
  purposes: null,
  on_behalf_of: null,
  delegated_user_token_ref: null,
  delegation_id: null,
  sources: [],
  markings: [],
};

export const SUPPLIERS: FactTables = new Map([['preapproved_suppliers', { version: 3, rows: new Map([['sup_alpha', true]]) }]]);

/** For specs: a rule about every tool, unless said otherwise. */
export const aRule = (id: string, effect: Rule['effect'], more: Partial<Rule> = {}): Rule => ({ id, tools: {}, effect, ...more });

export function inForce(rules: readonly Rule[], more: Partial<PolicyBundle> = {}) {
  const compiled = compileBundle({ rules, ...more }, { version: 'v1', digest: 'd1' });
  if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
  return compiled;
}

/** For specs: the ruling of some rules on a purchase order of 4,200 from a pre-approved supplier. */
export function ruledBy(
  rules: readonly Rule[],
  more: Partial<RulingInput> = {},
  inputs: unknown = { total: 4200, supplier: 'sup_alpha' },
): ResolvedRuling {
  return resolveRuling({
    contract: aContract('commit_high'),
    lifecycle: 'active',
    context: { safety_mode: null },
    principal: { kind: 'agent', id: 'buyer', roles: ['agent'] },
    authority: CLEARED,
    inputs_json: JSON.stringify(inputs),
    policy: { active: inForce(rules), facts: SUPPLIERS },
    now_ms: 1_000,
    ...more,
  });
}
