import type { Tone } from '../elements/status.js';
import type { VoteBody } from './approval.js';
import type { CastAnswer, VoteProblem } from './cast-vote.js';

/** What came of a vote, in words. `next_id`: the request that follows an edit. */
export interface VoteWords {
  tone: Tone;
  title: string;
  text: string;
  next_id?: string;
}

type Vote = VoteBody['vote'];

const DONE: Readonly<Record<string, readonly [tone: Tone, title: string, text: string]>> = {
  granted: ['good', 'Approved', 'The call runs now.'],
  denied: ['neutral', 'Denied', 'The call does not run.'],
};

const WAITING: Readonly<Record<Vote, readonly [title: string, text: string]>> = {
  approve: ['Your approval counts', 'More people must agree.'],
  deny: ['Denied', 'The call does not run.'],
  edit: ['Your edit is recorded', 'A new request follows for the edited inputs.'],
  delegate: ['Passed on', 'The person you named decides in your place.'],
  revoke: ['Withdrawn', 'Your vote does not count any more.'],
};

/** Says what the gateway answered to a vote on this request. */
export function voteWords({ approval_id, vote, me }: { approval_id: string; vote: Vote; me: string }, answer: CastAnswer): VoteWords {
  if (!answer.ok) return refusalWords(answer.problem, me);
  const { approval, is_judged } = answer;
  if (!is_judged)
    return { tone: 'busy', title: 'Recorded, not counted yet', text: 'The policy service answers late. This page shows it when it does.' };
  if (approval.approval_id !== approval_id)
    return { tone: 'good', title: 'Edited', text: 'A new request asks for the edited inputs.', next_id: approval.approval_id };
  const ended = vote === 'approve' || vote === 'deny' ? DONE[approval.status] : undefined;
  if (ended) return { tone: ended[0], title: ended[1], text: ended[2] };
  const [title, text] = WAITING[vote];
  const missing = approval.parts.reduce((sum, { quorum, approvals }) => sum + Math.max(0, quorum - approvals), 0);
  return { tone: 'good', title, text: vote === 'approve' && missing > 0 ? `${missing} more must agree.` : text };
}

/** What a refused vote means, and what to do. */
function refusalWords(problem: VoteProblem, me: string): VoteWords {
  const { status, detail = '', title } = problem;
  if (problem.approval_status !== undefined && problem.approval_status !== 'pending') return lateWords(problem, me);
  if (status === 0)
    return { tone: 'bad', title: 'No connection', text: 'It is not known whether your vote arrived. Send it again: it counts once.' };
  if (status === 401)
    return { tone: 'warn', title: 'Your session has ended', text: 'Your vote was not sent. Sign in, then send it again.' };
  if (problem.refusal === 'twice')
    return { tone: 'neutral', title: 'You have voted already', text: 'Each approval needs a different person.' };
  if (problem.refusal === 'four_eyes')
    return { tone: 'warn', title: 'Four eyes', text: 'The requester and the owner of the requester cannot approve it.' };
  if (status === 403) return { tone: 'warn', title: 'You may not decide this', text: detail };
  if (status === 404) return { tone: 'warn', title: 'The request is not there', text: 'It was deleted, or it belongs to another tenant.' };
  if (status === 429 || status >= 500)
    return { tone: 'bad', title: 'The gateway could not take your vote', text: 'Send it again in a moment.' };
  return { tone: 'bad', title, text: detail };
}

const ENDED: Readonly<Record<string, string>> = {
  granted: 'approved it',
  denied: 'denied it',
  superseded: 'edited the inputs',
  cancelled: 'cancelled it',
};

/** Who was faster, and when. */
function lateWords({ approval_status = '', decided_by, decided_at }: VoteProblem, me: string): VoteWords {
  // several names: those whose approvals counted
  const names = decided_by?.split(', ') ?? [];
  const mine = names.includes(me) ? DONE[approval_status] : undefined;
  if (mine) return { tone: mine[0], title: mine[1], text: 'Your vote had arrived already.' };
  const at = decided_at ? ` at ${clockTime(decided_at)}` : '';
  if (decided_by && ENDED[approval_status])
    return {
      tone: 'warn',
      title: `${decided_by} ${names.length > 1 ? 'were' : 'was'} faster`,
      text: `${decided_by} ${ENDED[approval_status]}${at}. Your vote does not count.`,
    };
  const how = approval_status === 'expired' ? 'expired' : approval_status === 'cancelled' ? 'was cancelled' : `is ${approval_status}`;
  return { tone: 'warn', title: 'The request has ended', text: `It ${how}${at}. Your vote does not count.` };
}

/** The time of day where the reader is, to the second. */
export const clockTime = (at: string): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
