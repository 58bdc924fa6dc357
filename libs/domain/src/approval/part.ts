import type {
  ApprovalGroup,
  ApprovalRequirement,
  CountedVote,
  GrantedPart,
  PartStanding,
  ApprovalPart as RecordedPart,
} from '@countersign/contracts';
import type { Asking } from './requirement.js';
import { requirementOf } from './requirement.js';
import { foldedSubject } from './subject.js';

/** The approval requirement of one rule. */
export interface RequestedPart {
  /** Id of the rule; `tool.<name>` for a row of the tool policy. */
  rule: string;
  requirement: ApprovalRequirement;
}

/** The approval request of a ruling. Without `parts`, its rule is the only part. */
export type PartsAsking = Asking & { rule: string; parts?: readonly RequestedPart[] };

/** The current state of one part of a request. */
export interface ApprovalPart extends RequestedPart {
  /** Current group: 0 is the first, n the n-th of `escalate_to`. */
  level: number;
  /** Escalations before those that `requirement` lists; only for edited inputs in records from before parts existed. */
  level_before?: number;
  requested_at_ms: number;
  /** Expiry of the current group, by the log's append time. */
  expires_at_ms: number;
  /** The longest of `reminders_ms` that has been sent. */
  reminded_ms: number;
  sla_missed: boolean;
  /** Why the known people cannot satisfy the part; null if they can or if that is unknown. */
  shortfall: string | null;
}

/** The requested parts of a ruling, one per rule; never empty. */
export function partsRequested(asking: PartsAsking): readonly RequestedPart[] {
  if (asking.parts && asking.parts.length > 0) return asking.parts;
  return [{ rule: asking.rule, requirement: requirementOf(asking) }];
}

/** True if one person may not approve two parts: one of the rules requires it. */
export const isDistinct = (parts: readonly RequestedPart[]): boolean => parts.some(({ requirement }) => requirement.distinct === true);

/** The current group of a part. */
export function groupOf({ requirement, level }: Pick<ApprovalPart, 'requirement' | 'level'>): Omit<ApprovalGroup, 'expires_after_ms'> {
  return requirement.escalate_to[level - 1] ?? requirement;
}

/** The number of groups before the current one. */
export const levelOf = ({ level, level_before = 0 }: ApprovalPart): number => level_before + level;

/** A new part as recorded by `approval_requested`. `deadline_ms`: the call's. */
export function startedPart(
  requested: RequestedPart,
  now_ms: number,
  deadline_ms: number | null,
  shortfall: string | null = null,
): RecordedPart {
  const expires_at_ms = Math.min(now_ms + requested.requirement.expires_after_ms, deadline_ms ?? Number.MAX_SAFE_INTEGER);
  return { ...requested, level: 0, requested_at_ms: now_ms, expires_at_ms, reminded_ms: 0, sla_missed: false, shortfall };
}

/** True if a vote counts in a part. A vote from before parts existed names none and counts in the only one. */
export function countsIn({ in_parts }: Pick<CountedVote, 'in_parts'>, rule: string): boolean {
  return in_parts.length === 0 || in_parts.some((one) => one.rule === rule);
}

/** The person whose right a vote uses in a part; null: the voter's own right. */
export function givenBy({ in_parts, on_behalf_of }: Pick<CountedVote, 'in_parts' | 'on_behalf_of'>, rule: string): string | null {
  return in_parts.length === 0 ? on_behalf_of : (in_parts.find((one) => one.rule === rule)?.on_behalf_of ?? null);
}

/** The name under which a voter is counted: voters with the same name are one person. */
export const personOf = ({ person, voter_id }: Pick<CountedVote, 'person' | 'voter_id'>): string => person ?? foldedSubject(voter_id);

/** A part with the people who approved it. */
interface PartCandidates {
  quorum: number;
  candidates: readonly string[];
}

/**
 * Assigns each person to at most one slot (bipartite matching). A filled slot stays filled.
 * @returns the number of filled slots per part.
 */
function assignPeople(parts: readonly PartCandidates[], people: readonly string[]): number[] {
  const slots = parts.map((): string[] => []);
  const place = (person: string, tried: Set<number>): boolean => {
    for (const [at, { quorum, candidates }] of parts.entries()) {
      if (tried.has(at) || !candidates.includes(person)) continue;
      tried.add(at);
      const here = slots[at] as string[];
      if (here.length < quorum) {
        here.push(person);
        return true;
      }
      const left = here.findIndex((other) => place(other, tried));
      if (left < 0) continue;
      here[left] = person;
      return true;
    }
    return false;
  };
  for (const person of people) place(person, new Set());
  return slots.map(({ length }) => length);
}

/** The number of approvals of each part: all its approvers, or, for `distinct` parts, only people assigned to it. */
export function filled(parts: readonly PartCandidates[], distinct: boolean): number[] {
  if (!distinct) return parts.map(({ candidates }) => new Set(candidates).size);
  return assignPeople(parts, [...new Set(parts.flatMap(({ candidates }) => candidates))]);
}

/** The given and required approvals of each part. `votes`: those that count. */
export function standingOfParts(parts: readonly ApprovalPart[], votes: readonly CountedVote[], distinct: boolean): PartStanding[] {
  const slots = parts.map((part) => ({
    quorum: groupOf(part).quorum,
    candidates: votes.filter((vote) => countsIn(vote, part.rule)).map(personOf),
  }));
  const approvals = filled(slots, distinct);
  return parts.map(({ rule }, at) => ({ rule, approvals: approvals[at] as number, quorum: (slots[at] as PartCandidates).quorum }));
}

export const isMet = ({ approvals, quorum }: PartStanding): boolean => approvals >= quorum;

/** A granted part; `asked` is null in records from before parts existed. */
export type GivenPart = Pick<GrantedPart, 'approved_by'> & { asked: GrantedPart['asked'] | null };
