import { type ApprovalRequirement, plainRequirement } from '@countersign/contracts';
import type { CompiledRule } from './bundle/compiled-rule.js';
import type { RulingInput } from './ruling-input.js';

/** How long a request for approval stays open where no policy says otherwise: 24 h. */
const APPROVAL_EXPIRES_AFTER_MS = 24 * 3_600_000;
const APPROVERS: readonly string[] = ['approver'];

/** What one rule asks of people. */
export interface AskingPart {
  /** Id of the rule; `tool.<name>` for the tenant's row of the tool. */
  rule: string;
  requirement: ApprovalRequirement;
}

/** All approvers together; `parts` has the requirement of each rule. */
export interface Approvers {
  /** Roles that may vote. */
  approver_roles: readonly string[];
  quorum: number;
  expires_after_ms: number;
  /** Of the only part; null where there are more. */
  requirement: ApprovalRequirement | null;
  /** One for each rule that asks; empty where none does, and any approver answers for the default. */
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

/** As policies are written, the parts that are left out included. */
function whole(requirement: ApprovalRequirement): ApprovalRequirement {
  return { ...plainRequirement(APPROVERS, 1, APPROVAL_EXPIRES_AFTER_MS), ...requirement, quorum: atLeastOne(requirement.quorum) };
}

/** The id by which the tenant's row for a tool asks. */
export const rowId = (tool: string): string => `tool.${tool}`;

/** What the tenant's row for the tool asks, where it asks. */
function rowPart({ override, contract }: RulingInput): AskingPart | undefined {
  if (override?.tier !== 'tier_2_approval_required') return undefined;
  const rule = rowId(override.tool ?? contract.name);
  if (override.requirement) return { rule, requirement: whole(override.requirement) };
  const expiry = override.expires_after_ms ?? 0;
  const roles = override.approver_roles.length > 0 ? override.approver_roles : APPROVERS;
  return { rule, requirement: plainRequirement(roles, atLeastOne(override.quorum), expiry > 0 ? expiry : APPROVAL_EXPIRES_AFTER_MS) };
}

/** Everything that requires approval of a call, and what an allow rule removes. */
export interface Asks {
  parts: readonly AskingPart[];
  /** Rules of the bundle among them, strongest and narrowest first. */
  rules: readonly CompiledRule[];
  row: AskingPart | undefined;
}

/**
 * What asks about a call: every rule of the bundle that applies and asks, and the tenant's row, without those that an
 * allow which applies overrides by their ids.
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
  // A bundle from before `tool.` was reserved may have a rule of the row's id: both ask.
  const named = row && of.some(({ rule }) => rule === row.rule) ? { ...row, rule: `${row.rule}.row` } : row;
  return { parts: named ? [...of, named] : of, rules, row };
}

const NOTHING_ASKS: Asks = { parts: [], rules: [], row: undefined };

/** The approvers of these parts together. */
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
