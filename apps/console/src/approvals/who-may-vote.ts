import type { Approval, AskedPart, InboxItem } from './approval.js';

/** Whether a person may do something, or why not. The gateway decides; this says it before a vote is lost. */
export type Right = { may: true; on_behalf_of?: string } | { may: false; because: string };

export interface Person {
  kind: string;
  id: string;
  roles: readonly string[];
}

/** Somebody who lets this person vote while they are absent, and for which tools (empty: all). */
export interface Delegator {
  id: string;
  roles: readonly string[];
  tools: readonly string[];
}

type Asked = Pick<Approval, 'status' | 'asked_because' | 'barred'> & { call: Pick<NonNullable<Approval['call']>, 'tool'> | null };

const no = (because: string): Right => ({ may: false, because });

/** Why nobody, or no machine, can vote; undefined if voting is open to this person's kind. */
function closed({ status }: Asked, { kind }: Person): Right | undefined {
  if (status !== 'pending') return no('The request has ended.');
  return kind === 'user' ? undefined : no('Only people vote, not agents or services.');
}

const isNamed = ({ people, approver_roles }: Pick<AskedPart, 'people' | 'approver_roles'>, { id, roles }: Omit<Person, 'kind'>): boolean =>
  people.includes(id) || approver_roles.some((role) => roles.includes(role));

function rightIn(part: AskedPart, approval: Asked, person: Person, delegators: readonly Delegator[]): Right {
  if (part.can_decide.includes(person.id) || isNamed(part, person)) return { may: true };
  const tool = approval.call?.tool ?? '';
  const giver = delegators.find((one) => isNamed(part, one) && (one.tools.length === 0 || one.tools.includes(tool)));
  return giver ? { may: true, on_behalf_of: giver.id } : no(neededText(part));
}

/** Who can meet a part, in words. */
export function neededText({ approver_roles, people }: Pick<AskedPart, 'approver_roles' | 'people'>): string {
  const roles = approver_roles.length > 0 ? `the role ${approver_roles.join(' or ')}` : '';
  const named = people.length > 0 ? `to be ${people.join(' or ')}` : '';
  return `This needs ${[roles, named].filter((text) => text !== '').join(', or ')}.`;
}

const myVote = (part: AskedPart, id: string): string | undefined => part.voted.find(({ voter_id }) => voter_id === id)?.vote;

const unmet = ({ asked_because }: Asked): AskedPart[] => asked_because.filter(({ met }) => !met);

/** Whether this person may deny or pass the vote on. Four eyes do not exclude from a denial. */
export function denyRight(approval: Asked, person: Person, delegators: readonly Delegator[] = []): Right {
  const shut = closed(approval, person);
  if (shut) return shut;
  const rights = unmet(approval).map((part) =>
    myVote(part, person.id) === 'delegate'
      ? no('You have passed your vote on. Take it back first.')
      : rightIn(part, approval, person, delegators),
  );
  return rights.find(({ may }) => may) ?? rights[0] ?? no('Every part is met already.');
}

const BARRED = {
  requester: 'you made the call',
  owner: 'you are responsible for the agent that asks',
  on_behalf_of: 'the call is made for you',
  at_request: 'you were excluded when the request was made',
} as const;

/** Whether this person may approve or edit: not barred by four eyes, not twice, and with a right in a part that is not met. */
export function approveRight(approval: Asked, person: Person, delegators: readonly Delegator[] = []): Right {
  const may_deny = denyRight(approval, person, delegators);
  if (!may_deny.may) return may_deny;
  const rights = unmet(approval).map((part): Right => {
    const out = part.barred.find(({ id }) => id === person.id);
    if (out) return no(`Four eyes: ${BARRED[out.because]}. Somebody else must approve.`);
    if (myVote(part, person.id) === 'approve') return no('You have approved. Somebody else must approve, too.');
    return rightIn(part, approval, person, delegators);
  });
  return rights.find(({ may }) => may) ?? rights[0] ?? may_deny;
}

/** The vote of this person that stands and can be withdrawn. */
export function standingVote(approval: Pick<Approval, 'status' | 'asked_because'>, person: Person): string | undefined {
  if (approval.status !== 'pending') return undefined;
  return approval.asked_because.map((part) => myVote(part, person.id)).find((vote) => vote !== undefined);
}

/** Whether an approval by this person would grant the request at once. */
export function isLastApproval(
  approval: Asked & Pick<Approval, 'distinct'>,
  person: Person,
  delegators: readonly Delegator[] = [],
): boolean {
  const parts = unmet(approval);
  if (parts.length === 0 || (approval.distinct && parts.length > 1)) return false;
  return parts.every(
    (part) => part.missing <= 1 && rightIn(part, approval, person, delegators).may && !part.barred.some(({ id }) => id === person.id),
  );
}

/** What the list knows of a request, in the form that the rules above need. */
function askedOf(item: InboxItem): Asked {
  const standing = new Map<string, InboxItem['votes'][number]>();
  for (const vote of item.votes) if (vote.verdict === 'counted' && vote.voter_id !== null) standing.set(vote.voter_id, vote);
  const votes = [...standing.values()].filter(({ vote }) => vote !== 'revoke');
  return {
    status: item.status,
    barred: item.barred,
    call: item.call,
    asked_because: item.parts.map(
      (part) =>
        ({
          ...part,
          can_decide: [] as string[],
          voted: votes
            .filter(({ in_parts }) => in_parts.length === 0 || in_parts.some(({ rule }) => rule === part.rule))
            .map(({ voter_id, vote }) => ({ voter_id: voter_id as string, vote: vote ?? 'approve' })),
          barred: part.four_eyes ? item.barred.map((id) => ({ id, because: 'at_request' as const, text: '' })) : [],
        }) as unknown as AskedPart,
    ),
  };
}

/** Whether a listed request waits for this person. */
export const isMine = (item: InboxItem, person: Person, delegators: readonly Delegator[] = []): boolean =>
  approveRight(askedOf(item), person, delegators).may;
