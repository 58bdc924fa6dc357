import type { VoteBody } from './approval.js';
import type { CastAnswer } from './cast-vote.js';

/** A vote that would end its request, and that waits so that its voter can take it back. */
export interface HeldVote {
  approval_id: string;
  body: VoteBody;
  /** What it decides, for messages. */
  sentence: string;
  held_at_ms: number;
}

/**
 * `held`: it waits until `due_at_ms`. `sending`: its answer is awaited. `unsent`: it may not have arrived (no connection, session ended);
 * its voter sends it again or drops it. `answered`: it was counted or refused.
 */
export type HeldState =
  | { kind: 'none' }
  | { kind: 'held'; vote: HeldVote; due_at_ms: number }
  | { kind: 'sending'; vote: HeldVote }
  | { kind: 'unsent'; vote: HeldVote; answer: CastAnswer | undefined }
  | { kind: 'answered'; vote: HeldVote; answer: CastAnswer };

export type HeldEvent =
  | { type: 'hold'; vote: HeldVote; hold_ms: number }
  | { type: 'undo' }
  /** The time is over, or its voter leaves. */
  | { type: 'send' }
  | { type: 'answer'; answer: CastAnswer }
  | { type: 'found'; vote: HeldVote }
  | { type: 'drop' };

const NONE: HeldState = { kind: 'none' };

/** The state after an event; the same state if the event does not apply to it. */
export function nextHeld(state: HeldState, event: HeldEvent): HeldState {
  switch (event.type) {
    case 'hold':
      if (state.kind !== 'none' && state.kind !== 'answered') return state;
      return event.hold_ms > 0
        ? { kind: 'held', vote: event.vote, due_at_ms: event.vote.held_at_ms + event.hold_ms }
        : { kind: 'sending', vote: event.vote };
    case 'undo':
      return state.kind === 'held' ? NONE : state;
    case 'send':
      return state.kind === 'held' || state.kind === 'unsent' ? { kind: 'sending', vote: state.vote } : state;
    case 'answer':
      if (state.kind !== 'sending') return state;
      return { kind: isUncertain(event.answer) ? 'unsent' : 'answered', vote: state.vote, answer: event.answer };
    case 'found':
      return state.kind === 'none' ? { kind: 'unsent', vote: event.vote, answer: undefined } : state;
    case 'drop':
      return state.kind === 'unsent' || state.kind === 'answered' ? NONE : state;
  }
}

/** What has to be kept until it is answered. */
export const keptOf = (state: HeldState): HeldVote | undefined =>
  state.kind === 'held' || state.kind === 'sending' || state.kind === 'unsent' ? state.vote : undefined;

/** Whether an answer leaves open that the vote is counted later: it did not arrive, or it was turned away before it was looked at. */
export const isUncertain = (answer: CastAnswer): boolean =>
  !answer.ok &&
  (answer.problem.status === 0 || answer.problem.status === 401 || answer.problem.status === 429 || answer.problem.status >= 500);
