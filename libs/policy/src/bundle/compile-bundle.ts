import type { ConditionEnvironment } from '../cel/environment.js';
import { type CompiledRule, compileRule, type RuleFault } from './compiled-rule.js';
import type { PolicyBundle, Rule } from './rule.js';
import { RuleIndex } from './rule-index.js';
import { isGlob } from './selector.js';

/** A compiled bundle. */
export interface CompiledBundle {
  version: string;
  digest: string;
  dangerous: NonNullable<PolicyBundle['dangerous']>;
  rules: RuleIndex;
}

/** The facts about a tenant that a bundle is checked against. */
export interface BundleEnvironment {
  /** JSON Schemas of the inputs of a tool's versions; undefined if there is no such tool (yet). */
  inputsOf(tool: string): readonly Record<string, unknown>[] | undefined;
  fact_tables: readonly string[];
}

/** The facts for checking a rule. The schema of the inputs is included only if the rule is about one tool with one schema. */
function environmentOf(rule: Rule, known: BundleEnvironment | undefined): ConditionEnvironment {
  if (!known) return {};
  const { fact_tables } = known;
  const [name, ...others] = rule.tools.names ?? [];
  const schemas = name !== undefined && others.length === 0 && !isGlob(name) ? known.inputsOf(name) : undefined;
  return schemas?.length === 1 ? { fact_tables, inputs_schema: schemas[0] } : { fact_tables };
}

const DUPLICATE = { offset: 0, line: 1, column: 1 };

/** Compiles a bundle one rule at a time, so that callers can yield between rules. */
export class BundleCompiler {
  private readonly faults: RuleFault[] = [];
  private readonly rules: CompiledRule[] = [];
  private readonly ids = new Set<string>();
  private next = 0;

  constructor(
    private readonly bundle: PolicyBundle,
    private readonly named: { version: string; digest: string },
    private readonly known?: BundleEnvironment,
  ) {}

  /** Compiles the next rule; false after the last one. */
  step(): boolean {
    const rule = this.bundle.rules[this.next++];
    if (!rule) return false;
    if (this.ids.has(rule.id)) this.faults.push({ rule: rule.id, field: 'id', position: DUPLICATE, reason: 'another rule has this id' });
    this.ids.add(rule.id);
    const compiled = compileRule(rule, environmentOf(rule, this.known));
    if ('faults' in compiled) this.faults.push(...compiled.faults);
    else this.rules.push(compiled.rule);
    return true;
  }

  /** The compiled bundle if there are no faults; else the faults. */
  finish(): { bundle: CompiledBundle } | { faults: RuleFault[] } {
    while (this.step());
    if (this.faults.length > 0) return { faults: this.faults };
    return { bundle: { ...this.named, dangerous: this.bundle.dangerous ?? 'require_approval', rules: new RuleIndex(this.rules) } };
  }
}

/**
 * Compiles a bundle. `known`: also checks it against the tenant's tools and tables, as publishing does. Faults: each unusable rule with the
 * place and the reason.
 */
export function compileBundle(
  bundle: PolicyBundle,
  { version, digest }: { version: string; digest: string },
  known?: BundleEnvironment,
): { bundle: CompiledBundle } | { faults: RuleFault[] } {
  return new BundleCompiler(bundle, { version, digest }, known).finish();
}
