import { type EffectClass, isNode, type JsonSchema, type ToolContract, type ToolPattern } from '@countersign/contracts';

/** Requirements of a contract with a pattern, whoever wrote it: the templates in `patterns/` satisfy them. */
interface PatternRule {
  effect_class: EffectClass;
  /** Required fields of the input and of the output. */
  input: readonly string[];
  output: readonly string[];
  more?(contract: ToolContract): string[];
}

const DEFAULT_BANDS = new Set('other others unknown default misc miscellaneous none rest unclassified'.split(' '));

const patternRules: Readonly<Record<ToolPattern, PatternRule>> = {
  extraction: { effect_class: 'pure', input: ['source'], output: ['value', 'evidence', 'confidence', 'exceptions', 'lineage'] },
  lookup: {
    effect_class: 'read_external',
    input: ['identifier'],
    output: ['record', 'source_version'],
    more: ({ input_schema, scopes, purposes = [] }) => [
      ...(propertyOf(input_schema, 'as_of') ? [] : ['a lookup requires the input as_of']),
      ...(scopes.length > 0 && purposes.length > 0 ? [] : ['a lookup must declare scopes and purposes']),
    ],
  },
  validation: {
    effect_class: 'pure',
    input: ['candidate', 'rule_pack'],
    output: ['verdict', 'trace', 'rule_pack'],
    more: ({ output_schema }) => {
      const verdicts = JSON.stringify(propertyOf(output_schema, 'verdict')?.enum ?? null);
      return verdicts === '["pass","warn","block"]' ? [] : ['verdict must be pass, warn or block'];
    },
  },
  classification: {
    effect_class: 'pure',
    input: ['subject'],
    output: ['band', 'confidence', 'rationale', 'evidence'],
    more: ({ output_schema }) => {
      const bands = propertyOf(output_schema, 'band')?.enum;
      if (!Array.isArray(bands) || bands.length < 2) return ['a classification lists at least two bands'];
      return bands
        .filter((band) => DEFAULT_BANDS.has(String(band).toLowerCase()))
        .map((band) => `the band ${JSON.stringify(band)} is a catch-all; report what fits no band as an exception`);
    },
  },
  composition: {
    effect_class: 'pure',
    input: ['parts', 'template'],
    output: ['state', 'draft'],
    more: ({ output_schema }) =>
      propertyOf(output_schema, 'state')?.const === 'draft' ? [] : ['the state of a composed document must be draft'],
  },
  action_staging: {
    effect_class: 'stage',
    input: ['kind', 'target_system', 'payload'],
    output: ['action_id', 'state', 'idempotency_key', 'authoring_call_id'],
    more: (contract) => [
      ...(propertyOf(contract.output_schema, 'state')?.const === 'staged' ? [] : ['the state of a staged action must be staged']),
      ...keyed(contract),
    ],
  },
  approval_request: {
    effect_class: 'commit_low',
    input: ['subject', 'queue', 'rationale'],
    output: ['task_id', 'state', 'queue', 'due_at'],
    more: (contract) => keyed(contract),
  },
  aggregation: { effect_class: 'read_internal', input: ['query', 'window', 'operation'], output: ['metric', 'markings', 'snapshot_id'] },
  conversion: { effect_class: 'pure', input: ['value', 'from', 'to', 'source'], output: ['value', 'exact', 'source'] },
  search: { effect_class: 'read_internal', input: ['query', 'corpus'], output: ['spans', 'retrieval_snapshot_id', 'markings'] },
};

/** The requirements of its pattern that a contract violates; empty for a contract without a pattern. */
export function patternFaults(contract: ToolContract): string[] {
  const { pattern, effect_class, input_schema, output_schema } = contract;
  const rule = pattern && patternRules[pattern];
  if (!rule) return [];
  const lacking = (schema: JsonSchema, fields: readonly string[]) => fields.filter((field) => !isRequired(schema, field));
  const missing = [
    ...lacking(input_schema, rule.input).map((field) => `input ${field}`),
    ...lacking(output_schema, rule.output).map((field) => `output ${field}`),
  ];
  return [
    ...(effect_class === rule.effect_class ? [] : [`the pattern ${pattern} requires ${rule.effect_class}, not ${effect_class}`]),
    ...(missing.length > 0 ? [`the pattern ${pattern} requires ${missing.join(', ')}`] : []),
    ...(rule.more?.(contract) ?? []),
  ];
}

function keyed({ takes_key, has_reconcile }: ToolContract): string[] {
  return takes_key && has_reconcile ? [] : ['the same key must return the existing record: the tool needs takes_key and reconcile'];
}

function propertyOf(schema: JsonSchema, name: string): Record<string, unknown> | undefined {
  const part = isNode(schema.properties) ? schema.properties[name] : undefined;
  return isNode(part) ? part : undefined;
}

function isRequired(schema: JsonSchema, name: string): boolean {
  return isNode(schema.properties) && name in schema.properties && Array.isArray(schema.required) && schema.required.includes(name);
}
