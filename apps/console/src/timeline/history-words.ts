import type { Tone } from '../elements/status.js';
import type { HistoryLine } from './call-times.js';

/** What lines are filtered by. */
export type HistoryGroup = 'requests' | 'decisions' | 'approvals' | 'runs' | 'undo' | 'case';

export const HISTORY_GROUPS: readonly (readonly [HistoryGroup, string])[] = [
  ['requests', 'Requests'],
  ['decisions', 'Decisions'],
  ['approvals', 'Approvals'],
  ['runs', 'Runs'],
  ['undo', 'Undo'],
  ['case', 'Case'],
];

interface Words {
  group: HistoryGroup;
  tone: Tone;
  text: string;
}

const NAMES: Readonly<Record<NonNullable<HistoryLine['type']>, Words>> = {
  case_opened: { group: 'case', tone: 'neutral', text: 'Case opened' },
  case_closed: { group: 'case', tone: 'neutral', text: 'Case closed' },
  tool_call_pending: { group: 'requests', tone: 'neutral', text: 'Requested' },
  policy_decided: { group: 'decisions', tone: 'neutral', text: 'Decided' },
  tool_call_pending_approval: { group: 'approvals', tone: 'warn', text: 'Approval requested' },
  approval_voted: { group: 'approvals', tone: 'neutral', text: 'Voted' },
  approval_granted: { group: 'approvals', tone: 'good', text: 'Approved' },
  approval_denied: { group: 'approvals', tone: 'bad', text: 'Denied' },
  approval_expired: { group: 'approvals', tone: 'neutral', text: 'Approval expired' },
  call_cancelled: { group: 'requests', tone: 'neutral', text: 'Cancelled' },
  tool_call_rejudged: { group: 'decisions', tone: 'warn', text: 'Decided again before it ran' },
  tool_call_in_doubt: { group: 'runs', tone: 'bad', text: 'Outcome unknown' },
  tool_call_resolved: { group: 'runs', tone: 'good', text: 'Doubt resolved' },
  tool_retry_deduplicated: { group: 'runs', tone: 'neutral', text: 'Answered by an earlier call' },
  tool_call_complete: { group: 'runs', tone: 'good', text: 'Succeeded' },
  tool_call_failed: { group: 'runs', tone: 'bad', text: 'Failed' },
  saga_started: { group: 'case', tone: 'busy', text: 'Saga started' },
  compensation_requested: { group: 'undo', tone: 'busy', text: 'Undo requested' },
  compensation_executed: { group: 'undo', tone: 'good', text: 'Undone' },
  compensation_failed: { group: 'undo', tone: 'bad', text: 'Undo failed' },
  saga_ended: { group: 'case', tone: 'neutral', text: 'Saga ended' },
};

const EFFECTS: Readonly<Record<string, Pick<Words, 'text' | 'tone'>>> = {
  allow: { text: 'Allowed', tone: 'good' },
  deny: { text: 'Denied by rule', tone: 'bad' },
  require_approval: { text: 'Needs an approval', tone: 'warn' },
  defer: { text: 'Held back', tone: 'neutral' },
};

/** A line of a history in words. A type that this console does not know is shown by its name. */
export function lineWords({ type, decision }: HistoryLine): Words {
  const known = type !== undefined && Object.hasOwn(NAMES, type) ? NAMES[type] : undefined;
  if (!known) return { group: 'case', tone: 'neutral', text: String(type ?? 'Unknown').replaceAll('_', ' ') };
  const effect = decision?.effect ?? '';
  return type === 'policy_decided' && Object.hasOwn(EFFECTS, effect) ? { ...known, ...EFFECTS[effect] } : known;
}

/** One fact about a line beside its words; `text` may be of an agent or a tool. */
export interface LineFact {
  label: string;
  text: string;
}

/** What a line adds: who, why, by which rule. */
export function lineFacts(line: HistoryLine): LineFact[] {
  const { decision, approval, by, reason, error, retry_count, original_call_id, status, rationale, vote, to, refused_because } = line;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  const facts: (LineFact | undefined)[] = [
    fact('rule', decision?.rule),
    fact('revision', (decision?.revision ?? 1) > 1 ? String(decision?.revision) : undefined),
    fact('vote', vote),
    fact('by', by),
    fact('to', to),
    fact('not counted', refused_because),
    fact('asks', line.type === 'tool_call_pending_approval' ? approval?.approver_roles?.join(', ') : undefined),
    fact('reason', reason),
    fact('error', code && `${code}: ${message ?? ''}`),
    fact('retries', retry_count ? String(retry_count) : undefined),
    fact('answered by', original_call_id),
    fact('status', line.saga_id === undefined ? undefined : status),
    fact('agent says', line.type === 'tool_call_pending' ? rationale : undefined),
  ];
  return facts.filter((each) => each !== undefined);
}

const fact = (label: string, text: unknown): LineFact | undefined =>
  typeof text === 'string' && text !== '' ? { label, text } : undefined;
