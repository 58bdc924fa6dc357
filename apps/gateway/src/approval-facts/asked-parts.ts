import { type ConfigurationState, isUsable, keysOf } from '@countersign/domain';
import type { ApprovalRow, PartRow, VoteRow } from '@countersign/store';
import type { AskedPart, RequestedBy } from './approval-facts.schemas.js';
import { barredBecause } from './requester.js';
import { ruleWords } from './rule-words.js';

const PEOPLE_MAX = 50;

interface Person {
  id: string;
  roles: readonly string[];
}

/** People who have a usable key now, each once, with all their roles. */
function knownPeople(state: ConfigurationState, tenant_id: string, now_ms: number): Person[] {
  const people = new Map<string, Set<string>>();
  for (const key of keysOf(state, tenant_id)) {
    if (key.principal.kind !== 'user' || !isUsable(key, now_ms)) continue;
    const roles = people.get(key.principal.id) ?? new Set<string>();
    for (const role of key.principal.roles) roles.add(role);
    people.set(key.principal.id, roles);
  }
  return [...people].map(([id, roles]) => ({ id, roles: [...roles] }));
}

/** The votes that count: the newest of each voter, except revoked ones. */
function standingVotes(votes: readonly VoteRow[]): VoteRow[] {
  const newest = new Map<string, VoteRow>();
  for (const vote of votes) if (vote.verdict === 'counted' && vote.voter_id !== null) newest.set(vote.voter_id, vote);
  return [...newest.values()].filter(({ vote }) => vote !== 'revoke');
}

const countsInPart = ({ in_parts }: VoteRow, rule: string | null): boolean =>
  in_parts.length === 0 || in_parts.some((one) => one.rule === rule);

const afterwards = ({ next }: PartRow): AskedPart['afterwards'] =>
  next ? { kind: 'escalate', ...next } : { kind: 'deny', approver_roles: [], people: [] };

/** An edit opens the next request, in which the editor has already agreed. */
function withEditor(cast: AskedPart['voted'], { requirement, requested_at_ms }: ApprovalRow, part: PartRow): AskedPart['voted'] {
  const editor = requirement.edit?.by.id;
  if (editor === undefined || part.approvals <= cast.length || cast.some(({ voter_id }) => voter_id === editor)) return cast;
  return [{ voter_id: editor, vote: 'edit', voted_at: new Date(requested_at_ms).toISOString(), on_behalf_of: null }, ...cast];
}

export interface PartsQuestion {
  row: ApprovalRow;
  by: RequestedBy;
  tenant_id: string;
  now_ms: number;
}

/** Why approval is asked: each part with its rule in words, who can meet it now, who voted, and who is barred and why. */
export function askedParts(state: ConfigurationState, { row, by, tenant_id, now_ms }: PartsQuestion): AskedPart[] {
  const people = knownPeople(state, tenant_id, now_ms);
  const providers = [...(state.by_tenant.get(tenant_id)?.identity_providers.values() ?? [])];
  const elsewhere = providers.some(({ kind }) => kind === 'user');
  const votes = standingVotes(row.votes);
  const bundle_version = row.requirement.evidence?.bundle_version ?? null;
  const barred = [...new Set([by.principal.id, ...row.requirement.barred])];
  return row.parts.map((part): AskedPart => {
    const isAsked = ({ id, roles }: Person) => part.people.includes(id) || part.approver_roles.some((role) => roles.includes(role));
    const cast = votes.filter((vote) => countsInPart(vote, part.rule)).map((vote) => votedOf(vote, part.rule));
    const voted = withEditor(cast, row, part);
    const asked = people.filter(isAsked);
    const isOut = (id: string) => part.four_eyes && barred.includes(id);
    const free = asked.filter(({ id }) => !isOut(id) && !voted.some(({ voter_id }) => voter_id === id));
    const { text, described } = ruleWords(state, tenant_id, { rule: part.rule, bundle_version });
    return {
      rule: part.rule,
      text,
      described,
      approver_roles: part.approver_roles,
      people: part.people,
      approvals: part.approvals,
      quorum: part.quorum,
      missing: Math.max(0, part.quorum - part.approvals),
      met: part.met,
      can_decide: free.slice(0, PEOPLE_MAX).map(({ id }) => id),
      can_decide_more: elsewhere || free.length > PEOPLE_MAX,
      voted,
      barred: part.four_eyes ? barred.map((id) => ({ id, ...barredBecause(id, by) })) : [],
      shortfall: part.shortfall,
      level: part.level,
      expires_at: new Date(part.expires_at_ms).toISOString(),
      time_left_ms: row.status === 'pending' ? Math.max(0, part.expires_at_ms - now_ms) : 0,
      afterwards: afterwards(part),
    };
  });
}

function votedOf(vote: VoteRow, rule: string | null): AskedPart['voted'][number] {
  return {
    voter_id: vote.voter_id as string,
    vote: vote.vote ?? 'approve',
    voted_at: vote.voted_at_ms === null ? null : new Date(vote.voted_at_ms).toISOString(),
    on_behalf_of: vote.in_parts.find((one) => one.rule === rule)?.on_behalf_of ?? null,
  };
}
