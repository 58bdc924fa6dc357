import type { ApprovalRequirement, ToolContract } from '@countersign/contracts';
import { LOCAL_ISSUER } from '@countersign/domain';
import { isGlob, type PolicyBundle, type Rule, selects } from '@countersign/policy';
import { canReach } from './schema-paths.js';

/** What is known of a tenant when its rules are checked. */
export interface KnownTenant {
  /** The newest contract of each version of each tool that the tenant may call. */
  contracts: readonly ToolContract[];
  roles: ReadonlySet<string>;
  /** Ids of people with a key that is good. */
  people: ReadonlySet<string>;
  /** Issuers of its identity providers. */
  issuers: ReadonlySet<string>;
}

/** Something of a rule that cannot mean what it says. */
export interface RuleFinding {
  rule: string;
  /** Where in the rule, as a JSON Pointer. */
  field: string;
  reason: string;
}

export interface BundleFindings {
  faults: RuleFinding[];
  /** Taken as it is: nobody can tell. */
  warnings: RuleFinding[];
}

const RESERVED = 'tool.';
const NEAR_MAX = 5;
const listed = (names: Iterable<string>): string => [...names].sort().slice(0, NEAR_MAX).join(', ');

/** Faults and warnings about the people whom a requirement asks; `field` is where it stands. */
export function peopleFindings(requirement: ApprovalRequirement, known: KnownTenant, at: Omit<RuleFinding, 'reason'>): BundleFindings {
  const faults: RuleFinding[] = [];
  const warnings: RuleFinding[] = [];
  for (const [group, place] of [
    [requirement, ''] as const,
    ...requirement.escalate_to.map((one, n) => [one, `/escalate_to/${n}`] as const),
  ]) {
    for (const [n, role] of group.approver_roles.entries())
      if (!known.roles.has(role))
        faults.push({
          ...at,
          field: `${at.field}${place}/approver_roles/${n}`,
          reason: `there is no role ${role}; roles are ${[...known.roles].join(', ')}`,
        });
    for (const [n, name] of group.people.entries()) {
      const field = `${at.field}${place}/people/${n}`;
      const found = personFinding(name, known);
      if (found) (found.warning ? warnings : faults).push({ ...at, field, reason: found.reason });
    }
  }
  return { faults, warnings };
}

function personFinding(name: string, { people, issuers }: KnownTenant): { reason: string; warning?: boolean } | undefined {
  const [issuer, subject] = name.includes('|')
    ? [name.slice(0, name.indexOf('|')), name.slice(name.indexOf('|') + 1)]
    : [LOCAL_ISSUER, name];
  if (issuer === LOCAL_ISSUER) {
    if (people.has(subject)) return undefined;
    const hint = issuers.size > 0 ? `; somebody of an identity provider is named <issuer>|<subject>, with one of ${listed(issuers)}` : '';
    return { reason: `nobody called ${subject} has a key that is good${hint}` };
  }
  if (!issuers.has(issuer)) return { reason: `${issuer} is the issuer of no identity provider of this tenant` };
  return { reason: `${subject} of ${issuer} is not known here: whether there is such a person is not checked`, warning: true };
}

/** Parts of a selector that fit no tool that is there. */
function selectorFaults({ id, tools }: Rule, { contracts }: KnownTenant): RuleFinding[] {
  const fitsNone = (selector: Rule['tools']) => !contracts.some((contract) => selects(selector, contract));
  const faults: RuleFinding[] = [];
  for (const [n, name] of (tools.names ?? []).entries())
    if (fitsNone({ names: [name] }))
      faults.push({
        rule: id,
        field: `/tools/names/${n}`,
        reason: !isGlob(name) ? `there is no tool ${name}` : `${name} fits no tool that is there: it can never match`,
      });
  for (const [n, category] of (tools.categories ?? []).entries())
    if (fitsNone({ categories: [category] }))
      faults.push({
        rule: id,
        field: `/tools/categories/${n}`,
        reason: `no tool has the category ${category}; there are ${listed(new Set(contracts.map((one) => one.category)))}`,
      });
  if (faults.length === 0 && fitsNone(tools))
    faults.push({ rule: id, field: '/tools', reason: 'no tool fits all parts of the selector: it can never match' });
  return faults;
}

/** Paths of obligations that no tool of the rule has. */
function pathFaults({ id, tools, obligations = [] }: Rule, { contracts }: KnownTenant): RuleFinding[] {
  const about = contracts.filter((contract) => selects(tools, contract));
  const reached = (path: string, of: 'input_schema' | 'output_schema') => about.some((contract) => canReach(contract[of], path));
  return obligations.flatMap((obligation, n): RuleFinding[] => {
    if ('cap' in obligation && !reached(obligation.cap.path, 'input_schema'))
      return [
        {
          rule: id,
          field: `/obligations/${n}/cap/path`,
          reason: `no tool of this rule has an input ${obligation.cap.path}: it can never match`,
        },
      ];
    if (!('redact' in obligation)) return [];
    return obligation.redact.flatMap((path, at) =>
      reached(path, 'output_schema')
        ? []
        : [
            {
              rule: id,
              field: `/obligations/${n}/redact/${at}`,
              reason: `no tool of this rule has ${path} in its result: it can never match`,
            },
          ],
    );
  });
}

/** What an allow overrides must be a question: a rule of the bundle that asks, or the row of a tool. */
function overrideFaults({ id, overrides = [] }: Rule, rules: readonly Rule[], { contracts }: KnownTenant): RuleFinding[] {
  return overrides.flatMap((named, n): RuleFinding[] => {
    const other = rules.find((rule) => rule.id === named);
    const tool = named.startsWith(RESERVED) ? named.slice(RESERVED.length) : undefined;
    if (other?.effect === 'require_approval' || tool === '*' || contracts.some(({ name }) => name === tool)) return [];
    const reason = other
      ? `rule ${named} has the effect ${other.effect}: an allow overrides only what asks`
      : `there is no rule ${named} in this bundle, nor a tool of that id`;
    return [{ rule: id, field: `/overrides/${n}`, reason }];
  });
}

/** What of a bundle cannot mean what it says, beside conditions that do not compile: nothing of it is published then. */
export function bundleFindings({ rules }: PolicyBundle, known: KnownTenant): BundleFindings {
  const findings: BundleFindings = { faults: [], warnings: [] };
  for (const rule of rules) {
    if (rule.id.startsWith(RESERVED))
      findings.faults.push({
        rule: rule.id,
        field: '/id',
        reason: 'ids that begin with `tool.` are those of rows of the tool policy: choose another',
      });
    findings.faults.push(...selectorFaults(rule, known), ...pathFaults(rule, known), ...overrideFaults(rule, rules, known));
    if (!rule.approval) continue;
    const { faults, warnings } = peopleFindings(rule.approval, known, { rule: rule.id, field: '/approval' });
    findings.faults.push(...faults);
    findings.warnings.push(...warnings);
  }
  return findings;
}
