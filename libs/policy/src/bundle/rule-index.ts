import type { CompiledRule } from './compiled-rule.js';
import { before } from './compiled-rule.js';
import { isGlob, type Selectable, selects } from './selector.js';

type Bucket = Map<string, CompiledRule[]>;

/**
 * Indexes rules by the narrowest criterion that they name, so that a call is compared only with rules that may concern its tool. The sorted
 * result is cached per contract.
 */
export class RuleIndex {
  private readonly by_name: Bucket = new Map();
  private readonly by_category: Bucket = new Map();
  private readonly by_effect_class: Bucket = new Map();
  private readonly by_marking: Bucket = new Map();
  private readonly by_upstream: Bucket = new Map();
  private readonly anywhere: CompiledRule[] = [];
  private readonly found = new WeakMap<Selectable, readonly CompiledRule[]>();

  constructor(rules: readonly CompiledRule[]) {
    for (const rule of rules) this.add(rule);
  }

  /** The rules about this tool, in the order of `before`. */
  about(tool: Selectable): readonly CompiledRule[] {
    const known = this.found.get(tool);
    if (known) return known;
    const candidates = [
      ...(this.by_name.get(tool.name) ?? []),
      ...(this.by_category.get(tool.category) ?? []),
      ...(this.by_effect_class.get(tool.effect_class) ?? []),
      ...tool.markings.flatMap((marking) => this.by_marking.get(marking) ?? []),
      ...(tool.upstream ? (this.by_upstream.get(tool.upstream.server) ?? []) : []),
      ...this.anywhere,
    ];
    const rules = [...new Set(candidates)].filter((rule) => selects(rule.tools, tool)).sort(before);
    this.found.set(tool, rules);
    return rules;
  }

  private add(rule: CompiledRule): void {
    const { names, categories, effect_classes, markings, upstream } = rule.tools;
    if (names && names.length > 0 && !names.some(isGlob)) put(this.by_name, names, rule);
    else if (upstream !== undefined) put(this.by_upstream, [upstream], rule);
    else if (markings) put(this.by_marking, markings, rule);
    else if (categories) put(this.by_category, categories, rule);
    else if (effect_classes) put(this.by_effect_class, effect_classes, rule);
    else this.anywhere.push(rule);
  }
}

function put(bucket: Bucket, keys: readonly string[], rule: CompiledRule): void {
  for (const key of keys) {
    const rules = bucket.get(key);
    if (rules) rules.push(rule);
    else bucket.set(key, [rule]);
  }
}
