import type { Tone } from '../elements/status.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { ListedUpstream, ToolSummary } from './upstream.js';

type Health = ListedUpstream['health'];
export type ToolState = ToolSummary['state'];

const HEALTH: Readonly<Record<Health['state'], readonly [word: string, tone: Tone]>> = {
  not_listed: ['Not listed yet', 'busy'],
  healthy: ['Healthy', 'good'],
  unhealthy: ['Unhealthy', 'bad'],
};

export function HealthBadge({ health: { state } }: { health: Health }) {
  const [word, tone] = HEALTH[state];
  return <StatusBadge status={state} word={word} tone={tone} />;
}

/** The states of a tool in the order in which they need a person. */
export const TOOL_STATES: Readonly<Record<ToolState, readonly [word: string, tone: Tone]>> = {
  suspended: ['Suspended', 'bad'],
  pending_change: ['Changed', 'warn'],
  unclassified: ['Unclassified', 'warn'],
  gone: ['Gone', 'neutral'],
  active: ['Active', 'good'],
};
export const STATE_ORDER = Object.keys(TOOL_STATES) as ToolState[];

/** What a state of a tool means, and what follows from it. */
export const MEANINGS: Readonly<Record<ToolState, string>> = {
  active: 'The server describes it as it was pinned. It runs.',
  unclassified: 'No operator has classified it: it counts as a change of high risk, so that each call needs an approval.',
  pending_change: 'The server describes it in another way than the pinned one. It runs as pinned until an operator decides.',
  suspended: 'It does not run until an operator allows it again.',
  gone: 'The server no longer lists it: it does not run. It comes back by itself if the server lists it as it was.',
};

export function ToolStateBadge({ state }: { state: ToolState }) {
  const [word, tone] = TOOL_STATES[state];
  return <StatusBadge status={state} word={word} tone={tone} />;
}

/** `2 suspended, 3 unclassified`; undefined: no tool needs a person. */
export function attentionText(counts: ListedUpstream['tools_in_state']): string | undefined {
  const waiting = STATE_ORDER.filter((state) => state !== 'active' && counts[state] > 0);
  const text = waiting.map((state) => `${counts[state]} ${TOOL_STATES[state][0].toLowerCase()}`).join(', ');
  return text === '' ? undefined : text;
}
