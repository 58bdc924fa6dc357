import { type FactVersion, NO_CONTEXT, type RuleNote } from '@countersign/contracts';
import type { CompiledBundle } from './bundle/compile-bundle.js';
import type { CompiledRule } from './bundle/compiled-rule.js';
import { CelBindings, type FactTables } from './cel/bindings.js';
import { isSetUndo, type RulingInput } from './ruling-input.js';

const NOTES_MAX = 20;

/** The decision of a bundle's rules for one call. */
export interface Weighed {
  /** Matching rules, strongest and narrowest first. */
  matched: readonly CompiledRule[];
  would_have: readonly RuleNote[];
  errors: readonly RuleNote[];
  facts: readonly FactVersion[];
}

/** The agent's inputs and the mapped inputs, each parsed on first use. Without a mapping both are the same. */
export interface BothForms {
  inputs(): unknown;
  mapped(): unknown;
}

export const NOTHING: Weighed = { matched: [], would_have: [], errors: [], facts: [] };

/** The variables of conditions. */
function bindingsOf(input: RulingInput, { inputs, mapped }: BothForms, facts: FactTables): CelBindings {
  const { name, version, category, effect_class, reversibility, markings, scopes, tier, upstream } = input.contract;
  return new CelBindings({
    inputs: inputs(),
    mapped: mapped(),
    inputs_chars: input.inputs_json.length + (input.mapped_json?.length ?? 0),
    context: { ...NO_CONTEXT, ...input.context, case_id: input.case_id ?? null },
    principal: { ...input.principal, on_behalf_of: input.authority?.on_behalf_of ?? null },
    tool: {
      ...{ name, version, category, effect_class, reversibility, markings, scopes, tier: tier ?? null },
      ...{ upstream: upstream?.server ?? '', flags: upstream?.flags ?? [] },
    },
    facts,
    history: input.history ?? {},
    trust: input.trust ?? {},
    now_ms: input.now_ms,
  });
}

/** Why a rule does not match; undefined if it matches. `error`: its condition failed, so it still matches unless it would allow. */
function missedBy(rule: CompiledRule, on: CelBindings, input: RulingInput): { why: string; error?: boolean } | undefined {
  if (rule.expires_at_ms !== undefined && rule.expires_at_ms <= input.now_ms) return { why: 'it has expired' };
  const outcome = rule.condition ? rule.condition.judge(on) : true;
  if (outcome === false) return { why: 'its condition does not hold' };
  if (outcome !== true) return { why: outcome.error, error: true };
  if (rule.effect !== 'defer') return undefined;
  if (input.waited?.includes(rule.id)) return { why: 'its wait is over' };
  return rule.until_condition?.judge(on) === true ? { why: 'its until condition holds' } : undefined;
}

function factVersions(rules: readonly CompiledRule[], facts: FactTables): FactVersion[] {
  const used = new Set<string>();
  for (const { condition, until_condition } of rules)
    for (const table of [...(condition?.uses.tables ?? []), ...(until_condition?.uses.tables ?? [])]) used.add(table);
  const tables = used.has('*') ? [...facts.keys()] : [...used];
  return tables.sort().map((table) => ({ table, version: facts.get(table)?.version ?? 0 }));
}

/** True if a rule applies to calls of this kind. */
function concerns({ compensations }: CompiledRule, { compensation }: RulingInput): boolean {
  return compensations === true ? compensation != null : !isSetUndo(compensation);
}

/** Evaluates every rule about the tool. Pure. A rule whose condition fails still applies if it tightens, and never if it allows. */
export function weigh(bundle: CompiledBundle, input: RulingInput, forms: BothForms, facts: FactTables): Weighed {
  const rules = bundle.rules.about(input.contract);
  if (rules.length === 0) return NOTHING;
  const on = bindingsOf(input, forms, facts);
  const matched: CompiledRule[] = [];
  const would_have: RuleNote[] = [];
  const errors: RuleNote[] = [];
  for (const rule of rules) {
    if (!concerns(rule, input)) continue;
    const missed = missedBy(rule, on, input);
    if (missed?.error) errors.push({ rule: rule.id, why: missed.why });
    if (!missed || (missed.error && rule.effect !== 'allow')) matched.push(rule);
    else if (would_have.length < NOTES_MAX) would_have.push({ rule: rule.id, why: missed.why });
  }
  return { matched, would_have, errors: errors.slice(0, NOTES_MAX), facts: factVersions(rules, facts) };
}
