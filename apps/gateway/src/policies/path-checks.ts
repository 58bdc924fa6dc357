import { memberPointer, type ToolContract } from '@countersign/contracts';
import { type CompiledBundle, type Rule, selects } from '@countersign/policy';
import type { KnownTenant, RuleFinding } from './bundle-checks.js';
import { canReach } from './schema-paths.js';

type Form = 'inputs' | 'mapped';
type About = Pick<KnownTenant, 'contracts' | 'mapped_to'>;
type Conditions = Pick<CompiledBundle['rules'], 'about'>;

const SHOWN_MAX = 5;

/** True if one of the two JSON Pointers is a prefix of the other; `*` matches any part. */
function isOnTheWay(one: string, other: string): boolean {
  const [left, right] = [one.split('/'), other.split('/')];
  const shared = Math.min(left.length, right.length);
  return left.slice(0, shared).every((part, n) => part === right[n] || part === '*' || right[n] === '*');
}

/** True if the inputs of a tool can have a value at this path. The mapped form also has the values that a mapping adds. */
function hasInput({ mapped_to }: About, contract: ToolContract, form: Form, path: string): boolean {
  if (canReach(contract.input_schema, path)) return true;
  return form === 'mapped' && (mapped_to.get(contract.name) ?? []).some((to) => isOnTheWay(to, path));
}

function neverInput(form: Form, path: string, contracts: readonly ToolContract[]): string {
  if (form === 'mapped')
    return `no tool of this rule has ${path} in its mapped inputs: the rule can never apply. Publish a mapping that writes this field first, or name another field`;
  const fields = contracts.flatMap(({ input_schema }) =>
    Object.keys((input_schema as { properties?: object }).properties ?? {}).map((name) => memberPointer('', name)),
  );
  const shown = [...new Set(fields)].sort().slice(0, SHOWN_MAX).join(', ');
  return `no tool of this rule has an input ${path}: the rule can never apply${shown === '' ? '' : `; known: ${shown}`}`;
}

/** Paths of obligations that exist in no tool of the rule. */
export function obligationFaults({ id, tools, obligations = [] }: Rule, known: About): RuleFinding[] {
  const about = known.contracts.filter((contract) => selects(tools, contract));
  if (about.length === 0) return [];
  return obligations.flatMap((obligation, n): RuleFinding[] => {
    const at = `/obligations/${n}`;
    if ('cap' in obligation) {
      const { path, form = 'inputs' } = obligation.cap;
      const is_there = about.some((contract) => hasInput(known, contract, form, path));
      return is_there ? [] : [{ rule: id, field: `${at}/cap/path`, reason: neverInput(form, path, about) }];
    }
    if (!('redact' in obligation)) return [];
    return obligation.redact.flatMap((path, place) => {
      if (about.some(({ output_schema }) => canReach(output_schema, path))) return [];
      const reason = `no tool of this rule has ${path} in its output: the rule can never apply. Name a field of the output schema of a tool`;
      return [{ rule: id, field: `${at}/redact/${place}`, reason }];
    });
  });
}

/** Open inputs of an approval of a whole saga that exist in no tool of the rule. */
export function openInputFaults({ id, tools, approval }: Rule, known: About): RuleFinding[] {
  const about = known.contracts.filter((contract) => selects(tools, contract));
  if (about.length === 0) return [];
  return (approval?.saga_open_inputs ?? []).flatMap((name, n): RuleFinding[] => {
    const path = memberPointer('', name);
    if (about.some((contract) => hasInput(known, contract, 'inputs', path))) return [];
    return [{ rule: id, field: `/approval/saga_open_inputs/${n}`, reason: neverInput('inputs', path, about) }];
  });
}

/** Input fields that a condition reads and that exist in no tool of its rule. */
export function conditionFaults(rules: Conditions, known: About): RuleFinding[] {
  const reads = new Map<string, { rule: string; field: string; form: Form; path: string; about: ToolContract[]; is_there: boolean }>();
  for (const contract of known.contracts)
    for (const { id, condition, until_condition } of rules.about(contract))
      for (const [field, read] of [
        ['/when', condition],
        ['/defer/until', until_condition],
      ] as const)
        for (const form of ['inputs', 'mapped'] as const)
          for (const name of read?.uses.fields?.[form] ?? []) {
            const place = { rule: id, field, form, path: memberPointer('', name) };
            const key = JSON.stringify(place);
            const one = reads.get(key) ?? { ...place, about: [], is_there: false };
            one.about.push(contract);
            one.is_there ||= name === '*' || hasInput(known, contract, form, place.path);
            reads.set(key, one);
          }
  return [...reads.values()]
    .filter(({ is_there }) => !is_there)
    .map(({ rule, field, form, path, about }) => ({ rule, field, reason: neverInput(form, path, about) }));
}
