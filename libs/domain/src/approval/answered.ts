import type { EventMap } from '@countersign/contracts';
import { filled, type GivenPart, groupOf, isDistinct, type RequestedPart } from './part.js';
import { identityOf, NO_LINKS, type PersonLink, personsOf } from './person-links.js';
import { asksOthersNow } from './requirement.js';
import { qualifiedName } from './subject.js';

function answers({ requirement }: RequestedPart, { asked, approved_by }: GivenPart): boolean {
  const quorum = groupOf({ requirement, level: asked?.level ?? 0 }).quorum;
  return approved_by.length >= quorum && (asked === null || !asksOthersNow(requirement, asked));
}

/** The parts with one name for each person who approved them, so that linked identities count once. */
function byPerson(given: readonly GivenPart[], links: readonly PersonLink[]): readonly GivenPart[] {
  const names = [...new Set(given.flatMap(({ approved_by }) => approved_by))];
  const persons = personsOf(links, names.map(identityOf));
  const of = new Map(names.map((name, at) => [name, persons[at] as string]));
  return given.map((one) => ({ ...one, approved_by: [...new Set(one.approved_by.map((name) => of.get(name) as string))] }));
}

/**
 * The first requested part that earlier approvals do not satisfy; undefined if they satisfy all. Each part must have been met by enough
 * people of its group. `links`: the current links between identities of one person.
 */
export function unansweredPart(
  now: readonly RequestedPart[],
  recorded: readonly GivenPart[],
  links: readonly PersonLink[] = NO_LINKS,
): RequestedPart | undefined {
  const given = byPerson(recorded, links);
  const fitting = now.map((part) => given.filter((one) => answers(part, one)));
  const open = now.find((_, at) => fitting[at]?.length === 0);
  if (open || !isDistinct(now)) return open;
  const slots = now.map(({ requirement }, at) => ({
    quorum: Math.max(...(fitting[at] ?? []).map(({ asked }) => groupOf({ requirement, level: asked?.level ?? 0 }).quorum)),
    candidates: (fitting[at] ?? []).flatMap(({ approved_by }) => approved_by),
  }));
  const has = filled(slots, true);
  return now.find((_, at) => (has[at] as number) < (slots[at]?.quorum ?? 1));
}

/** The parts that a grant met. A record from before parts existed has one part with all votes. */
export function partsGiven({ parts, votes, asked }: Pick<EventMap['approval_granted'], 'parts' | 'votes' | 'asked'>): readonly GivenPart[] {
  if (parts.length > 0) return parts;
  const approvals = votes.filter(({ vote }) => vote === 'approve' || vote === 'edit');
  return [
    {
      asked,
      approved_by: [...new Set(approvals.map(({ voter_issuer, voter_id }) => qualifiedName({ issuer: voter_issuer, id: voter_id })))],
    },
  ];
}
