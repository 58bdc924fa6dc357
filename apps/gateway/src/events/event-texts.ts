import { type Caller, pickedOf } from '@countersign/calls';
import { SEALED } from '@countersign/contracts';
import type { ApprovalRow } from '@countersign/store';
import { approvalAnswerOf } from '../approvals/approval-answer.js';
import { approvalMembers } from '../approvals/approval-answers.schemas.js';
import type { Change } from './change.js';

/** How an approval changed, by the record that changed it. */
const approvalChanges: Readonly<Record<string, string>> = {
  approval_requested: 'requested',
  approval_escalated: 'escalated',
  ...{ approval_voted: 'voted', approval_vote_counted: 'voted', approval_vote_refused: 'voted' },
  ...{ approval_granted: 'ended', approval_denied: 'ended', approval_expired: 'ended', call_cancelled: 'ended' },
};

const listed = approvalMembers.picked({});

/** One text for all streams: it says what changed, never how. */
const texts = new WeakMap<Change, string>();

/** The event of a change: its item, the record that changed it, and what the views say of it now. */
export function changeText(change: Change, position: string): string {
  const known = texts.get(change);
  if (known !== undefined) return known;
  const { kind, id, event_type, status, case_id, at_ms } = change;
  const data = { kind, id, event_type, status, case_id, at: new Date(at_ms).toISOString(), position };
  const text = `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
  texts.set(change, text);
  return text;
}

function changeOf({ event_type }: Change, { status }: ApprovalRow): string | undefined {
  return status === 'superseded' ? 'superseded' : approvalChanges[event_type];
}

/** The event of an approval: the item of the list, without text that is encrypted as personal data. */
export function approvalText(change: Change, position: string, caller: Caller): string | undefined {
  if (!change.row || !listed) return undefined;
  const { reason, ...item } = pickedOf(approvalAnswerOf(change.row, caller, null), listed);
  const open = typeof reason === 'string' && reason.includes(SEALED) ? {} : { reason };
  const data = { ...item, ...open, change: changeOf(change, change.row), position };
  return `event: approval\ndata: ${JSON.stringify(data)}\n\n`;
}
