import type { CountedVote } from '@countersign/contracts';
import { countsIn, givenBy } from './part.js';
import { type PersonLink, personsOf } from './person-links.js';
import type { Approval } from './state.js';
import { objectionIn, voterOf } from './voting-right.js';

/** A vote in those parts in which it counts beside the votes before it; undefined: in none. */
function countedBeside(approval: Approval, before: readonly CountedVote[], vote: CountedVote, links: readonly PersonLink[]) {
  const beside = { ...approval, votes: before };
  const rules = approval.parts
    .filter((part) => countsIn(vote, part.rule))
    .filter((part) => {
      const right = { rule: part.rule, on_behalf_of: givenBy(vote, part.rule) };
      return objectionIn(beside, part, voterOf(vote), right, links) === undefined;
    })
    .map(({ rule }) => rule);
  if (rules.length === 0) return undefined;
  return { ...vote, in_parts: vote.in_parts.filter((one) => rules.includes(one.rule)) };
}

/**
 * The votes that count by what is known now, oldest first: none in a part whose four eyes bar its voter by now, one of each
 * person in a part. Votes name their person as soon as anything is recorded of who is one.
 */
export function recounted(approval: Approval, votes: readonly CountedVote[], links: readonly PersonLink[]): CountedVote[] {
  const counting: CountedVote[] = [];
  for (const vote of votes) {
    const counted = countedBeside(approval, counting, vote, links);
    if (counted) counting.push(counted);
  }
  if (links.length === 0 && counting.every(({ person }) => !person)) return counting;
  const persons = personsOf(links, counting.map(voterOf));
  return counting.map((vote, at) => ({ ...vote, person: persons[at] as string }));
}
