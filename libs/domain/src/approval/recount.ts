import type { CountedVote } from '@countersign/contracts';
import { countsIn, givenBy } from './part.js';
import { type PersonLink, personsOf } from './person-links.js';
import type { Approval } from './state.js';
import { objectionIn, voterOf } from './voting-right.js';

/** The vote, restricted to the parts in which it counts after the earlier votes; undefined if it counts in none. */
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
 * The votes that count with the current links, oldest first. A vote is dropped from a part if four eyes exclude its voter now or the same
 * person has already approved. Votes name their person once any link is recorded.
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
