import type { Authority, EffectClass, ToolContract } from '@countersign/contracts';
import type { BundleInForce } from '../bundle/bundle-cache.js';
import { compileBundle } from '../bundle/compile-bundle.js';
import { type CompiledRule, compileRule } from '../bundle/compiled-rule.js';
import type { PolicyBundle, Rule } from '../bundle/rule.js';
import { RuleIndex } from '../bundle/rule-index.js';
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

/** For specs: a rule about every tool by default. */
export const aRule = (id: string, effect: Rule['effect'], more: Partial<Rule> = {}): Rule => ({ id, tools: {}, effect, ...more });

export function inForce(rules: readonly Rule[], more: Partial<PolicyBundle> = {}) {
  const compiled = compileBundle({ rules, ...more }, { version: 'v1', digest: 'd1' });
  if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
  return compiled;
}

const compiled = new Map<string, CompiledRule>();

/** For specs with thousands of rulings: the same, but rules that differ only in their id are compiled once. */
export function quicklyInForce(rules: readonly Rule[]): BundleInForce {
  const all = rules.map((rule): CompiledRule => {
    const { id, overrides: _, ...alike } = rule;
    const key = JSON.stringify(alike);
    const known = compiled.get(key) ?? compiledOne({ ...alike, id: 'any' });
    compiled.set(key, known);
    return { ...known, ...rule, id };
  });
  return { bundle: { version: 'v1', digest: 'd1', dangerous: 'require_approval', rules: new RuleIndex(all) } };
}

function compiledOne(rule: Rule): CompiledRule {
  const made = compileRule(rule, {});
  if ('faults' in made) throw new Error(JSON.stringify(made.faults));
  return made.rule;
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
