import type { ConfigurationState } from '@countersign/domain';
import { inertText } from '../sentences/inert-text.js';

const WORDS_CHARS_MAX = 500;

/** Rules of the platform itself, in words. */
const BUILT_IN: Readonly<Record<string, string>> = {
  'builtin.dangerous_operation': 'The inputs contain an operation that is known to be dangerous',
  'context.safety_mode.ask_all': 'The run asks a person about every write',
  'default.contract_tier': 'The contract of the tool requires approval',
};

interface WithRules {
  rules?: readonly { id: string; description?: string }[];
}

function described(bundle_json: string | undefined, rule: string): string | undefined {
  if (bundle_json === undefined) return undefined;
  return (JSON.parse(bundle_json) as WithRules).rules?.find(({ id }) => id === rule)?.description;
}

/** Why approval is required: the description that the policy gives its rule, or what the rule is if it gives none. */
export function ruleWords(
  state: ConfigurationState,
  tenant_id: string,
  { rule, bundle_version }: { rule: string | null; bundle_version: string | null },
): { text: string; described: boolean } {
  if (rule === null) return { text: 'Policy requires approval', described: false };
  const bundle = bundle_version === null ? undefined : state.by_tenant.get(tenant_id)?.bundles.versions.get(bundle_version);
  const words = described(bundle?.bundle_json, rule);
  if (words !== undefined && words.trim() !== '') return { text: inertText(words, WORDS_CHARS_MAX).text, described: true };
  return { text: BUILT_IN[rule] ?? plainWords(rule), described: false };
}

function plainWords(rule: string): string {
  const named = inertText(rule, 120).text;
  if (rule.startsWith('tool.')) return `The policy of the tool ${named.slice('tool.'.length)} requires approval`;
  if (rule.startsWith('default.')) return `Calls of the effect class ${named.slice('default.'.length)} require approval`;
  return `Rule ${named} requires approval; it has no description`;
}
