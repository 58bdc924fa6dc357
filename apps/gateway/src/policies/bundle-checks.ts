import type { ApprovalRequirement, ToolContract } from '@countersign/contracts';
import { identityOf, LOCAL_ISSUER, nearestNames, type PersonLink, personsOf } from '@countersign/domain';
import { isGlob, type PolicyBundle, type Rule, selects } from '@countersign/policy';
import { obligationFaults, openInputFaults } from './path-checks.js';

/** Facts about a tenant for checking its rules. */
export interface KnownTenant {
  /** The newest contract of each version of each tool that the tenant may call. */
  contracts: readonly ToolContract[];
  roles: ReadonlySet<string>;
  /** Ids of people with a valid key. */
  people: ReadonlySet<string>;
  /** Links between identities of one person. */
  links: readonly PersonLink[];
  /** Issuers of its identity providers. */
  issuers: ReadonlySet<string>;
  /** By tool: paths of the mapped inputs (JSON Pointers) that a version of its mapping fills. */
  mapped_to: ReadonlyMap<string, readonly string[]>;
}

/** A part of a rule that cannot work as written. */
export interface RuleFinding {
  rule: string;
  /** JSON Pointer within the rule. */
  field: string;
  reason: string;
}

export interface BundleFindings {
  faults: RuleFinding[];
  /** Accepted, but could not be verified. */
  warnings: RuleFinding[];
}

const RESERVED = 'tool.';
const NEAR_MAX = 5;
const listed = (names: Iterable<string>): string => [...names].sort().slice(0, NEAR_MAX).join(', ');

/** Suggestions for an unknown name: the nearest names, else some existing ones. */
function instead(name: string, names: Iterable<string>): string {
  const known = [...new Set(names)];
  const near = nearestNames(name, known, NEAR_MAX);
  if (near.length > 0) return `; did you mean ${near.join(', ')}?`;
  return known.length === 0 ? '' : `; known: ${listed(known)}`;
}

/** Errors and warnings about the approvers of a requirement; `field` is its path. */
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
          reason: `the role ${role} does not exist; roles are ${[...known.roles].join(', ')}`,
        });
    const persons = new Set(personsOf(known.links, group.people.map(identityOf))).size;
    if (group.approver_roles.length === 0 && known.links.length > 0 && persons < group.quorum)
      faults.push({
        ...at,
        field: `${at.field}${place}/quorum`,
        reason: `by the person links of this tenant the group has ${persons} distinct persons, fewer than the quorum ${group.quorum}: name more people, or lower the quorum`,
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
    const hint =
      issuers.size > 0
        ? `; to name a person of an identity provider, write <issuer>|<subject> with one of the issuers ${listed(issuers)}`
        : '';
    return { reason: `no user ${subject} has a valid key${instead(subject, people)}${hint}` };
  }
  if (!issuers.has(issuer)) {
    const right = issuers.size > 0 ? `issuers are ${listed(issuers)}` : 'the tenant has none: set one up, or name users with an API key';
    return { reason: `no identity provider of this tenant has the issuer ${issuer}; ${right}` };
  }
  return { reason: `${subject} of ${issuer} has not signed in yet: it is not checked whether the person exists`, warning: true };
}

/** Parts of a selector that match no existing tool. */
function selectorFaults({ id, tools }: Rule, { contracts }: KnownTenant): RuleFinding[] {
  const fitsNone = (selector: Rule['tools']) => !contracts.some((contract) => selects(selector, contract));
  const tool_names = contracts.map(({ name }) => name);
  const faults: RuleFinding[] = [];
  for (const [n, name] of (tools.names ?? []).entries())
    if (fitsNone({ names: [name] }))
      faults.push({
        rule: id,
        field: `/tools/names/${n}`,
        reason: `${isGlob(name) ? `no tool name matches ${name}: the rule can never apply` : `the tool ${name} does not exist`}${instead(name, tool_names)}`,
      });
  for (const [n, category] of (tools.categories ?? []).entries())
    if (fitsNone({ categories: [category] }))
      faults.push({
        rule: id,
        field: `/tools/categories/${n}`,
        reason: `no tool has the category ${category}; known: ${listed(new Set(contracts.map((one) => one.category)))}`,
      });
  if (faults.length === 0 && fitsNone(tools))
    faults.push({ rule: id, field: '/tools', reason: 'no tool matches all parts of the selector: the rule can never apply. Remove parts' });
  return faults;
}

/** An allow rule may override only a rule with require_approval, or the policy row of a tool. */
function overrideFaults({ id, overrides = [] }: Rule, rules: readonly Rule[], { contracts }: KnownTenant): RuleFinding[] {
  const asking = [
    ...rules.filter(({ effect }) => effect === 'require_approval').map((rule) => rule.id),
    ...contracts.map(({ name }) => RESERVED + name),
  ];
  return overrides.flatMap((named, n): RuleFinding[] => {
    const other = rules.find((rule) => rule.id === named);
    const tool = named.startsWith(RESERVED) ? named.slice(RESERVED.length) : undefined;
    if (other?.effect === 'require_approval' || tool === '*' || contracts.some(({ name }) => name === tool)) return [];
    const reason = other
      ? `rule ${named} has the effect ${other.effect}: overrides may name only rules with the effect require_approval`
      : `${named} is neither a rule of this bundle nor tool.<name> of a known tool${instead(named, asking)}`;
    return [{ rule: id, field: `/overrides/${n}`, reason }];
  });
}

/** Semantic errors of a bundle, besides conditions that do not compile: they refuse the bundle. */
export function bundleFindings({ rules }: PolicyBundle, known: KnownTenant): BundleFindings {
  const findings: BundleFindings = { faults: [], warnings: [] };
  for (const rule of rules) {
    if (rule.id.startsWith(RESERVED))
      findings.faults.push({
        rule: rule.id,
        field: '/id',
        reason: 'ids that start with `tool.` are reserved for rows of the tool policy: choose another id',
      });
    findings.faults.push(
      ...selectorFaults(rule, known),
      ...obligationFaults(rule, known),
      ...openInputFaults(rule, known),
      ...overrideFaults(rule, rules, known),
    );
    if (!rule.approval) continue;
    const { faults, warnings } = peopleFindings(rule.approval, known, { rule: rule.id, field: '/approval' });
    findings.faults.push(...faults);
    findings.warnings.push(...warnings);
  }
  return findings;
}
