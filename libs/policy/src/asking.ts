import { type ApprovalRequirement, plainRequirement } from '@countersign/contracts';
import type { CompiledRule } from './bundle/compiled-rule.js';
import type { RulingInput } from './ruling-input.js';

/** How long an approval request stays open if no policy sets a time: 24 h. */
const APPROVAL_EXPIRES_AFTER_MS = 24 * 3_600_000;
const APPROVERS: readonly string[] = ['approver'];

/** The approval requirement of one rule. */
export interface AskingPart {
  /** Id of the rule; `tool.<name>` for the tenant's row of the tool. */
  rule: string;
  requirement: ApprovalRequirement;
}

/** The approvers of all parts together; `parts` has the requirement of each rule. */
export interface Approvers {
  /** Roles that may vote. */
  approver_roles: readonly string[];
  quorum: number;
  expires_after_ms: number;
  /** The requirement of the only part; null if there are several. */
  requirement: ApprovalRequirement | null;
  /** One part per rule that requires approval; empty if none does. Then any approver may approve what the default requires. */
  parts: readonly AskingPart[];
}

export const ANY_APPROVER: Approvers = {
  approver_roles: APPROVERS,
  quorum: 1,
  expires_after_ms: APPROVAL_EXPIRES_AFTER_MS,
  requirement: null,
  parts: [],
};

const atLeastOne = (quorum: number): number => Math.max(1, Math.floor(quorum) || 1);

/** The requirement with defaults for omitted fields. */
function whole(requirement: ApprovalRequirement): ApprovalRequirement {
  return { ...plainRequirement(APPROVERS, 1, APPROVAL_EXPIRES_AFTER_MS), ...requirement, quorum: atLeastOne(requirement.quorum) };
}

/** The rule id of the tenant's row for a tool. */
export const rowId = (tool: string): string => `tool.${tool}`;

/** The part that the tenant's row for the tool requires, if any. */
function rowPart({ override, contract }: RulingInput): AskingPart | undefined {
  if (override?.tier !== 'tier_2_approval_required') return undefined;
  const rule = rowId(override.tool ?? contract.name);
  if (override.requirement) return { rule, requirement: whole(override.requirement) };
  const expiry = override.expires_after_ms ?? 0;
  const roles = override.approver_roles.length > 0 ? override.approver_roles : APPROVERS;
  return { rule, requirement: plainRequirement(roles, atLeastOne(override.quorum), expiry > 0 ? expiry : APPROVAL_EXPIRES_AFTER_MS) };
}

/** The parts that require approval of a call, after allow rules have removed some. */
export interface Asks {
  parts: readonly AskingPart[];
  /** The rules of the bundle among them, strongest and narrowest first. */
  rules: readonly CompiledRule[];
  row: AskingPart | undefined;
}

/**
 * The parts of a call: every matching rule of the bundle that requires approval, and the tenant's row, except those that a matching allow
 * rule overrides by id.
 */
export function asksOf(matched: readonly CompiledRule[], input: RulingInput): Asks {
  if (matched.length === 0 && !input.override) return NOTHING_ASKS;
  const lowered = new Set(matched.flatMap(({ effect, overrides }) => (effect === 'allow' ? (overrides ?? []) : [])));
  const rules = matched.filter(({ effect, id }) => effect === 'require_approval' && !lowered.has(id));
  const own = rowPart(input);
  const row = own && !lowered.has(own.rule) ? own : undefined;
  const of = rules.map(
    ({ id, approval }): AskingPart => ({
      rule: id,
      requirement: approval ? whole(approval) : whole(plainRequirement(APPROVERS, 1, APPROVAL_EXPIRES_AFTER_MS)),
    }),
  );
  // A bundle from before `tool.` was reserved may have a rule with the row's id: both are parts.
  const named = row && of.some(({ rule }) => rule === row.rule) ? { ...row, rule: `${row.rule}.row` } : row;
  return { parts: named ? [...of, named] : of, rules, row };
}

const NOTHING_ASKS: Asks = { parts: [], rules: [], row: undefined };

/** The approvers of all these parts. */
export function approversOf({ parts }: Pick<Asks, 'parts'>): Approvers {
  const [only, ...others] = parts;
  if (!only) return ANY_APPROVER;
  if (others.length === 0) {
    const { approver_roles, quorum, expires_after_ms } = only.requirement;
    return { approver_roles, quorum, expires_after_ms, requirement: only.requirement, parts };
  }
  return {
    approver_roles: [...new Set(parts.flatMap(({ requirement }) => requirement.approver_roles))],
    quorum: parts.reduce((sum, { requirement }) => sum + requirement.quorum, 0),
    expires_after_ms: Math.min(...parts.map(({ requirement }) => requirement.expires_after_ms)),
    requirement: null,
    parts,
  };
}
