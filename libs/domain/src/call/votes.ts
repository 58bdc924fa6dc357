import type { EventMap } from '@countersign/contracts';
import type { CallState, VoteFact } from './state.js';

/** Votes, and refusals of votes, that a call keeps: people can vote without end. */
const KEPT_MAX = 50;

/** The call with one more vote; the same call if it has the vote already or has too many. */
export function voteCast(state: CallState, { meta, ...event }: EventMap['approval_voted']): CallState {
  const { approval_id, vote_id, vote, voter, to, reason, voted_at_ms } = event;
  const { votes = [] } = state;
  if (votes.length >= KEPT_MAX || votes.some((one) => one.vote_id === vote_id)) return state;
  const { hlc, event_id } = meta;
  const fact: VoteFact = { approval_id, vote_id, vote, by: voter.id, to, reason, at_ms: voted_at_ms, hlc, event_id };
  return { ...state, votes: [...votes, fact] };
}

/** The call with why one of its votes did not count. */
export function voteRefused(state: CallState, { vote_id, code, reason }: EventMap['approval_vote_refused']): CallState {
  const { refused_votes = [] } = state;
  if (refused_votes.length >= KEPT_MAX || refused_votes.some((one) => one.vote_id === vote_id)) return state;
  return { ...state, refused_votes: [...refused_votes, { vote_id, code, reason }] };
}

/**
 * The votes that are lines of the history of their case. A denial that counts ends the request: the line of that end shows who denied it,
 * and why.
 */
export function votesShown({ votes = [], refused_votes = [] }: Pick<CallState, 'votes' | 'refused_votes'>): VoteFact[] {
  return votes.filter(({ vote, vote_id }) => vote !== 'deny' || refused_votes.some((one) => one.vote_id === vote_id));
}
